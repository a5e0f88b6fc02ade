"""Bins of numbers, in which a net takes them as categories."""

import numpy as np
import pandas as pd
import pytest

from parzen import BayesNetwork
from parzen.densities.nets.bins import Bins


def test_bins_have_about_equal_counts(rng):
    values = rng.normal(size=1000)
    bins = Bins.of(values, 4)
    np.testing.assert_array_equal(np.bincount(bins.codes(values)), [250, 250, 250, 250])
    assert bins.codes(np.array([-1e300, 1e300])).tolist() == [0, 3]


def test_a_value_that_fills_a_bin_has_its_own():
    values = np.r_[np.zeros(900), np.arange(1, 101)]
    bins = Bins.of(values, 5)
    assert bins.names() == ["up to 0", "0 to 25", "25 to 50", "50 to 75", "above 75"]
    np.testing.assert_array_equal(bins.typical, [0, 13, 38, 63, 88])
    assert Bins.of(np.full(5, 3.0), 4).names() == ["any"]


def test_draws_stay_within_their_bins(rng):
    bins = Bins.of(rng.normal(size=200), 5)
    codes = rng.integers(0, 5, 300)
    np.testing.assert_array_equal(bins.codes(bins.draw(codes, rng)), codes)


@pytest.fixture
def ages(rng):
    age = rng.uniform(20, 80, 500)
    return pd.DataFrame({"age": age, "ill": np.where(rng.random(500) < (age - 20) / 60, "yes", "no")})


def test_a_category_may_depend_on_bins(ages):
    net = BayesNetwork("age -> ill", bins={"age": [40, 60]}, estimate="ml").fit(ages)
    assert net.states("age") == ["up to 40", "40 to 60", "above 60"]
    for value, rows in ((25.0, ages.age <= 40), (40.0, ages.age <= 40), (75.0, ages.age > 60)):
        share = np.mean(ages.ill[rows] == "yes")
        assert net.query("ill", {"age": value})["yes"] == pytest.approx(share)
        assert net.query("ill", do={"age": value})["yes"] == pytest.approx(share)
    table = net.query("age", {"ill": "yes"})
    assert table["above 60"] == pytest.approx(np.mean(ages.age[ages.ill == "yes"] > 60))
    assert net.most_probable({"ill": "yes"}) == {"age": "above 60", "ill": "yes"}
    filled = net.impute(pd.DataFrame({"age": [np.nan], "ill": ["yes"]}))
    assert filled.age[0] == pytest.approx(np.median(ages.age[ages.age > 60]))
    drawn = net.sample(50, random_state=0, given={"age": 70.0})
    assert (drawn.age == 70).all()
    assert net.sample(50, random_state=0, given={"ill": "yes"}).age.between(20, 80).all()


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        (1, "at least 2"),
        ({"ill": 3}, "holds categories"),
        ({"age": [np.inf]}, "finite"),
        ({"other": 3}, "other"),
        (2.5, "whole number"),
        ("many", "'auto'"),
        (True, "whole number"),
    ],
)
def test_bins_that_make_no_sense(ages, bins, said):
    with pytest.raises(ValueError, match=said):
        BayesNetwork("age -> ill", bins=bins).fit(ages)


@pytest.mark.parametrize("count", [3, "auto"])
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(count, rng):
    table = pd.DataFrame({"age": rng.normal(size=200).round(1), "ill": rng.choice(["no", "yes"], 200)})
    times = rng.integers(0, 3, 200)
    one = BayesNetwork("age -> ill", bins=count).fit(table, sample_weight=times)
    other = BayesNetwork("age -> ill", bins=count).fit(table.loc[table.index.repeat(times)])
    for part in ("cuts", "typical", "limits"):
        np.testing.assert_allclose(getattr(one.density_.bins[0], part), getattr(other.density_.bins[0], part))
    np.testing.assert_allclose(one.score_samples(table), other.score_samples(table), rtol=1e-12)
