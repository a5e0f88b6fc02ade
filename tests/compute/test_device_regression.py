"""Kernel regression at tensors, as if they lay on a device."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

from parzen import KernelRegressor  # noqa: E402
from parzen.compute.device import array, local_sums, memory  # noqa: E402

HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture(autouse=True)
def _routines(monkeypatch):
    """Tensors on the processor are read as if they lay on a device, in blocks of a few rows and points."""
    monkeypatch.setattr(array, "on_device", lambda tensor: True)
    monkeypatch.setattr(local_sums, "POINTS", 64)
    monkeypatch.setattr(memory, "CELLS", 2**14)


def there(values):
    return torch.from_numpy(np.ascontiguousarray(values)).to(HERE)


def curve(n=200, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 3.0, (n, d))
    return X, np.sin(X).sum(axis=1) + rng.normal(0.0, 0.1, n) + 100.0, rng.random(n) + 0.1


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "tophat", "triangular", "cosine", "exponential"])
def test_predictions_at_tensors_are_those_at_arrays(kernel, order):
    X, y, w = curve()
    Q = np.concatenate([np.random.default_rng(1).uniform(-0.5, 3.5, (80, 2)), [[30.0, 1.0], [1e3, -1e3], [1e5, 7.0]]])
    model = KernelRegressor([0.8, 0.5], kernel=kernel, order=order).fit(X, y, sample_weight=w)
    mean, std = model.predict(there(Q), return_std=True)
    expected, deviation = model.predict(Q, return_std=True)
    assert isinstance(mean, torch.Tensor)
    np.testing.assert_allclose(mean.cpu().numpy(), expected, rtol=1e-9)
    np.testing.assert_allclose(std.cpu().numpy(), deviation, rtol=1e-7)
    torch.testing.assert_close(model.predict(there(Q)), mean, rtol=0, atol=0)


@pytest.mark.parametrize("order", [0, 1])
def test_several_outputs_float32_and_extreme_queries(order):
    X, y, _ = curve(d=1)
    model = KernelRegressor(0.3, order=order).fit(X, np.column_stack([y, -2.0 * y]))
    Q = np.array([[0.5], [2.0], [1e6], [-1e200], [1e300]])
    np.testing.assert_allclose(model.predict(there(Q)).cpu().numpy(), model.predict(Q), rtol=1e-9)
    Q = Q[:3].astype(np.float32)
    np.testing.assert_allclose(model.predict(there(Q)).cpu().numpy(), model.predict(Q), rtol=1e-9)


def test_weights_far_from_all_rows_keep_their_digits():
    X, y, _ = curve(100, d=8)
    model = KernelRegressor(np.full(8, 0.2)).fit(X, y)  # rows are many bandwidths apart
    for shift in (0.0, 8.0, 60.0, 1e7):
        Q = np.random.default_rng(2).uniform(0.0, 3.0, (30, 8)) + shift
        np.testing.assert_allclose(model.predict(there(Q)).cpu().numpy(), model.predict(Q), rtol=1e-9)


@pytest.mark.parametrize("order", [0, 1])
def test_a_regression_that_was_fitted_to_tensors(order):
    X, y, w = curve(60)
    model = KernelRegressor(order=order).fit(X, y, sample_weight=w)
    expected, bandwidth = model.predict(X), model.bandwidth_
    model = KernelRegressor(order=order).fit(there(X), there(y), sample_weight=there(w))
    np.testing.assert_array_equal(model.bandwidth_, bandwidth)
    np.testing.assert_allclose(model.predict(there(X)).cpu().numpy(), expected, rtol=1e-9)


def test_categories_and_kernels_of_ones_own_name_the_way():
    X, y, _ = curve(40)
    mixed = np.column_stack([X[:, 0], np.arange(40) % 2])
    model = KernelRegressor(0.5, kinds="cu").fit(mixed, y)
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        model.predict(there(mixed))
    model = KernelRegressor(0.5, kernel=lambda u: np.exp(-0.5 * u**2) / np.sqrt(2 * np.pi)).fit(X[:, :1], y)
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        model.predict(there(X[:, :1]))
    model = KernelRegressor(0.5).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(there(X))
