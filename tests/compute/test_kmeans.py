"""One step of k-means equals its twin, with missing cells and without."""

import numpy as np
import pytest

from parzen.compute.arrays import as_floats
from parzen.compute.kmeans import centre_step
from tests import oracle
from tests.compute.inputs import DTYPES, LAYOUTS, laid_out
from tests.compute.test_em import SHAPES
from tests.oracle import TWINS


@pytest.mark.parametrize(("n", "d", "K"), [(0, 2, 3), *SHAPES, (40, 2, 130)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("gaps", [False, True])
def test_k_means_equals_the_twin(n, d, K, dtype, gaps, level, rng):
    X = rng.normal(size=(n, d)).astype(dtype)
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    centre, weights = rng.normal(size=(K, d)), rng.random(n)
    for w in (weights, None):
        codes = np.empty(n, dtype=np.int32)
        weight, totals, inertia = centre_step(X, w, centre, codes=codes)
        # Rows of float32 are compared with the centres in float32: of two that are as near to 7 digits either may win.
        squares = oracle.nearest(X, centre)[1]
        own = np.nansum((np.asarray(X, dtype=float) - centre[codes]) ** 2, axis=1)
        np.testing.assert_allclose(own, squares, rtol=1e-5, atol=1e-6)
        # Sums are of float64, given the codes.
        _, cells, sums, total = TWINS["centres"](X, w, centre, codes)
        assert inertia == pytest.approx(total, rel=1e-12)
        np.testing.assert_allclose(
            weight if weight.ndim == 2 else np.repeat(weight[:, None], d, axis=1), cells, atol=1e-12
        )
        np.testing.assert_allclose(totals, sums, rtol=1e-12, atol=1e-12)
        alone = np.empty(n, dtype=np.int32)
        centre_step(X, w, centre, sums=False, codes=alone)
        np.testing.assert_array_equal(alone, codes)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_layout_gives_the_same_and_of_equals_the_first_is_nearest(layout, dtype, level, rng):
    X = rng.integers(-3, 4, (60, 2)).astype(dtype)
    centre = rng.integers(-3, 4, (9, 2)).astype(float)
    centre[8] = centre[0]
    centre -= centre.mean(axis=0).round()
    codes = np.empty(60, dtype=np.int32)
    found = centre_step(as_floats(laid_out(X, layout)), None, centre, codes=codes)
    _, cells, sums, total = TWINS["centres"](X, None, centre, codes)
    for mine, theirs in zip(found, (cells[:, 0], sums, total), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)
    squares = ((X[:, None].astype(float) - centre) ** 2).sum(axis=2)
    np.testing.assert_array_equal(squares[np.arange(60), codes], squares.min(axis=1))
    assert 8 not in codes
