"""Logistic regression of tensors, as if they lay on a device."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

from parzen import LogisticRegression  # noqa: E402
from parzen.compute.device import memory  # noqa: E402
from parzen.compute.device.array import DeviceArray  # noqa: E402
from parzen.compute.memberships import Labels  # noqa: E402
from parzen.compute.softmax import softmax_sums  # noqa: E402
from tests.compute.tensors import as_on_a_device, there  # noqa: E402, F401

pytestmark = pytest.mark.usefixtures("as_on_a_device")


def labelled(K, n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal((5.0, 0.0, -2.0), size=(n, 3))
    y = ((X - X.mean(axis=0)) @ rng.normal(size=(3, K)) + rng.gumbel(size=(n, K))).argmax(axis=1)
    return X, y, rng.random(n)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("least", [None, 0.0, 0.02])
@pytest.mark.parametrize("K", [2, 4])
def test_slopes_and_curvature_of_tensors_are_those_of_arrays(K, least, dtype):
    X, y, w = labelled(K)
    X = X.astype(dtype)
    rng = np.random.default_rng(1)
    table, offset, origin = 3.0 * rng.normal(size=(3, K)), rng.normal(size=K), X.mean(axis=0, dtype=np.float64)
    for weights in (None, w):
        labels = Labels(y, weights, K)
        found = softmax_sums(DeviceArray(there(X)), labels, table, offset, origin, least)
        expected = softmax_sums(X, labels, table, offset, origin, least)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(found, softmax_sums(DeviceArray(there(X)), labels, table, offset, origin, least))


def test_blocks_of_few_rows_give_the_same_sums(monkeypatch):
    X, y, w = labelled(3)
    given = Labels(y, w, 3), np.ones((3, 3)) * [1.0, 0.5, -1.0], np.zeros(3), None, 0.0
    whole = softmax_sums(DeviceArray(there(X)), *given)
    monkeypatch.setattr(memory, "CELLS", 2**12)
    np.testing.assert_allclose(softmax_sums(DeviceArray(there(X)), *given), whole, rtol=1e-10, atol=1e-10)


def test_the_likelihood_of_rows_far_from_the_boundary_keeps_its_digits():
    X, labels = np.array([[40.0], [-40.0], [900.0]]), Labels(np.array([1, 0, 0]), None, 2)
    given = labels, np.array([[0.0, 1.0]]), np.zeros(2)
    found, expected = softmax_sums(DeviceArray(there(X[:2])), labels[:2], *given[1:]), -2.0 * np.log1p(np.exp(-40.0))
    np.testing.assert_allclose(found[1], expected, rtol=1e-12)
    assert softmax_sums(DeviceArray(there(X)), *given)[1] == -900.0


@pytest.mark.parametrize(
    "options",
    [{}, {"C": np.inf}, {"solver": "saga", "l1_ratio": 0.5, "C": 0.1}, {"class_weight": "balanced"},
     {"fit_intercept": False}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("K", [2, 3])
def test_a_fit_of_tensors_is_that_of_arrays(K, options):
    X, y, w = labelled(K, 12_000)
    model = LogisticRegression(tol=1e-9, **options).fit(X, y, sample_weight=w)
    expected = {name: getattr(model, name)(X) for name in ("predict", "predict_log_proba", "decision_function")}
    coef, intercept = model.coef_, model.intercept_
    model = LogisticRegression(tol=1e-9, **options).fit(there(X), there(y), sample_weight=there(w))
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, intercept, atol=1e-8)
    for name, values in expected.items():
        found = getattr(model, name)(there(X))
        assert isinstance(found, torch.Tensor)
        np.testing.assert_allclose(found.cpu().numpy(), values, atol=1e-7)


def test_labels_that_are_text_and_rows_of_float32():
    X, y, _ = labelled(3)
    names = np.array(["a", "b", "c"])[y]
    model = LogisticRegression().fit(X.astype(np.float32), names)
    expected = model.predict_proba(X.astype(np.float32), class_prior="uniform")
    rows = there(X.astype(np.float32))
    model = LogisticRegression().fit(rows, names)
    found = model.predict_proba(rows, class_prior="uniform")
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found.cpu().numpy(), expected, atol=1e-6)
    assert model.predict(rows).tolist() == model.predict(X.astype(np.float32)).tolist()


@pytest.mark.parametrize("model", [LogisticRegression(degree=2), LogisticRegression(standardise=True)], ids=str)
def test_designs_that_are_not_made_there_name_the_way(model):
    X, y, _ = labelled(2)
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        model.fit(there(X), there(y))
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        model.fit(X, y).predict(there(X))


def test_missing_cells_and_too_many_unknowns_name_the_way(monkeypatch):
    from parzen.families.logistic import objective

    X, y, _ = labelled(2)
    model = LogisticRegression().fit(there(X), there(y))
    assert objective.MOST == 4096  # as the guide says
    monkeypatch.setattr(objective, "MOST", 3)
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        LogisticRegression().fit(there(X), there(y))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X\.cpu\(\)"):
        LogisticRegression().fit(there(X), there(y))
    with pytest.raises(ValueError, match=r"X\.cpu\(\)"):
        model.predict(there(X))
