"""Reports: the summary is right and is all there is; the page escapes, opens alone, and works in a browser."""

import copy
import html
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from parzen import score_probabilities
from parzen.report import ReportError, page, summarise
from parzen.report.columns import describe
from parzen.report.dependence import Values, cramers_v, strength
from parzen.tables.kinds import Column
from tests.libraries import polars as pl

EVIL = "</script><script>document.title='broken'</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def frame():
    data = load_breast_cancer(as_frame=True)
    table = data.frame.iloc[::2, [0, 1, 4, 6, 30]].copy()
    table["diagnosis"] = data.target_names[table.pop("target")]
    table[f"grade {EVIL}"] = np.where(table["mean texture"] > 20, EVIL, "fine & <b>bold</b>")
    table.loc[::17, "mean texture"] = np.nan
    return table


@pytest.fixture(scope="module")
def summary(frame):
    return summarise(frame, "diagnosis", loss=[[0, 1], [5, 0]], name=f"cells {EVIL}")


@pytest.fixture(scope="module")
def plain():
    return summarise(load_iris(as_frame=True).frame.drop(columns="target"), name="iris")


def test_kinds_of_columns():
    n = 100
    for values, kind in (
        (np.arange(n), "identifier"),
        (np.linspace(0, 1, n), "continuous"),
        ([0, 1, 1, 2, 3] * 20, "count"),
        ([1, 0] * 50, "binary"),
        ([True, False] * 50, "binary"),
        (["a", "b", "c", "d"] * 25, "categorical"),
        (pd.Categorical(["a", "b", "c", "d"] * 25, ordered=True), "ordinal"),
        ([f"row {i}" for i in range(n)], "identifier"),
        ([f"this is a whole sentence {i}" for i in range(n)], "text"),
        ([3.0] * n, "constant"),
        ([None] * n, "empty"),
        (pd.date_range("2020-01-01", periods=n), "date"),
    ):
        assert Column(pd.Series(values)).role == kind, kind


def test_the_summary_is_json_and_the_page_is_drawn_from_it_alone(summary, plain):
    for one in (summary, plain):
        again = json.loads(json.dumps(one, allow_nan=False))
        assert again == one
        assert page(again) == page(one)


def test_numbers_of_the_summary(frame, summary):
    first = summary["columns"][0]
    values = frame["mean radius"]
    assert first["statistics"]["mean"]["value"] == pytest.approx(values.mean(), rel=1e-3)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert first["statistics"]["mean"]["low"] == pytest.approx(values.mean() - half, rel=1e-3)
    grid, curve = (np.array(first["density"][key]) for key in ("grid", "curves"))
    own = first["density"]["factors"].index(1.0)
    assert (curve[own] * np.gradient(grid)).sum() == pytest.approx(1.0, abs=0.02)
    assert summary["columns"][1]["missing"] == int(frame["mean texture"].isna().sum())
    classes = {one["name"]: one["rows"] for one in summary["target"]["classes"]}
    assert classes == frame["diagnosis"].value_counts().to_dict()
    accuracy = {one["name"]: one["accuracy"]["value"] for one in summary["models"]}
    benign = float((frame["diagnosis"] == "benign").mean())
    assert accuracy["class prior"] == pytest.approx(benign, abs=1e-3)
    assert all(value > 0.88 for name, value in accuracy.items() if name != "class prior")
    assert {"naive Bayes", "linear discriminant", "quadratic discriminant", "mixture discriminant", "kernel Bayes",
            "logistic, linear", "logistic, quadratic"} < set(accuracy)  # fmt: skip
    for one in summary["models"]:
        for measure in ("accuracy", "log_loss", "brier_score", "cost"):
            assert one[measure]["low"] <= one[measure]["value"] <= one[measure]["high"]
    # The slider begins where the loss says: decide for the second class from 5 / 6 on.
    assert summary["threshold"]["best"] == pytest.approx(5 / 6, abs=1e-3)
    assert np.sum(summary["confusion"]["counts"]) == len(frame)
    shares = np.tile([benign, 1 - benign], (len(frame), 1))
    reference = next(one for one in summary["models"] if one["kind"] == "reference")
    expected = score_probabilities(frame["diagnosis"], shares, ["benign", "malignant"])
    assert reference["brier_score"]["value"] == pytest.approx(expected.brier().score, rel=1e-3)
    assert reference["log_loss"]["value"] == pytest.approx(expected.mean_log_loss, rel=1e-3)
    found = summary["threshold"]
    assert found["true_positives"][0] == found["class_rows"][1]
    assert (np.diff(found["true_positives"]) <= 0).all()


SIZES = ["worst perimeter", "worst radius", "worst area"]  # three names for one quantity


@pytest.fixture(scope="module")
def sizes():
    return load_breast_cancer(as_frame=True).frame[[*SIZES, "worst concavity", "target"]].iloc[::3]


@pytest.fixture(scope="module")
def summary_of_sizes(sizes):
    return summarise(sizes, "target")


def test_summaries_repeat(sizes, summary_of_sizes):
    first, second = copy.deepcopy(summary_of_sizes), summarise(sizes, "target")
    for one in (first, second):
        for model in one["models"]:
            model.pop("fit_seconds")
    assert first == second


def test_strengths_of_dependence(rng):
    x = rng.normal(size=2000)
    codes = (x > 0).astype(float)
    assert strength(Values(x, True), Values(x**3, True)) == pytest.approx(1.0)
    assert strength(Values(x, True), Values(rng.normal(size=2000), True)) < 0.07
    assert strength(Values(codes, False), Values(codes, False)) == pytest.approx(1.0, abs=1e-3)
    assert strength(Values(codes, False), Values(x, True)) == pytest.approx(np.sqrt(0.75), abs=0.01)
    assert cramers_v(rng.integers(0, 4, 2000), rng.integers(0, 3, 2000)) < 0.06
    assert strength(Values(np.full(5, np.nan), True), Values(x[:5], True)) == 0.0


def test_two_clusters_and_an_outlier():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(np.concatenate([rng.normal(0, 1, (150, 2)), rng.normal(8, 1, (150, 2))]), columns=["a", "b"])
    table.loc[300] = [40.0, -35.0]
    found = summarise(table)
    assert "3 components" in found["mixture"]["finding"] or "2 components" in found["mixture"]["finding"]
    assert found["outliers"]["flagged"] >= 1
    assert found["outliers"]["worst"][0]["row"] == 300
    assert {one["column"] for one in found["outliers"]["worst"][0]["contributions"]} <= {"a", "b"}


def test_words():
    rng = np.random.default_rng(0)
    texts = [("win cash prize now " if spam else "see you at home ") + " ".join(rng.choice(list("abcdefgh"), 3))
             for spam in rng.random(200) < 0.4]  # fmt: skip
    table = pd.DataFrame({"text": texts, "kind": ["spam" if "win" in text else "ham" for text in texts]})
    found = summarise(table, "kind", text="text")
    assert found["models"][0]["accuracy"]["value"] > 0.95
    assert {one["word"] for one in found["words"][1]["words"][:4]} == {"win", "cash", "prize", "now"}
    assert "words" in page(found)


def test_other_tables(short_report):
    table = pl.DataFrame(
        {"x": np.arange(60) % 7, "day": [f"2020-01-{i % 28 + 1:02d}" for i in range(60)], "y": ["a", "b"] * 30}
    )
    found = summarise(table, "y")
    assert [one["kind"] for one in found["columns"]] == ["count", "date", "binary"]
    constant = pd.DataFrame({"x": [1.0] * 30, "e": [None] * 30, "y": ["a", "b"] * 15})
    with pytest.raises(ReportError, match="no column is left"):
        summarise(constant, "y")
    assert page(summarise(constant))
    rare = pd.DataFrame({"x": np.arange(40) % 9, "y": ["a"] * 20 + ["b"] * 18 + ["c"] * 2})
    assert any("fewer than 5 rows" in note for note in summarise(rare, "y")["notes"])
    three = summarise(load_iris(as_frame=True).frame.iloc[::3, 2:], "target")
    assert three["threshold"] is None
    assert [one["name"] for one in three["target"]["classes"]] == ["0", "1", "2"]
    for wrong, message in (
        (pd.DataFrame(), "no rows"),
        (np.eye(3), "pandas or polars"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns"),
    ):
        with pytest.raises(ReportError, match=message):
            summarise(wrong)
    with pytest.raises(ReportError, match="the loss must have 2 rows"):
        summarise(rare[:38], "y", loss=np.eye(3))


def test_missing_categories_leave_no_model_out(rng):
    colour = rng.choice(["red", "green", "blue", None], 200)
    since = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, 200), "D")
    table = pd.DataFrame({"colour": colour, "since": since, "y": np.where(colour == "red", "a", "b")})
    table.loc[::9, "y"] = "a"
    found = summarise(table, "y")
    assert found["notes"] == []
    assert {"logistic, linear", "logistic, quadratic"} < {one["name"] for one in found["models"]}
    quartile = pd.Series(since).quantile(0.25).date()
    assert f"The quartiles are {quartile}" in found["columns"][1]["finding"]


def test_hard_columns(rng):
    table = pd.DataFrame(
        {
            "offset": 1e8 + rng.normal(size=200),
            "huge": rng.normal(size=200) * 1e200,
            "infinite": np.where(rng.random(200) < 0.05, np.inf, rng.normal(size=200)),
            "heavy": rng.standard_cauchy(200) ** 3,
            "gaps": np.where(rng.random(200) < 0.95, np.nan, 1.5),
            "few": rng.choice([0.0, 1.0, 2.0], 200),
            "y": rng.choice(["a", "b"], 200),
        }
    )
    found = summarise(table, "y")
    assert found["models"]
    json.dumps(found, allow_nan=False)


def test_whole_numbers_have_a_density_that_is_one(rng):
    values = np.where(rng.random(1000) < 0.5, 40, rng.integers(1, 99, 1000))
    frame = pd.DataFrame({"hours": values})
    found = describe(frame, {"hours": Column(frame["hours"])}, rng)[0]["density"]
    grid, curves = np.array(found["grid"]), np.array(found["curves"], dtype=float)
    for curve in curves[: found["factors"].index(1.0) + 1]:
        assert (curve * np.gradient(grid)).sum() == pytest.approx(1.0, abs=0.03)
    assert grid[curves[found["factors"].index(1.0)].argmax()] == pytest.approx(40, abs=0.5)


def test_columns_of_zeros_hide_no_clusters(rng):
    gains = np.where(rng.random(600) < 0.9, 0.0, rng.exponential(5000, 600))
    table = pd.DataFrame({"a": np.repeat([0.0, 9.0], 300) + rng.normal(size=600), "gain": gains})
    found = summarise(table)["mixture"]
    assert len(found["components"]) > 1
    assert sum(one["bic"] is not None for one in found["criterion"]) > 4


def test_targets_that_are_numbers_stay_apart(short_report):
    table = pd.DataFrame({"x": np.arange(60) % 7, "y": [1234561.0, 1234562.0, 2000000.0] * 20})
    assert [one["rows"] for one in summarise(table, "y")["target"]["classes"]] == [20, 20, 20]


def test_regions_are_of_columns_that_differ(sizes, summary_of_sizes):
    assert (sizes[SIZES].corr("spearman") > 0.9).all(axis=None)
    found = summary_of_sizes["regions"]["columns"]
    assert abs(sizes[found].corr("spearman").iloc[0, 1]) < 0.9
    assert found[0] in SIZES


@pytest.mark.parametrize("informative", [False, True])
def test_a_report_states_that_no_model_beats_the_class_frequencies(informative, rng, short_report):
    x, y = np.tile(rng.normal(size=40), 2), np.repeat(["a", "b"], 40)  # the same values in both classes
    found = summarise(pd.DataFrame({"x": x + 3 * informative * (y == "b"), "y": y}), "y")
    best = min(one["log_loss"]["value"] for one in found["models"] if one["kind"] != "reference")
    reference = next(one["log_loss"]["value"] for one in found["models"] if one["kind"] == "reference")
    assert (best < reference) == informative
    assert ("No model has a lower log loss than the class prior" in found["models_finding"]) == (not informative)


# The page ------------------------------------------------------------------------------------------------------------


def test_text_from_data_is_never_markup(summary):
    text = page(summary)
    assert EVIL not in text
    assert html.escape(EVIL) in text
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "<b>" not in text
    data = re.search(r"<script type='application/json' id='data'>(.*?)</script>", text, re.DOTALL).group(1)
    assert json.loads(data) == summary


def test_the_page_needs_nothing_else(summary, plain):
    for one in (summary, plain):
        text = page(one)
        assert "default-src 'none'" in html.unescape(text)
        assert not re.search(r"(src|href)=[\"'](?!#)", text)
        assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", text)
        assert "@media print" in text
        assert "prefers-color-scheme: dark" in text


def browser(width):
    pytest.importorskip("selenium")
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no Chromium here")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for one in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--window-size={width},900",
    ):
        options.add_argument(one)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


@pytest.mark.parametrize("width", [1200, 500])
def test_in_a_browser(summary, plain, tmp_path, width):
    window = browser(width)
    try:
        for name, one in (("with", summary), ("without", plain)):
            path = tmp_path / f"{name}.html"
            path.write_text(page(one))
            window.get(path.as_uri())
            ask = window.execute_script
            assert ask("return document.documentElement.dataset.drawn") == "yes"
            assert "broken" not in window.title.replace(EVIL, "")
            charts = ask(
                "return [...document.querySelectorAll('[data-chart]')].map(e => e.querySelectorAll('svg').length)"
            )
            assert charts
            assert min(charts) >= 1
            assert ask("return document.documentElement.scrollWidth") <= ask("return window.innerWidth")
            # A slider of a bandwidth redraws its curve.
            before = ask("return document.querySelector('[data-chart=density] path').getAttribute('d')")
            ask("const s = document.querySelector('[data-chart=density] input'); s.value = 0;"
                "s.dispatchEvent(new Event('input'));")  # fmt: skip
            assert ask("return document.querySelector('[data-chart=density] path').getAttribute('d')") != before
            colour = "return getComputedStyle(document.body).backgroundColor"
            day = ask(colour)
            ask("document.getElementById('theme').click()")
            assert ask(colour) != day
            assert [entry for entry in window.get_log("browser") if entry["level"] == "SEVERE"] == []
        window.get((tmp_path / "with.html").as_uri())
        cost = "return document.getElementById('threshold-cost').textContent"
        first = ask(cost)
        ask("const s = document.getElementById('threshold-slider'); s.value = 10; s.dispatchEvent(new Event('input'));")
        assert ask(cost) != first
        cells = "[...document.querySelectorAll('#threshold-table td')].map(e => Number(e.textContent.replace(',', '')))"
        shown = ask(f"return {cells}")
        found = summary["threshold"]
        assert shown[1] == found["class_rows"][0] - found["false_positives"][10]
        assert shown[5] == found["true_positives"][10]
        expected = (5 * found["false_positives"][10] + found["class_rows"][1] - found["true_positives"][10]) / sum(
            found["class_rows"]
        )
        assert float(re.search(r"10%: cost per row ([\d.]+)", ask(cost)).group(1)) == pytest.approx(expected, rel=1e-3)
        # Costs may be changed, and move the curve along.
        ask(
            "const s = document.getElementById('false-negative-cost'); s.value = 100;"
            "s.dispatchEvent(new Event('input'));"
        )
        assert float(re.search(r"10%: cost per row ([\d.]+)", ask(cost)).group(1)) > expected
        ask("const s = document.getElementById('measure'); s.value = 'accuracy'; s.dispatchEvent(new Event('change'));")
        assert "accuracy" in ask("return document.querySelector('[data-chart=models] svg').textContent")
        dot = "document.querySelector('[data-chart=models] circle')"
        ask(f"{dot}.dispatchEvent(new PointerEvent('pointermove', {{clientX: 50, clientY: 50}}))")
        assert "95% interval" in ask("return document.getElementById('tip').textContent")
    finally:
        window.quit()
