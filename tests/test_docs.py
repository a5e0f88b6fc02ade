"""The documents tell the truth: their examples run, their links lead somewhere, their numbers were measured."""

import doctest
import importlib
import inspect
import json
import re
import runpy
import typing
from pathlib import Path

import pytest

import parzen
from benchmarks import harness
from benchmarks import page as benchmarked
from benchmarks import run as benchmarked_run

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
TAUGHT = [ROOT / "README.md", *ROOT.glob("docs/guide/*.md")]
MODULES = ("parzen", "parzen.bandwidth", "parzen.conjugate", "parzen.datasets", "parzen.displays", "parzen.statistics")


@pytest.mark.parametrize("page", TAUGHT, ids=lambda page: page.name)
def test_examples_give_what_the_page_says(page):
    code = "".join(re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    assert len(example.examples) >= 5
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example).failed == 0


def test_models_that_the_decision_guide_names_can_be_made_as_it_says():
    text = re.sub(r"```.*?```", "", (ROOT / "docs" / "guide" / "which.md").read_text(), flags=re.DOTALL)
    words = {"density": parzen.Gaussian(), "family": parzen.Gaussian(), "model": parzen.GaussianNB(), "n_components": 2}
    known = vars(parzen.displays) | {name: getattr(parzen, name) for name in parzen.__all__} | words | {"order": 1}
    said = [one for one in re.findall(r"`([A-Z][^`]*)`", text) if "..." not in one]
    assert len(said) > 40
    for expression in said:
        assert eval(expression, known) is not None
    assert set(re.findall(r"plot_(\d\d)", text)) == {f"{number:02}" for number in range(1, 13)}  # every lesson is there


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_named_files_exist(page):
    if not (ROOT / "src").exists():
        pytest.skip("the sources, which pages name, do not come with an installed wheel")
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
    for name in re.findall(r"`([\w-]+/[\w./-]+\.(?:py|cpp|md|rst))`", text):
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "src", ROOT / "src" / "parzen", page.parent)), (
            name
        )
    for name in re.findall(r"`(parzen(?:\.\w+)+)", text):
        assert resolve(name) is not None, name


def test_the_readme_is_short_and_its_picture_small():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 130
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert (ROOT / picture).stat().st_size < 150_000


def test_the_script_of_the_readmes_picture_draws_it(tmp_path, monkeypatch):
    path = tmp_path / "overview.png"
    monkeypatch.setattr("sys.argv", ["overview.py", str(path)])
    runpy.run_path(str(ROOT / "docs" / "pictures" / "overview.py"), run_name="__main__")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_readmes_times_are_eight_of_the_measured_ones():
    shown = table((ROOT / "README.md").read_text())
    measured = table((ROOT / "docs" / "benchmarks.md").read_text())
    assert len(shown) == 8
    for row in shown:
        assert row in [{name: found[name] for name in row if name in found} for found in measured]


def test_the_guide_to_gpus_shows_measured_rows():
    shown = table((ROOT / "docs" / "guide" / "gpu.md").read_text())
    measured = table((ROOT / "docs" / "benchmarks.md").read_text())
    assert len(shown) == 4
    for row in shown:
        assert row in [{name: found[name] for name in row if name in found} for found in measured]


def test_a_run_of_benchmarks_keeps_the_table_of_a_gpu():
    earlier = benchmarked.with_gpu(benchmarked.GPU_TITLE, "One chip.\n\n| job | ours, ms |\n")
    machine = dict.fromkeys(("cores", "processor", "level", "threads", "python"), 1)
    results = {"machine": machine, "rows": [], "memory": [], "growth": []}
    assert benchmarked.page(results, earlier).endswith(earlier)
    assert "One chip." not in benchmarked.page(results)
    assert "One chip." not in benchmarked.with_gpu(earlier, "Another chip.")
    with pytest.raises(SystemExit, match="needs the two lines"):
        benchmarked.with_gpu("no marks", "One chip.")


def test_a_run_of_benchmarks_goes_on_where_one_of_the_same_commit_ended(tmp_path, monkeypatch):
    row = harness.Row("job", "peer", 1.0, 3.0, None, 0.5, target=2.0)
    results = {"one": [row, harness.Memory("job", 2.5)], "two": [harness.Growth("job", 1.0, {"n x 10": 9.0}, {})]}
    for commit, kept in (("abc", results), ("abc-dirty", {}), (None, {})):
        monkeypatch.setattr(harness, "_commit", lambda commit=commit: commit)
        harness.write(results, tmp_path)
        assert harness.read(tmp_path) == kept
    monkeypatch.setattr(harness, "_commit", lambda: "def")
    assert harness.read(tmp_path) == {}
    monkeypatch.setattr(harness, "read", lambda folder: results)
    monkeypatch.setattr(benchmarked_run, "measure", lambda name: [harness.Memory(name, 1.0)])
    path = benchmarked_run.measured(["one", "three"], tmp_path, keep=True)
    assert [found["benchmark"] for found in json.loads(path.read_text())["memory"]] == ["one", "three"]


def table(text):
    """The rows of the tables of benchmarks, as dicts by column."""
    rows, header = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            header = None
        elif cells[0] == "job":
            header = cells
        elif header and not cells[0].startswith("-"):
            rows.append(dict(zip(header, cells, strict=True)))
    return rows


def resolve(name):
    """The module, class or function of a dotted name, or None."""
    found, path = parzen, "parzen"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        if not hasattr(found, part):
            try:
                importlib.import_module(path)
            except ImportError:
                return None
        found = getattr(found, part)
    return found


def listed():
    """What docs/api.rst lists, by name."""
    names = re.findall(r"^   ([\w.]+)$", (ROOT / "docs" / "api.rst").read_text(), flags=re.MULTILINE)
    return {name: resolve(f"parzen.{name}") for name in names}


def test_the_reference_lists_only_what_there_is():
    assert [name for name, found in listed().items() if found is None] == []


@pytest.mark.parametrize("module", MODULES)
def test_the_reference_names_everything_that_is_public(module):
    found = importlib.import_module(module)
    prefix = "" if module == "parzen" else module.removeprefix("parzen.") + "."
    assert {prefix + name for name in found.__all__} <= set(listed())


def test_the_reference_names_what_public_methods_return():
    """Fit, Boundary, Explanation and the like; densities and statistics have their contract in the reference."""
    known = [found for found in listed().values() if inspect.isclass(found)]
    waiting, absent = [*known, *(found for found in listed().values() if inspect.isfunction(found))], set()
    while waiting:
        for result in returned(waiting.pop()):
            if result not in known:
                absent.add(f"{result.__module__}.{result.__qualname__}")
    assert absent == set()


def returned(found):
    """The classes of ours that a function, or any public method of a class, says it returns."""
    methods = [found]
    if inspect.isclass(found):
        methods = [value for name, value in inspect.getmembers(found, inspect.isroutine) if name[0] != "_"]
    for method in methods:
        try:
            annotation = inspect.signature(method).return_annotation
        except (TypeError, ValueError):
            continue
        for result in [annotation, *typing.get_args(annotation)]:
            contract = isinstance(result, type) and issubclass(result, (parzen.Density, parzen.statistics.Statistic))
            if isinstance(result, type) and result.__module__.startswith("parzen") and not contract:
                yield result
