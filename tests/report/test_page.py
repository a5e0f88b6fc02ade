"""The page: folded sections under a verdict, axes whose marks differ, tables that fit, nothing said about noise."""

import re

import numpy as np
import pandas as pd
import pytest

from parzen.report import page
from parzen.report.class_outliers import class_outliers
from parzen.report.columns import describe
from parzen.report.markup import table
from parzen.report.mixture import mixture
from parzen.report.target import region_columns
from parzen.report.verdict import informed, verdict
from parzen.tables.kinds import Column
from tests.report.test_report import browser


def of_columns(frame, **parts):
    """A summary of a table's columns, and of what else is given."""
    columns = describe(frame, {name: Column(frame[name]) for name in frame}, np.random.default_rng(0))
    out = {"report": 1, "name": "t", "rows": len(frame), "n_columns": frame.shape[1], "notes": [], "parzen": "0"}
    out |= {"columns": columns, **parts}
    return out | {"verdict": verdict(out)}


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "year": rng.integers(2005, 2016, n),
            "near": 2010 + 0.3 * rng.normal(size=n),
            "day": pd.Timestamp("2009-03-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
            "hour": pd.Timestamp("2020-05-01") + pd.to_timedelta(rng.integers(0, 2000, n), "min"),
            "kids": rng.poisson(1.5, n),
            "offset": 1e8 + rng.normal(size=n),
            "tiny": 1e-7 * rng.normal(size=n),
            "large": rng.lognormal(18, 2, n),
        }
    )
    two = pd.DataFrame({"a": np.repeat([0.0, 9.0], 100) + rng.normal(size=n), "b": rng.normal(size=n)})
    two.loc[0] = [300.0, -50.0]
    mixed = mixture(two, {"a": "continuous", "b": "continuous"}, rng)
    return of_columns(frame, mixture=mixed)


def information(*intervals):
    return [
        {
            "column": f"c{i}",
            "information": {"value": (a + b) / 2, "low": a, "high": b},
            "by_class": [],
            "most_about": "x",
        }
        for i, (a, b) in enumerate(intervals)
    ]


def test_a_verdict_comes_first_and_sections_are_folded(made):
    text = page(made)
    assert text.index("In short") < text.index("<details>")
    assert all(sentence in text for sentence in made["verdict"])
    assert text.count("<details>") == 2
    assert text.count("<summary>") == text.count("</details>") == 2
    # A link's anchor is inside of its section, which a browser then unfolds without a script; paper shows all.
    assert re.search(r'</summary><section id="columns">', text)
    assert "details::details-content" in text.split("@media print")[1]


def test_the_whole_page_is_from_the_summary_alone_also_how_columns_were_read(made):
    assert "read as" not in page(made)
    more = made | {"columns": [made["columns"][0] | {"read_as": "read as <b>whole</b> numbers"}]}
    assert "read as &lt;b&gt;whole&lt;/b&gt; numbers" in page(more)


def test_nothing_is_said_about_columns_whose_interval_holds_zero():
    some = {"information": information((0.1, 0.3), (-0.01, 0.2), (-0.4, -0.1))}
    assert informed(some).startswith("“c0” is the most informative column alone")
    assert "No other clearly is" in informed(some)
    none = {"information": information((-0.01, 0.2), (-0.4, -0.1))}
    assert "No column alone is clearly informative" in informed(none)
    summary = of_columns(pd.DataFrame({"x": np.arange(9) % 4}), information=some["information"])
    section = page(summary).split('<section id="information">')[1].split("</section>")[0]
    assert "<td>c0</td>" in section
    assert "<td>c1</td>" not in section
    assert "Not clearly informative alone: “c1” and “c2”." in section
    assert "No decision regions are drawn" in section


def test_decision_regions_are_drawn_over_columns_that_tell_about_the_class(rng):
    X = pd.DataFrame({"c0": rng.normal(size=60), "c1": rng.normal(size=60), "c2": rng.normal(size=60)})
    assert region_columns(X, information((0.1, 0.3), (0.02, 0.1), (-0.1, 0.2)), ["c0", "c1", "c2"]) == ["c0", "c1"]
    assert region_columns(X, information((0.1, 0.3), (-0.02, 0.1), (-0.1, 0.2)), ["c0", "c1", "c2"]) is None
    assert region_columns(X, information((0.1, 0.3), (0.02, 0.1), (-0.1, 0.2)), ["c0", "c2"]) is None


def test_rows_unlike_every_class_have_a_reason(rng):
    n = 200
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "colour": rng.choice(["red", "green"], n)})
    frame.loc[7, "b"] = 25.0
    codes = rng.integers(0, 2, n)
    found = class_outliers(frame, frame, codes, list(range(n)), ["no", "yes"])
    worst = found["worst"][0]
    assert (worst["row"], worst["flagged"]) == (7, True)
    assert worst["contributions"][0]["column"] == "b"
    assert worst["cells"]["b"] == 25.0
    text = page(of_columns(frame, class_outliers=found))
    assert "b = 25" in text.split('<section id="class-outliers">')[1]


def test_cells_of_a_stacked_table_carry_their_heads():
    rows = [["naive Bayes", "1", "2", "3"]]
    assert table(["model", "<b>", "b", "c"], rows).count('data-label="&lt;b&gt;"') == 1
    assert "data-label" not in table(["model", "a"], [["naive Bayes", "1"]])


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)

    def one(name, loss):
        found = {"value": loss, "low": 0.8 * loss, "high": 1.2 * loss}
        names = ("brier_score", "calibration_error", "cost")
        scores = {name: {"value": 0.2, "low": 0.1, "high": 0.3} for name in names}
        return {"name": name, "kind": "generative", "accuracy": {"value": 0.8, "low": 0.7, "high": 0.9},
                "log_loss": found, "fit_seconds": 0.1, **scores}  # fmt: skip

    classes = [{"name": name, "rows": 10, "rows_in_models": 10, "prior": {"value": 0.5, "low": 0.3, "high": 0.7}}
               for name in ("a", "b")]  # fmt: skip
    frame = pd.DataFrame({"x": rng.normal(size=20)})
    return of_columns(
        frame,
        target={"name": "y", "text": None, "classes": classes, "loss_given": False, "rows": 20},
        models=[one("first", 0.3), one("second", 0.5), one("far", 325.0)],
        best="first", models_finding="“first” has the lowest log loss.", gain={"value": 0.3, "low": 0.1, "high": 0.5},
        calibration={"first": []}, threshold=None,
        confusion={"model": "first", "counts": [[9, 1], [1, 9]], "classes": ["a", "b"]},
    )  # fmt: skip


MARKS = """return [...document.querySelectorAll('[data-chart=density]')].map((chart) => {
  const texts = [...chart.querySelectorAll('svg text')];
  const at = (anchor) => texts.filter((one) => one.getAttribute('text-anchor') === anchor);
  const own = (anchor) => at(anchor).map((one) => one.textContent);
  return [own('middle'), own('end')];
});"""
INSIDE = """const out = [];
document.querySelectorAll('details').forEach((one) => { one.open = true; });
document.querySelectorAll('[data-chart] svg').forEach((svg) => {
  const box = svg.getBoundingClientRect();
  svg.querySelectorAll('text').forEach((text) => {
    const own = text.getBoundingClientRect();
    if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1)
      out.push(text.textContent);
  });
});
return out;"""


@pytest.mark.parametrize("width", [1200, 500])
def test_charts_in_a_browser(made, models, tmp_path, width):
    window = browser(width)
    try:
        ask = window.execute_script
        (tmp_path / "made.html").write_text(page(made))
        window.get((tmp_path / "made.html").as_uri())
        assert ask("return [...document.querySelectorAll('details')].map((one) => one.open)") == [False, False]
        marks = dict(zip([one["name"] for one in made["columns"]], ask(MARKS), strict=True))
        for name, (across, up) in marks.items():
            assert len(across) >= 2, name
            assert len(set(across)) == len(across), (name, across)
            assert len(set(up)) == len(up), (name, up)
        assert all(re.fullmatch(r"20\d\d", text) for text in marks["year"][0])
        assert all(re.fullmatch(r"\d+", text) for text in marks["kids"][0])
        assert all(re.fullmatch(r"20\d\d(-\d\d)?", text) for text in marks["day"][0])
        assert all(re.fullmatch(r"\d\d-\d\d \d\d:\d\d|2020-05-\d\d", text) for text in marks["hour"][0])
        # All fits of the mixture are in the chart, and nothing is drawn over the axes.
        assert ask("return document.querySelectorAll('[data-chart=bic] circle').length") == 12 + 1
        assert ask(
            "return [...document.querySelectorAll('[data-chart=mixture] path')].every((one) => one.closest('g'))"
        )
        assert ask(INSIDE) == []
        (tmp_path / "models.html").write_text(page(models))
        window.get((tmp_path / "models.html").as_uri())
        # One model far off: a log scale, which says so, and the others keep apart.
        assert "log scale" in ask("return document.querySelector('[data-chart=models] svg').textContent")
        places = ask(
            "return [...document.querySelectorAll('[data-chart=models] circle')]"
            ".map((one) => Number(one.getAttribute('cx')))"
        )
        assert places[1] - places[0] > 10
        hidden = ask(
            "return [...document.querySelectorAll('.scroll')]"
            ".filter((one) => one.scrollWidth > one.clientWidth + 1).length"
        )
        assert hidden == 0
        assert [entry for entry in window.get_log("browser") if entry["level"] == "SEVERE"] == []
        printed = window.print_page() if hasattr(window, "print_page") else ""
        assert len(printed) > 10_000
    finally:
        window.quit()


def test_folded_sections_are_printed(made, tmp_path):
    window = browser(1200)
    try:
        (tmp_path / "made.html").write_text(
            page(made).replace("beforeprint", "never")
        )  # also without the script's help
        window.get((tmp_path / "made.html").as_uri())
        shown = "return document.getElementById('columns').checkVisibility()"
        assert not window.execute_script(shown)
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert window.execute_script(shown)
    finally:
        window.quit()
