"""``parzen explore`` prints its address, serves the example, and ends when it is interrupted."""

import json
import signal
import subprocess
import sys
from http.client import HTTPConnection

from parzen.cli.commands.explore import SENTENCES
from parzen.cli.examples import EXAMPLES


def test_the_gallery_has_a_sentence_for_each_example():
    assert set(SENTENCES) == set(EXAMPLES)


def test_the_command_serves_an_example_until_it_is_interrupted():
    command = [sys.executable, "-m", "parzen", "explore", "--example", "iris", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        host, token = address.removeprefix("http://").split("/#token=")
        line = HTTPConnection(host, timeout=60)
        line.request("POST", "/data", "{}", {"X-Parzen-Token": token})
        found = json.loads(line.getresponse().read())
        line.close()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert (found["name"], found["rows"], found["target"]) == ("iris", 150, "species")
    assert process.returncode == 130
