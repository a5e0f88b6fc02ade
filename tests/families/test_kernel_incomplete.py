"""Kernel densities of rows with missing cells: refused, or without a kernel for them."""

import numpy as np
import pytest

from parzen import BayesClassifier, Kernel, fit


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(80, 3))
    X[::7, 1] = np.nan
    X[3, 2] = np.nan
    return X


def test_incomplete_rows_get_no_kernel(rows, rng):
    whole = rows[~np.isnan(rows).any(axis=1)]
    found = fit(Kernel(incomplete="drop"), rows).density
    at = rng.normal(size=(20, 3))
    at[0, 0] = np.nan  # marginalised
    np.testing.assert_array_equal(found.log_density(at), fit(Kernel(), whole).density.log_density(at))
    w = rng.random(80)
    weighted = fit(Kernel(incomplete="drop"), rows, w).density
    alone = fit(Kernel(), whole, w[~np.isnan(rows).any(axis=1)]).density
    np.testing.assert_allclose(weighted.log_density(at), alone.log_density(at), rtol=1e-12)


def test_they_count_in_the_class_prior_and_are_classified(rows):
    y = np.arange(80) % 2
    model = BayesClassifier(Kernel(incomplete="drop")).fit(rows, y)
    assert model.class_count_.tolist() == [40, 40]
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert np.isfinite(model.predict_proba(rows)).all()


def test_by_default_they_are_refused(rows):
    with pytest.raises(ValueError, match="column 1 has missing cells"):
        fit(Kernel(), rows)
    with pytest.raises(ValueError, match="incomplete must be one of 'error', 'drop'"):
        fit(Kernel(incomplete="ignore"), rows)
    rows[5, 2] = np.inf
    with pytest.raises(ValueError, match="column 2 holds an infinity"):
        fit(Kernel(incomplete="drop"), rows)
