"""The documents tell the truth: their examples run, their links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


TAUGHT = [ROOT / "README.md", *ROOT.glob("docs/guide/*.md")]


@pytest.mark.parametrize("page", TAUGHT, ids=lambda page: page.name)
def test_examples_give_what_the_page_says(page):
    code = "".join(re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    assert len(example.examples) >= 5
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_named_files_exist(page):
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
    for name in re.findall(r"`((?:src|native|tests|benchmarks|examples|docs)/[\w./-]+\.\w+)`", text):
        assert (ROOT / name).exists(), name


def test_the_reference_names_everything_that_is_public():
    import parzen

    listed = set(re.findall(r"^   ([\w.]+)$", (ROOT / "docs" / "api.rst").read_text(), flags=re.MULTILINE))
    public = {name for name in parzen.__all__ if name[0] != "_"}
    small = {"BiasVariance", "Boundary", "Collapse", "FloorWarning", "LearningComparison", "Softmax"}
    assert public - small <= listed
    for name in listed:
        found = parzen
        for part in name.split("."):
            found = getattr(found, part) if hasattr(found, part) else __import__(f"parzen.{part}", fromlist=["x"])
