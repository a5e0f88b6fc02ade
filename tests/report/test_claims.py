"""Every sentence and number of a report is a claim: each is computed again, from the table alone."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from parzen.cli.examples import example
from parzen.report.column_density import modes
from parzen.report.columns import describe
from parzen.report.dependence import Values, dependence, interval, strength
from parzen.report.histogram import histogram, spacing
from parzen.report.intervals import bounded_mean, mean_interval, observed, proportion
from parzen.report.mixture import mixture
from parzen.report.phrases import figure, share
from parzen.report.summary import _sampled
from parzen.report.target import _described
from parzen.report.task import decision_of, prediction_task
from parzen.tables.features import column_kinds, parse_dates
from parzen.tables.kinds import Column


def made():
    rng = np.random.default_rng(3)
    n = 300
    return pd.DataFrame(
        {
            "year": rng.integers(1990, 2024, n),
            "day": pd.Timestamp("2009-03-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
            "age": np.where(rng.random(n) < 0.4, np.nan, rng.integers(0, 90, n)),
            "price": np.append(rng.lognormal(9, 1, n - 1).round(2), 99999.0),
            "offset": 1e8 + rng.normal(size=n),
            "rare": np.where(rng.random(n) < 0.003, "b", "a"),
            "two": np.tile(["x", "y"], n // 2),
            "many": rng.choice([f"w{i}" for i in range(250)], n),
            "zero": np.where(rng.random(n) < 0.8, 0.0, rng.exponential(2, n)),
            "infinite": np.where(rng.random(n) < 0.1, np.inf, rng.normal(size=n)),
        }
    )


TABLES = {
    name: lambda name=name: example(name)[0].sample(n=250, replace=True, random_state=0).reset_index(drop=True)
    for name in (
        "adult",
        "breast_cancer",
        "heart_disease",
        "house_votes",
        "iris",
        "mushroom",
        "spambase",
        "toronto_temperatures",
        "wine",
    )
} | {"made": made}


@pytest.fixture(scope="module", params=list(TABLES))
def columns(request):
    frame = parse_dates(TABLES[request.param]())
    frame = frame.iloc[:, :14]
    return frame, describe(frame, {name: Column(frame[name]) for name in frame}, np.random.default_rng(0))


def finite(values):
    values = values[values.notna()]
    return values[np.isfinite(values)]


def percent(text):
    return {"under 0.1%": (0, 0.001), "over 99.9%": (0.999, 1)}.get(text) or (
        float(text.rstrip("%")) / 100 - 0.0005001, float(text.rstrip("%")) / 100 + 0.0005001,
    )  # fmt: skip


def test_statistics_and_sentences_about_numbers(columns):
    frame, found = columns
    for one in found:
        if "statistics" not in one or one["kind"] == "date":
            continue
        known = finite(frame[one["name"]].astype(float))
        stated = one["statistics"]
        spread = float(np.ptp(known))
        for name, value in (("minimum", known.min()), ("maximum", known.max())):
            assert stated[name] == pytest.approx(value, abs=max(1e-4 * spread, 1e-12)), one["name"]
            if value == int(value):
                assert stated[name] == value
        quartiles = [float(q.replace(",", "")) for q in
                     re.search(r"quartiles are (\S+), (\S+) and (\S+?)\.(?: |$)", one["finding"]).groups()]  # fmt: skip
        assert quartiles == pytest.approx(np.quantile(known, [0.25, 0.5, 0.75]), abs=max(1e-4 * spread, 1e-12))
        low, value, high = (stated["mean"][name] for name in ("low", "value", "high"))
        assert low <= value <= high
        assert value == pytest.approx(known.mean(), abs=0.02 * (high - low) + 1e-9 * abs(value))
        assert low >= 0 or known.min() < 0
        most = re.search(r"The most frequent value is (\S+) \(([^)]*)\)", one["finding"])
        if most:
            counts = known.value_counts()
            assert float(most.group(1).replace(",", "")) == pytest.approx(counts.index[0], abs=1e-4 * spread)
            assert (counts == counts.iloc[0]).sum() == 1
            low, high = percent(most.group(2))
            assert low <= counts.iloc[0] / len(known) <= high


def test_sentences_about_categories_and_missing_values(columns):
    frame, found = columns
    for one in found:
        values = frame[one["name"]]
        missing = re.search(r"(\S+%|under 0.1%|over 99.9%) of its values are missing", one["finding"])
        assert (missing is not None) == (values.isna().any() and one["kind"] != "empty")
        if missing:
            low, high = percent(missing.group(1))
            assert low <= values.isna().mean() <= high
        if "frequencies" in one:
            counts = values.dropna().astype(str).value_counts()
            most = re.search(r"most frequent of (\d+) values is “(.*)”, with (.*) of the known", one["finding"])
            if most:
                assert int(most.group(1)) == values.nunique()
                assert counts.iloc[0] > counts.iloc[1]
                low, high = percent(most.group(3))
                assert low <= counts.iloc[0] / counts.sum() <= high
            else:
                assert counts.iloc[0] == counts.iloc[1]
        if one["kind"] == "identifier":
            assert ("occurs once" in one["finding"]) == (values.nunique() == values.notna().sum())


def test_dates_are_given_as_dates():
    frame = made()[["day"]]
    (one,) = describe(frame, {"day": Column(frame["day"])}, np.random.default_rng(0))
    assert one["dates"]["minimum"] == str(frame["day"].min().date())
    assert one["dates"]["maximum"] == str(frame["day"].max().date())
    assert one["dates"]["mean"] == str(frame["day"].mean().date())
    assert one["dates"]["quartiles"][1] == str(frame["day"].quantile(0.5).date())
    assert "2009" in one["finding"]


def test_the_greatest_value_is_the_greatest_value():
    assert observed(99_999.0, 99_999.0) == 99_999.0
    assert figure(observed(99_999.0, 99_999.0)) == "99,999"
    assert figure(observed(53_584_912.37, 5e7)) == "53,584,912.37"
    assert figure(2010.0) == "2010"


@pytest.mark.parametrize("step", [1.0, 0.1, 0.5, 5.0])
def test_bins_hold_equally_many_of_the_values_that_occur(step):
    rng = np.random.default_rng(0)
    values = step * rng.integers(0, 97, 20_000)
    assert spacing(values) == pytest.approx(step)
    bins = histogram(values, values.min(), values.max())
    # Uniform values: the heights of all bins agree, however many values each of them holds.
    assert bins.heights.max() / bins.heights.min() < 1.3
    assert (bins.heights * np.diff(bins.edges)).sum() == pytest.approx(1.0)


def test_values_without_a_step_have_bins_of_their_range(rng):
    for values in (rng.normal(size=500), 1e-7 * rng.normal(size=500), 1e8 + rng.normal(size=500)):
        bins = histogram(values, values.min(), values.max())
        assert bins.step is None
        assert bins.edges[[0, -1]] == pytest.approx([values.min(), values.max()])


def test_modes_are_counted_where_sampling_error_allows():
    x = np.linspace(-4, 12, 400)
    two = np.exp(-0.5 * x**2) + np.exp(-0.5 * (x - 8) ** 2)
    assert modes(two / two.sum() / (x[1] - x[0]), 500, 0.4) == {"all": 2, "clear": 2}
    ripple = np.exp(-0.5 * (x / 3) ** 2) * (1 + 0.02 * np.cos(9 * x))
    found = modes(ripple / ripple.sum() / (x[1] - x[0]), 100, 0.2)
    assert found["clear"] == 1
    assert found["all"] == 5


# Intervals ------------------------------------------------------------------------------------------------------------


def test_intervals_of_losses_hold_the_estimate_and_are_not_negative():
    rng = np.random.default_rng(0)
    one_wrong = np.append(np.full(59, 1e-4), 9.0)  # the normal interval of this mean begins at -0.15
    for losses in (one_wrong, rng.exponential(size=30) ** 3, np.zeros(20), np.full(5, 0.3)):
        found = bounded_mean(losses)
        assert found["low"] is None or 0 <= found["low"] <= found["value"] <= found["high"]
    errors = bounded_mean(np.zeros(50), 0.0, 1.0)
    assert errors == {name: pytest.approx(value, abs=1e-3) for name, value in proportion(0, 50).items()}
    gains = bounded_mean(np.array([-1.0, -0.5, 0.0, 0.0]), -1.0, 0.0)
    assert -1 <= gains["low"] <= gains["value"] <= gains["high"] <= 0


@pytest.mark.parametrize("overconfidence", [1.0, 3.0])
def test_intervals_of_the_log_loss_hold_it_as_often_as_they_say(overconfidence):
    rng = np.random.default_rng(0)

    def losses(n):
        z = rng.normal(0, 2, n)
        right = rng.random(n) < expit(z)
        return np.logaddexp(0, np.where(right, -1, 1) * overconfidence * z)

    true, inside = losses(2_000_000).mean(), 0
    for _ in range(400):
        found = bounded_mean(losses(120))
        inside += found["low"] <= true <= found["high"]
    assert inside >= 0.925 * 400  # 0.95 less what chance takes away


def test_means_far_from_zero_keep_the_digits_of_their_intervals(rng):
    found = mean_interval(1e8 + rng.normal(size=200))
    assert found["low"] < found["value"] < found["high"]


def test_intervals_of_dependence_hold_the_estimate(rng):
    numbers, codes = rng.normal(size=200), rng.integers(0, 8, 200).astype(float)
    pairs = [
        (Values(numbers, True), Values(rng.normal(size=200), True)),
        (Values(numbers, True), Values(codes, False)),
        (Values(rng.integers(0, 9, 200).astype(float), False), Values(codes, False)),
        (Values(numbers, True), Values((numbers > 0).astype(float), False)),
    ]
    for one, other in pairs:
        low, high = interval(one, other, rng)
        assert 0 <= low <= strength(one, other) <= high <= 1


def test_columns_that_do_not_depend_on_each_other_are_not_said_to():
    said = 0
    for seed in range(20):
        frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(60, 8)))
        frame.columns = frame.columns.map(str)
        found = dependence(frame, column_kinds(frame), np.random.default_rng(0))
        said += "depend on each other most" in found["finding"]
    assert said <= 3  # 1 in 20 by chance; without a correction for 28 pairs it would be 15


def test_columns_that_depend_on_each_other_are_named(rng):
    x = rng.normal(size=200)
    frame = pd.DataFrame({"a": x, "b": rng.normal(size=200), "c": x**3})
    assert dependence(frame, column_kinds(frame), rng)["finding"].startswith("“a” and “c” depend on each other most")


def test_the_tree_of_columns_leads_away_from_the_target_and_has_no_edge_for_chance():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 500)
    b = np.where(rng.random(500) < 0.9, a, 1 - a)
    frame = pd.DataFrame({"a": a, "b": b, "x": 2.0 * b + 0.5 * rng.normal(size=500), "alone": rng.integers(0, 3, 500)})
    frame = frame.astype({"a": str, "b": str, "alone": str})
    found = dependence(frame, column_kinds(frame), rng, "x")["tree"]
    nodes = {one["name"]: one for one in found["nodes"]}
    names = [one["name"] for one in found["nodes"]]
    above = {name: None if one["parent"] is None else names[one["parent"]] for name, one in nodes.items()}
    assert above == {"x": None, "b": "x", "a": "b"}
    shown = nodes["a"]["table"]
    assert (shown["given"], shown["states"]) == (["0", "1"], ["0", "1"])
    share = ((a == 1) & (b == 1)).sum() + 1
    assert shown["shares"][1][1] == pytest.approx(share / ((b == 1).sum() + 2), abs=0.005)
    noise = pd.DataFrame(rng.integers(0, 4, (300, 5)).astype(str), columns=list("abcde"))
    assert dependence(noise, column_kinds(noise), rng)["tree"] is None


# Samples, and what was tried ------------------------------------------------------------------------------------------


def test_rows_without_values_are_not_said_to_be_drawn_at_random(rng):
    frame = pd.DataFrame({"age": np.where(rng.random(400) < 0.4, np.nan, rng.normal(40, 12, 400))})
    found = mixture(frame, {"age": "continuous"}, rng)
    assert (found["rows"], found["drawn"]) == (frame["age"].notna().sum(), 400)
    (note,) = _sampled({"mixture": found}, 400)
    assert note == f"The mixture: {frame['age'].isna().sum()} rows without values in the numeric columns are left out."
    large = _sampled({"mixture": {"rows": 900, "drawn": 1000, "columns": [3, 5]}}, 2000)
    assert large[0] == "The mixture: 1,000 of 2,000 rows were drawn at random."
    assert large[2] == "The mixture: the first 3 of 5 columns are used."


def test_the_most_components_that_were_tried_are_not_said_to_be_all():
    rng = np.random.default_rng(0)
    centres = 9.0 * np.arange(8)
    frame = pd.DataFrame({"x": np.repeat(centres, 40) + rng.normal(size=320)})
    found = mixture(frame, {"x": "continuous"}, rng)
    assert len(found["components"]) == found["most_tried"] == 6
    assert "More than 6 were not tried" in found["finding"]
    two = mixture(frame[frame["x"] < 14], {"x": "continuous"}, rng)
    assert "not tried" not in two["finding"]


def test_class_counts_are_those_of_the_table_not_of_a_sample(rng, monkeypatch):
    monkeypatch.setattr("parzen.report.task.ROWS", 100)
    frame = pd.DataFrame({"x": rng.normal(size=400), "y": rng.choice(["a", "b", None], 400, p=[0.6, 0.3, 0.1])})
    task = prediction_task(frame, {"x": "continuous", "y": "categorical"}, "y", None, rng, [])
    found = _described(frame["y"], task, None, decision_of(None, task.classes), False)
    counts = frame["y"].value_counts()
    assert {one["name"]: one["rows"] for one in found["classes"]} == counts.to_dict()
    assert sum(one["rows_in_models"] for one in found["classes"]) == found["rows"] == 100
    assert found["classes"][0]["prior"]["value"] == pytest.approx(counts["a"] / counts.sum(), rel=1e-3)


def test_percentages_are_none_or_all_only_where_they_are():
    assert [share(n, 10_000) for n in (0, 1, 9_999, 10_000)] == ["0%", "under 0.1%", "over 99.9%", "100%"]
