"""python -m tests.upstream.gallery EXAMPLES RESULTS: scripts of a gallery with upstream's classes and with ours.

EXAMPLES is the folder of examples of scikit-learn's or hmmlearn's repository. Every script in it that names one of our
classes and downloads nothing runs twice, in a folder of its own. Told is whether both print the same (times and
addresses aside, numbers to 7 digits) and draw the same pictures; RESULTS keeps what was printed and drawn, and what
upstream's classes gave is not computed again.
"""

import argparse
import contextlib
import difflib
import importlib
import io
import json
import os
import re
import resource
import runpy
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

from tests.upstream.substitute import GROUPS

NAMES = {name: module for module, names, _ in GROUPS.values() for name in names}
#: What differs from one run to the next: seconds, addresses in memory, and identifiers in pages of HTML.
PASSING = re.compile(r"0x[0-9a-f]+|id-\d+|\d+(\.\d+)?(e-?\d+)? ?(s|ms|sec|seconds|milliseconds|minutes)\b")
#: Numbers of more digits than the arithmetic of two programs shares.
LONG = re.compile(r"-?\d*\.\d{7,}(e[-+]?\d+)?")
#: What uses one of our classes, and what asks for a file of the network.
OURS = re.compile(rf"\b({'|'.join(NAMES)})\b")
DOWNLOADS = re.compile(r"\b(fetch_\w+|urlopen|urlretrieve)\(")


def scripts(folder, only):
    """Scripts that name one of our classes and ask for no file of the network."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text()
        if OURS.search(text) and not DOWNLOADS.search(text) and only in str(path):
            yield path


def put_ours(text):
    """Put our classes in the place of upstream's, where a text names them: what other libraries use stays theirs."""
    import parzen

    for name in set(OURS.findall(text)):
        setattr(importlib.import_module(NAMES[name]), name, getattr(parzen, name))


def run_one(script, whose, result):
    """Runs a script in this process; writes what it printed, how it ended and what it drew."""
    os.environ["MPLBACKEND"] = "Agg"
    import matplotlib.pyplot as plt

    if whose == "ours":
        put_ours(script.read_text())
    printed, failure = io.StringIO(), ""
    np.random.seed(0)  # noqa: NPY002, for scripts that draw without a seed of their own
    sys.path.insert(0, str(script.parent))
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runpy.run_path(str(script), run_name="__main__")
        except (Exception, SystemExit):
            failure = traceback.format_exc()
        pictures = {}
        for number in plt.get_fignums():
            with contextlib.suppress(Exception):
                canvas = plt.figure(number).canvas
                canvas.draw()
                pictures[f"figure{number}"] = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    np.savez_compressed(result.with_suffix(".npz"), **pictures)
    result.write_text(json.dumps({"printed": printed.getvalue(), "failure": failure}))


def run(script, whose, results, seconds):
    """What a script gave with their classes or ours; those that upstream's gave before are read again."""
    result = results / whose / f"{script.stem}.json"
    result.parent.mkdir(parents=True, exist_ok=True)
    if whose == "ours" or not result.exists():
        result.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.upstream.gallery", "--one", whose, str(script), str(result)]
        # A limit of processor time, not of the clock: other work of the machine doesn't count.
        paths = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PYTHONPATH": paths},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
            )
        if not result.exists():
            gave = f"ended with {ended.returncode}, {seconds} s of processor time allowed\n{ended.stderr[-2000:]}"
            result.write_text(json.dumps({"printed": "", "failure": gave}))
    return json.loads(result.read_text())


def pictures_differ(theirs, ours):
    """The greatest share of pixels that differ, over the figures; 1 where a figure is missing or of another size."""
    if not (theirs.exists() and ours.exists()):
        return 0.0
    left, right = np.load(theirs), np.load(ours)
    if set(left) != set(right) or any(left[name].shape != right[name].shape for name in left):
        return 1.0
    return max((float((left[name] != right[name]).any(axis=2).mean()) for name in left), default=0.0)


def lines_of(printed):
    """Lines to compare: without what differs from run to run, numbers to 7 digits."""
    return LONG.sub(lambda number: f"{float(number[0]):.7g}", PASSING.sub("...", printed)).splitlines()


def compare(script, results, seconds):
    """One word or figure for each script, and the lines that differ or the traceback."""
    theirs = run(script, "theirs", results, seconds)
    if theirs["failure"]:
        return "does not run with their classes here", theirs["failure"].strip().splitlines()[-1:]
    ours = run(script, "ours", results, seconds)
    if ours["failure"]:
        return "FAILS", ours["failure"].splitlines()[-12:]
    left, right = lines_of(theirs["printed"]), lines_of(ours["printed"])
    lines = list(difflib.unified_diff(left, right, "theirs", "ours", lineterm="", n=0))
    drawn = pictures_differ(*(results / whose / f"{script.stem}.npz" for whose in ("theirs", "ours")))
    words = "prints other lines" if lines else "prints the same"
    return f"{words}, {drawn:.1%} of the pixels differ" if drawn else f"{words}, draws the same", lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--one", choices=["theirs", "ours"], help="run one script, in this process")
    parser.add_argument("--only", default="", help="part of a path")
    parser.add_argument("--seconds", type=int, default=300, help="processor time of one script")
    asked = parser.parse_args()
    if asked.one:
        return run_one(asked.examples, asked.one, asked.results)
    for script in scripts(asked.examples.resolve(), asked.only):
        verdict, lines = compare(script, asked.results.resolve(), asked.seconds)
        sys.stdout.write("\n    ".join([f"{script.parent.name}/{script.name}: {verdict}", *lines[:60]]) + "\n")
        sys.stdout.flush()
    return None


if __name__ == "__main__":
    main()
