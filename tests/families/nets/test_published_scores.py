"""Scores that R's bnlearn documents for its table `learning.test`, from the table's counts."""

import numpy as np
import pytest

from parzen.families.nets.scores import table_score

#: Counts of each column given its parents, in the 5,000 rows of `learning.test` (Scutari, R package bnlearn).
COUNTS = {
    "A": [1668, 1670, 1662],
    "C": [3717, 1024, 259],
    "F": [2509, 2491],
    "B | A": [[1428, 42, 198], [743, 369, 558], [191, 157, 1314]],
    "D | A, C": [
        [[985, 111, 134], [64, 47, 243], [36, 17, 31]],
        [[115, 997, 131], [302, 24, 16], [29, 33, 23]],
        [[131, 139, 974], [81, 162, 85], [12, 40, 38]],
    ],
    "E | B, F": [
        [[951, 115, 115], [473, 579, 129]],
        [[63, 55, 188], [83, 96, 83]],
        [[122, 117, 783], [249, 531, 268]],
    ],
    "A | B": [[1428, 743, 191], [42, 369, 157], [198, 558, 1314]],
    "B": [2362, 568, 2070],
}
FORWARD = ("A", "C", "F", "B | A", "D | A, C", "E | B, F")
BACKWARD = ("B", "C", "F", "A | B", "D | A, C", "E | B, F")


@pytest.mark.parametrize(
    ("score", "families", "published"),
    [
        ("log-likelihood", FORWARD, -23832.13),
        ("aic", FORWARD, -23873.13),
        ("bdeu", FORWARD, -23967.65),
        ("bdeu", BACKWARD, -23967.65),
        ("k2", FORWARD, -23958.70),
        ("k2", BACKWARD, -23957.68),
    ],
)
def test_scores_are_bnlearns(score, families, published):
    tables = [np.array(COUNTS[family], dtype=float) for family in families]
    found = sum(table_score(table.reshape(-1, table.shape[-1]), 5000.0, score, 10.0) for table in tables)
    assert found == pytest.approx(published, abs=0.005)
