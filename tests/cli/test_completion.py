"""Completion in a shell: scripts that are made from the parser, run by the shell itself."""

import re
import shutil
import subprocess

import pytest


def completed(script, *words):
    """What bash offers after some words, the last of which is begun."""
    quoted = " ".join(f"'{word}'" for word in words)
    call = f'{script}\nCOMP_WORDS=(parzen {quoted}); COMP_CWORD={len(words)}; _parzen; echo "${{COMPREPLY[*]}}"'
    done = subprocess.run(["bash", "--norc", "-c", call], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_their_values(run):
    code, script, err = run("completion", "bash")
    assert (code, err) == (0, "")
    assert completed(script, "re") == ["report"]
    assert completed(script, "") >= ["bandwidth"]
    assert completed(script, "report", "--ex") == ["--example"]
    assert completed(script, "report", "--example", "i") == ["iris"]
    assert completed(script, "fit", "data.csv", "--th") == ["--thousands"]
    assert "--fdr" in completed(script, "outliers", "--")
    assert "--fdr" not in completed(script, "report", "--")
    assert completed(script, "completion", "") == ["bash", "zsh", "fish"]
    assert completed(script, "predict", "m.parzen", "da") == []  # bash offers files
    assert re.search(r"^complete -o default -F _parzen parzen$", script, re.MULTILINE)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_other_shells_name_every_command_and_are_well_formed(run, shell):
    code, script, err = run("completion", shell)
    assert (code, err) == (0, "")
    for name in ("report", "predict", "completion"):
        assert re.search(rf"\b{name}\b", script)
    assert "spreadsheet-safe" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_gets_the_usage(capsys):
    from parzen.cli.main import main

    with pytest.raises(SystemExit) as stop:
        main(["completion", "tcsh"])
    assert stop.value.code == 2
