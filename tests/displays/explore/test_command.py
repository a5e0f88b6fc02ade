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


def served(*options):
    """What the page is told first, by a command that is then interrupted; and how the command ends."""
    command = [sys.executable, "-m", "parzen", "explore", *options, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        host, token = address.removeprefix("http://").split("/#token=")
        line = HTTPConnection(host, timeout=60)
        line.request("POST", "/data", "{}", {"X-Parzen-Token": token})
        found = json.loads(line.getresponse().read())
        line.close()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    return found, process.returncode


def test_the_command_serves_an_example_until_it_is_interrupted():
    found, code = served("--example", "iris")
    assert (found["name"], found["rows"], found["target"], code) == ("iris", 150, "species", 130)


def test_without_a_file_the_command_serves_the_gallery():
    found, code = served()
    assert found["gallery"]["iris"] == SENTENCES["iris"]
    assert len(found["views"]) == 6
    assert code == 130
