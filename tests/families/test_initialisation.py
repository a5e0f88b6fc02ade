"""Where EM begins: partitions of weighted rows, whatever the weights."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parzen import GaussianMixture, KMeans
from parzen.families.initialisation import INITS, labels_to_try
from parzen.families.seeding import distinct_rows
from parzen.statistics.messages import FloorWarning


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    decades=st.sampled_from([0, 3, 15, 30, 150, 300]),
    clusters=st.integers(2, 8),
    width=st.integers(1, 4),
    init=st.sampled_from(INITS),
)
def test_a_partition_has_no_more_parts_than_asked_for(seed, decades, clusters, width, init):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(100, width)), 10.0 ** rng.uniform(-decades, decades, 100)
    rows, _, tries = labels_to_try(X, w, clusters, init, 1, rng)
    for codes in tries:
        assert codes.shape == (len(rows),)
        assert codes.min() >= 0
        assert codes.max() < clusters


def test_mixtures_are_found_with_weights_of_thirty_decades():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, w = rng.normal(size=(100, 2)), 10.0 ** rng.uniform(-15, 15, 100)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)  # a few rows have all of the weight
            found = GaussianMixture(3, random_state=seed).fit(X, sample_weight=w)
        assert np.isfinite(found.score_samples(X)).all()


def test_the_unit_of_weights_that_are_no_counts_does_not_matter(rng):
    X, w = rng.normal(size=(200, 2)), rng.random(200)
    first = [codes.tolist() for codes in labels_to_try(X, w, 4, "auto", 1, np.random.default_rng(5))[2]]
    second = [codes.tolist() for codes in labels_to_try(X, w * 2.0**-40, 4, "auto", 1, np.random.default_rng(5))[2]]
    assert first == second


def test_rows_are_drawn_by_weight_however_small_it_is(rng):
    w = np.array([1e-320, 1.0, 1e300, 0.0, 1e-300])
    assert sorted(distinct_rows(5, w, 4, rng)) == [0, 1, 2, 4]
    assert distinct_rows(5, w, 1, rng).tolist() == [2]
    assert len(distinct_rows(5, w, 5, rng)) == 4  # a row without weight is none


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_clusters_are_found_with_weights_of_four_hundred_decades(init, rng):
    X, w = rng.normal(size=(60, 3)), 10.0 ** rng.uniform(-300, 98, 60)
    found = KMeans(5, init=init, n_init=1, random_state=0).fit(X, sample_weight=w)
    assert np.isfinite(found.cluster_centers_).all()
