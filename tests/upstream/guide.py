"""python -m tests.upstream.guide TEXT...: examples of upstream's guides and docstrings, with their classes and ours.

A TEXT is a folder of .rst files, one such file, or the name of an installed package, whose docstrings are meant. Every
text that names one of our classes and downloads nothing runs twice as a doctest. Told are the examples that end
otherwise with our classes than with upstream's (times and addresses aside, numbers to 7 digits), whatever the text
says that they give.
"""

import argparse
import contextlib
import doctest
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

from tests.upstream.gallery import DOWNLOADS, OURS, lines_of, put_ours


def modules(package):
    """Modules of a package that can be imported, its tests left out."""
    yield package
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=lambda _: None):
        parts = found.name.split(".")
        if not {"tests", "conftest", "externals", "__main__"} & set(parts) and "_build_utils" not in parts:
            with contextlib.suppress(Exception):
                yield importlib.import_module(found.name)


def texts(source):
    """Names of texts, and the texts."""
    path = Path(source)
    if path.exists():
        for one in [path] if path.is_file() else sorted(path.rglob("*.rst")):
            yield str(one.name if path.is_file() else one.relative_to(path)), one.read_text()
        return
    seen, finder = set(), doctest.DocTestFinder(exclude_empty=True, recurse=True)
    for module in modules(importlib.import_module(source)):
        for test in finder.find(module):
            if test.examples and test.docstring not in seen:
                seen.add(test.docstring)
                yield test.name, test.docstring


def usable(text):
    """Whether a text has examples, with one of our classes, and no download."""
    return ">>>" in text and OURS.search(text) and not DOWNLOADS.search(text)


def outcomes(text, whose):
    """What each example of a text printed, or the error that it raised."""
    if whose == "ours":
        put_ours(text)
    examples, names = doctest.DocTestParser().get_examples(text), {"__name__": "__main__"}
    np.random.seed(0)  # noqa: NPY002, for examples that draw without a seed of their own
    found = []
    for example in examples:
        printed = io.StringIO()
        if doctest.SKIP in example.options:
            continue
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(example.source, "<example>", "single"), names)
                found.append([example.source, printed.getvalue()])
            except Exception as error:
                last = traceback.format_exception_only(error)[-1]
                found.append([example.source, f"{printed.getvalue()}{last}"])
    return found


def run(chosen, whose):
    """What the examples of texts gave, with their classes or ours, in a process of its own."""
    command = [sys.executable, "-m", "tests.upstream.guide", "--one", whose]
    paths = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            command,
            input=json.dumps(chosen),
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg"},
        )
    return json.loads(ended.stdout)


def differing(theirs, ours):
    """Examples of a text that end otherwise with our classes: source, upstream's outcome, ours."""
    pairs = [(left[0], left[1], right[1]) for left, right in zip(theirs, ours, strict=True)]
    return [pair for pair in pairs if lines_of(pair[1]) != lines_of(pair[2])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", help="folders or files of .rst, or names of packages")
    parser.add_argument("--one", choices=["theirs", "ours"], help="run the text that is read, in this process")
    parser.add_argument("--only", default="", help="part of a text's name")
    asked = parser.parse_args()
    if asked.one:
        sys.stdout.write(json.dumps([outcomes(text, asked.one) for text in json.load(sys.stdin)]))
        return
    for source in asked.texts:
        named = {name: text for name, text in texts(source) if asked.only in name and usable(text)}
        sides = [run(list(named.values()), whose) for whose in ("theirs", "ours")]
        for name, theirs, ours in zip(named, *sides, strict=True):
            other = differing(theirs, ours)
            lines = [f"{name}: {len(theirs) - len(other)} of {len(theirs)} examples give the same"]
            for code, left, right in other:
                lines += [f"    {line}" for line in f">>> {code}theirs: {left}\nours:   {right}".splitlines()]
            sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
