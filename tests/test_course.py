"""The lessons of the course: each runs as the notebook that its page offers, and has what a lesson must have.

What a lesson says of its numbers is asserted in the lesson itself, so that to run one is to check it.
"""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import parzen

make_id = pytest.importorskip("docutils.nodes").make_id
plt = pytest.importorskip("matplotlib.pyplot")
notebooks = pytest.importorskip("sphinx_gallery.notebook", reason="sphinx-gallery is not installed")
parser = pytest.importorskip("sphinx_gallery.py_source_parser")

DOCS = Path(__file__).parents[1] / "docs"
LESSONS = sorted((DOCS / "course").glob("plot_*.py"))
OPTIONS = pytest.importorskip("sphinx_gallery.gen_gallery").DEFAULT_GALLERY_CONF


def exercises():
    """The extension of the documentation that folds hints and solutions."""
    spec = importlib.util.spec_from_file_location("exercises", DOCS / "exercises.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def notebook(lesson):
    """The notebook of a lesson, as it is downloaded."""
    blocks = parser.split_code_and_text_blocks(str(lesson))[1]
    return exercises().fold_cells(notebooks.jupyter_notebook(blocks, OPTIONS, str(lesson.parent)))


def source(cell):
    return "".join(cell["source"])


def test_there_are_twelve_lessons():
    assert [lesson.name[:7] for lesson in LESSONS] == [f"plot_{number:02}" for number in range(1, 13)]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_each_lesson_runs_as_a_notebook(lesson, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    cells = [cell for cell in notebook(lesson)["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    names = {"__name__": "__main__"}
    drawn = 0
    for number, cell in enumerate(cells):
        exec(compile(source(cell), f"{lesson.name}, cell {number}", "exec"), names)
        for figure in map(plt.figure, plt.get_fignums()):
            figure.canvas.draw()  # what a notebook does after a cell: texts of formulae must be drawable
            drawn += 1
        plt.close("all")
    assert drawn > 0


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_each_lesson_has_formulae_three_to_six_graded_exercises_and_solutions_that_are_checked(lesson):
    text = lesson.read_text()
    assert len(re.findall(r"^# \.\. math::$", text, flags=re.MULTILINE)) >= 2
    parts = re.split(r"\*\*Exercise (\d+) \((\w+)\)\.\*\*", text)
    numbers, levels, bodies = parts[1::3], parts[2::3], parts[3::3]
    assert numbers == [str(one) for one in range(1, len(numbers) + 1)]
    assert 3 <= len(numbers) <= 6
    assert set(levels) <= {"easy", "medium", "hard"}
    assert {"easy", "medium"} < set(levels) | {"hard"}
    for body in bodies:
        assert "**Hint.**" in body
        assert "**Solution.**" in body
        assert re.search(r"^ *assert ", body, flags=re.MULTILINE)


def test_the_page_of_ideas_leads_to_sections_that_there_are_and_to_all_of_them():
    anchors = {
        (lesson.stem, make_id(title))
        for lesson in LESSONS
        for title in re.findall(r"^# (.+)\n# -{3,}$", lesson.read_text(), flags=re.MULTILINE)
    }
    led = re.findall(r"<lessons/(\w+)\.html(?:#([\w-]+))?>", (DOCS / "ideas.rst").read_text())
    assert {lesson for lesson, _ in led} == {lesson.stem for lesson in LESSONS}
    assert {(lesson, anchor) for lesson, anchor in led if anchor} <= anchors
    aside = {"exercises", "read-on", "the-data"}
    taught = {(lesson, anchor) for lesson, anchor in anchors if anchor not in aside}
    assert taught - set(led) == set()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_the_notebook_folds_hints_and_hides_the_code_of_solutions(lesson):
    cells = notebook(lesson)["cells"]
    text = "\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown")
    count = len(re.findall(r"\*\*Exercise \d", text))
    assert text.count("<summary>Hint</summary>") == text.count("<summary>Solution</summary>") == count
    assert text.count("<details>") == text.count("</details>") == 2 * count
    hidden = [cell for cell in cells if cell["metadata"].get("tags") == ["hide-input"]]
    assert len(hidden) >= count
    first = next(k for k, cell in enumerate(cells) if "**Exercise 1" in source(cell))
    assert all(cells.index(cell) > first for cell in hidden)


def counted():
    """Fitted models of the cheat sheet, by the cell that names them: K = 3 classes, d = 4 columns, S = 3 categories."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 4)) + y[:, None]
    bits, words, kinds = (X > 1).astype(int), rng.poisson(3, (300, 4)), rng.integers(0, 3, (300, 4))
    yield "BernoulliNB", parzen.BernoulliNB().fit(bits, y)
    yield "MultinomialNB", parzen.MultinomialNB().fit(words, y)
    yield "CategoricalNB", parzen.CategoricalNB().fit(kinds, y)
    for name in ("GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "LogisticRegression"):
        yield name, getattr(parzen, name)().fit(X, y)
    isotropic = parzen.GaussianDiscriminant("spherical", shared=True).fit(X, y)
    yield 'GaussianDiscriminant("spherical", shared=True)', isotropic
    yield "MixtureModel(Bernoulli())", parzen.MixtureModel(parzen.Bernoulli(), 3, random_state=0).fit(bits)
    for name, one in (("Bernoulli", bits), ("Categorical", kinds), ("Multinomial", words), ("Poisson", words)):
        yield name, parzen.DensityEstimator(getattr(parzen, name)()).fit(one)
    yield "Gaussian", parzen.DensityEstimator(parzen.Gaussian()).fit(X)
    yield 'Gaussian("diag")', parzen.DensityEstimator(parzen.Gaussian("diag")).fit(X)
    yield 'Gaussian("spherical")', parzen.DensityEstimator(parzen.Gaussian("spherical")).fit(X)


def test_the_cheat_sheet_counts_the_parameters_of_each_model():
    said = {}
    for line in (DOCS / "cheatsheet.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"^`([^`]+)`", cells[0])
        if names and len(cells) > 3 and cells[2].count("$") == 2:
            said[names[0]] = cells[2].strip("$")
    for name, model in counted():
        product = re.sub(r"(?<=[\w)])\s*(?=[A-Za-z(])", "*", said[name].replace(" - ", "-").replace(" + ", "+"))
        assert model.n_parameters_ == eval(product, {"K": 3, "d": 4, "S": 3}), name  # "Kd(S-1)" is K*d*(S-1)
