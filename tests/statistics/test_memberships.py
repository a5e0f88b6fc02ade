"""Memberships and sums of statistics: what adds, what does not, and labels that stay as they were checked."""

import numpy as np
import pytest

from parzen import (
    Categorical,
    Collapse,
    Gaussian,
    Labels,
    Multinomial,
    Poisson,
    accumulate,
    fit,
)
from parzen.compute.moments import sums


class TestAdding:
    def test_batches_of_other_groups_or_columns_do_not_add(self, rng):
        X = rng.normal(size=(60, 2))
        for family in (Gaussian("diag"), Gaussian(), Categorical(), Poisson(), Multinomial()):
            rows = X if isinstance(family, Gaussian) else rng.integers(0, 3, (60, 2))
            sorted_by_class = [(rows[:30], Labels(np.zeros(30, int))), (rows[30:], Labels(np.ones(30, int)))]
            with pytest.raises(ValueError, match=r"don't add.*groups=K"):
                accumulate(family, sorted_by_class)
            declared = [(part, Labels(R.codes, groups=2)) for part, R in sorted_by_class]
            accumulate(family, declared)
            with pytest.raises(ValueError, match="don't add"):
                accumulate(family, [rows, rows[:, :1]])

    def test_rows_without_columns_are_refused(self):
        with pytest.raises(ValueError, match="at least one column"):
            sums(np.empty((5, 0)))

    @pytest.mark.parametrize("codes", [[0.7, 1.9], [2**32, 1], [np.nan, 1.0], ["a", "b"]])
    def test_codes_that_are_no_groups_are_refused(self, codes):
        with pytest.raises(ValueError, match=r"whole numbers|could not convert|invalid literal"):
            Labels(codes)

    def test_rows_that_belong_nowhere_are_no_rows(self, rng):
        with pytest.raises(Collapse, match="no value with any weight"):
            fit(Gaussian(), rng.normal(size=(5, 2)), Labels(np.full(5, -1)))


class TestLabels:
    def test_labels_are_their_own_and_can_not_be_changed_after_they_were_checked(self, rng):
        codes = np.zeros(50, np.int32)
        labels = Labels(codes)
        codes[:] = 10**6
        assert accumulate(Gaussian("diag"), rng.normal(size=(50, 3)), labels).weight.sum() == 150
        with pytest.raises(ValueError, match="read-only"):
            labels.codes[:] = 10**6

    def test_no_groups_are_refused(self, rng):
        with pytest.raises(ValueError, match="groups must be at least 1"):
            Labels(np.full(50, -1), groups=0)
        with pytest.raises(ValueError, match="K > 0"):
            fit(Gaussian(), rng.normal(size=(50, 3)), np.empty((50, 0)))
