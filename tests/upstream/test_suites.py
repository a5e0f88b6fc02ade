"""Upstream's own tests accept our classes, but for the differences that docs/migration.md keeps and explains."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.upstream.substitute import GROUPS

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "docs" / "migration.md").read_text().partition("## Kept differences\n")[2].partition("\n## ")[0]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "scipy": "SciPy", "hmmlearn": "hmmlearn"}


def rows():
    """(classes, pattern, reason) of each row of the table."""
    lines = [line for line in SECTION.splitlines() if line.startswith("| `")]
    for line in lines:
        classes, test, reason = (cell.strip() for cell in line.strip("|").split(" | "))
        yield re.findall(r"`(\w+)`", classes), test.strip("`"), reason


def covered(pattern, tests):
    """Tests that a pattern names: `*` is any text; a name without parameters is all of them."""
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return {test for test in tests if re.fullmatch(rf"(\S+?::)?{expression}(\[.*\])?", test.partition("::")[2])}


def installed(module):
    """Skips the test where the table is for another version of upstream than the one that is installed."""
    name = DISTRIBUTIONS[module.partition(".")[0]]
    pytest.importorskip(module.partition(".")[0])
    tabled = re.search(rf"{name} ([\d.]+\d)", SECTION)[1]
    if version(name) != tabled:
        pytest.skip(f"the kept differences are those of {name} {tabled}; {version(name)} is installed")


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_upstreams_tests_pass_but_for_the_differences_that_we_keep(group):
    module, classes, _ = GROUPS[group]
    installed(module)
    run = subprocess.run(
        [sys.executable, "-m", "tests.upstream.substitute", group],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    ended = json.loads(run.stdout)
    assert ended["passed"], "no test of upstream's made one of our classes"
    kept = [test for names, test, _ in rows() if set(names) & set(classes)]
    explained = set().union(*(covered(test, ended["failed"]) for test in kept))
    problems = [f"fails, and no row explains it: {test}" for test in ended["failed"] if test not in explained]
    for test in kept:
        passing = sorted(covered(test, ended["passed"] + ended["message"]))
        if not covered(test, ended["failed"]):
            problems.append(f"a row explains nothing that fails: {test}")
        elif passing:
            problems.append(f"a row covers what passes: {test} covers {', '.join(passing)}")
    assert not problems, "\n".join(["docs/migration.md, kept differences:", *problems])


def test_each_row_names_classes_that_are_tested_and_a_reason():
    known = {name for _, names, _ in GROUPS.values() for name in names}
    found = list(rows())
    assert found
    for classes, test, reason in found:
        assert classes, test
        assert set(classes) <= known, classes
        assert reason, test
