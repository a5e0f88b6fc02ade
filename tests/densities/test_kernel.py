import numpy as np
import pytest

from parzen.densities.kernel import WindowDensity
from parzen.densities.posterior import posterior
from parzen.densities.support import Support
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import kernel_function


def density(rng, support=None):
    windows = tuple(Windows(np.abs(rng.normal(size=(n, 2))), None, np.diag([0.4, 0.6])) for n in (30, 50, 20))
    return WindowDensity(kernel_function("gaussian"), windows, support)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("bounds", [None, [(0.0, np.inf), None]])
def test_a_block_is_written_where_it_belongs(missing, bounds, rng):
    model = density(rng, Support.of(2, bounds))
    X = np.abs(rng.normal(size=(40, 2)))
    if missing:
        X[::3, 0], X[::5] = np.nan, np.nan
    expected = np.column_stack([
        WindowDensity(model.kernel, (window,), model.support).log_density(X)[:, 0] for window in model.windows
    ])  # fmt: skip
    np.testing.assert_array_equal(model.log_density(X), expected)
    whole = np.full((50, 3), 7.0)
    model.write(X, whole[5:45])
    np.testing.assert_array_equal(whole[5:45], expected)
    assert (whole[:5] == 7).all()
    assert (whole[45:] == 7).all()


def test_posteriors_are_read_from_what_is_written(rng):
    model, X, log_prior = density(rng), np.abs(rng.normal(size=(40, 2))), np.log([0.2, 0.5, 0.3])
    joint = np.exp(model.log_density(X) + log_prior)
    np.testing.assert_allclose(
        posterior(model, log_prior, X, log=False)[0], joint / joint.sum(axis=1, keepdims=True), rtol=1e-13
    )
