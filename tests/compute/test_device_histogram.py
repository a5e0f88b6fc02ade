"""Histograms of tensors, as if they lay on a device."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

from parzen import BayesClassifier, Histogram, HistogramDensity, accumulate  # noqa: E402
from parzen.compute.device import array  # noqa: E402
from parzen.compute.device.array import DeviceArray  # noqa: E402
from parzen.compute.memberships import Labels  # noqa: E402
from parzen.families import bins  # noqa: E402

HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
EDGES = [-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf]


@pytest.fixture(autouse=True)
def _routines(monkeypatch):
    monkeypatch.setattr(array, "on_device", lambda tensor: True)


def there(values):
    return torch.from_numpy(np.ascontiguousarray(values)).to(HERE)


def rows(d, n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    X[:4, 0] = 0.0, 0.5, 2.0, -1.0  # on edges
    return X, rng.random(n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("d", "cuts"), [(1, EDGES), (1, list(np.linspace(-6, 6, 20))), (2, [EDGES, EDGES]), (1, "fd"), (2, 7)]
)
def test_histograms_of_tensors_are_those_of_arrays(d, cuts, weighted):
    X, w = rows(d)
    w = w if weighted else None
    Q = np.concatenate([X, np.full((1, d), 2.0), np.full((1, d), 40.0), np.full((1, d), -40.0)])
    model = HistogramDensity(cuts).fit(X, sample_weight=w)
    expected, probability = model.score_samples(Q), model.probability_
    model = HistogramDensity(cuts).fit(there(X), sample_weight=None if w is None else there(w))
    np.testing.assert_allclose(model.probability_, probability, rtol=1e-12)
    found = model.score_samples(there(Q))
    assert isinstance(found, torch.Tensor)
    np.testing.assert_allclose(found.cpu().numpy(), expected, rtol=1e-12)


def test_tallies_of_several_groups_and_of_missing_cells(monkeypatch):
    X, w = rows(1)
    X[::9] = np.nan
    family, R = Histogram(EDGES), Labels(np.arange(len(X)) % 3, w)
    found = accumulate(family, DeviceArray(there(X)), R).counts
    np.testing.assert_allclose(found, accumulate(family, X, R).counts, rtol=1e-12)
    np.testing.assert_array_equal(found, accumulate(family, DeviceArray(there(X)), R).counts)
    monkeypatch.setattr(bins, "WEIGHED", 2)  # as where there are many boxes
    np.testing.assert_allclose(accumulate(family, DeviceArray(there(X)), R).counts, found, rtol=1e-12)


def test_classes_with_histograms():
    X, _ = rows(1)
    y = (X[:, 0] + np.random.default_rng(1).normal(size=len(X)) > 0).astype(int)
    for cuts in (EDGES, "fd"):
        model = BayesClassifier(Histogram(cuts)).fit(X, y)
        expected = model.predict_proba(X)
        model = BayesClassifier(Histogram(cuts)).fit(there(X), there(y))
        np.testing.assert_allclose(model.predict_proba(there(X)).cpu().numpy(), expected, rtol=1e-9)


def test_cells_beyond_the_edges_and_missing_ones_are_errors():
    X, _ = rows(2)
    with pytest.raises(ValueError, match="widen the edges"):
        HistogramDensity([[-1.0, 0.0, 1.0]] * 2).fit(there(X))
    model = HistogramDensity([EDGES, EDGES]).fit(there(X))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        HistogramDensity([EDGES, EDGES]).fit(there(X))
    with pytest.raises(ValueError, match=r"X\.cpu\(\)"):
        model.score_samples(there(X))
