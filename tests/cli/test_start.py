"""How the command line starts: without libraries until a command needs them; stopped at any time without a trace."""

import subprocess
import sys

import pytest

from parzen.cli.main import main

START = "import sys; sys.argv = ['parzen', *sys.argv[1:]]; from parzen.cli import run; "

#: Interrupts the process when a library is about to be imported.
INTERRUPT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
"""


def python(code, *arguments, **more):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more
    )


@pytest.mark.parametrize("arguments", [["--help"], [], ["nonsense"]])
def test_help_needs_no_library(arguments):
    told = "print(sorted({'numpy', 'pandas', 'scipy'} & set(sys.modules)))"
    found = python(f"{START}import atexit; atexit.register(lambda: {told}); run()", *arguments)
    assert found.stdout.endswith("[]\n"), found


def test_a_command_loads_what_it_needs_and_no_other_command():
    told = "print([one for one in sys.modules if 'cli.commands.' in one])"
    found = python(f"{START}import atexit; atexit.register(lambda: {told}); run()", "inspect", "--help")
    assert found.stdout.startswith("usage: parzen inspect"), found
    assert found.stdout.endswith("['parzen.cli.commands.inspect']\n"), found


@pytest.mark.parametrize("name", ["argparse", "parzen.storage.container", "pandas"])
def test_an_interruption_while_libraries_are_imported_ends_the_process_in_silence(name, table):
    found = python(INTERRUPT.format(name=name) + START + "run()", "outliers", table)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "\nparzen: stopped.\n")


def test_an_interruption_that_the_shell_asks_to_ignore_is_ignored():
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    found = python(ignoring + INTERRUPT.format(name="argparse") + START + "run()", "--version")
    assert found.returncode == 0, found


def test_a_closed_standard_output_is_one_sentence(table, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["outliers", str(table)]) == 1
    assert capsys.readouterr().err == "parzen: the standard output is closed; there is nowhere to write to.\n"
