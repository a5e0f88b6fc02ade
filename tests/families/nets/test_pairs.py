"""Mutual information of all pairs of columns, from counts and moments that add."""

import numpy as np
import pytest

from parzen import Labels
from parzen.compute.memberships import take
from parzen.families.nets import pairs
from parzen.families.nets.pairs import PairSums, mutual_information
from parzen.families.nets.trees import chow_liu


def table(rng, n=400):
    """Three columns of categories and two of numbers, with missing cells."""
    codes = rng.integers(0, 3, (n, 3)).astype(float)
    codes[:, 1] = np.where(rng.random(n) < 0.6, codes[:, 0], codes[:, 1])
    x = codes[:, 2] + rng.normal(size=n)
    rows = np.column_stack([codes, x, x + rng.normal(size=n)])
    rows[rng.random(rows.shape) < 0.15] = np.nan
    return rows, (3, 3, 3, 0, 0)


@pytest.mark.parametrize("classes", [1, 2])
def test_pairs_of_batches_add_to_those_of_all_rows(classes, rng):
    rows, sizes = table(rng)
    labels = Labels(rng.integers(0, classes, len(rows)), rng.uniform(0.5, 2.0, len(rows)), classes)
    whole = mutual_information(rows, sizes, R=labels, groups=classes)
    cuts = np.split(np.arange(len(rows)), [90, 200])
    batches = [(rows[own], take(labels, own)) for own in cuts]
    np.testing.assert_allclose(mutual_information(batches, sizes, groups=classes), whole, rtol=1e-9, atol=1e-9)


def test_pairs_are_the_same_in_many_passes_as_in_one(rng, monkeypatch):
    rows, sizes = table(rng)
    once, seen = mutual_information(rows, sizes), []
    monkeypatch.setattr(pairs, "ROOM", 20)
    observe = PairSums.observe
    monkeypatch.setattr(PairSums, "observe", lambda self, *a, **k: seen.append(self.nodes) or observe(self, *a, **k))
    np.testing.assert_array_equal(mutual_information(rows, sizes), once)
    assert len(seen) > 1


def test_codes_with_marks_for_missing_cells_are_read_as_numbers_with_nan_are(rng):
    rows, _ = table(rng)
    rows = rows[:, :3]
    codes = np.where(np.isnan(rows), -1, rows).astype(np.int8)
    np.testing.assert_array_equal(mutual_information(codes, (3, 3, 3)), mutual_information(rows, (3, 3, 3)))


def test_the_tree_is_the_best_of_all_spanning_trees(rng):
    from scipy.sparse.csgraph import minimum_spanning_tree

    for _ in range(20):
        d = int(rng.integers(2, 9))
        worth = np.triu(rng.random((d, d)) + 0.1, 1)
        worth = worth + worth.T
        parents = chow_liu(worth, (2,) * d, int(rng.integers(d)))
        found = sum(worth[own[0], node] for node, own in enumerate(parents) if own)
        assert found == pytest.approx(-minimum_spanning_tree(-worth).sum())
        assert sum(map(len, parents)) == d - 1
