"""Counts, categories, kernels that end, draws and bad input of tensors, as if they lay on a device."""

import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

from parzen import (  # noqa: E402
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    DensityEstimator,
    GaussianMixture,
    GaussianNB,
    KernelDensity,
    KMeans,
    LogisticRegression,
    LogisticRegressionCV,
    MultinomialNB,
    NaiveBayes,
)
from parzen.compute.device import array, memory, moments  # noqa: E402
from tests.compute.tensors import HERE, as_on_a_device, there  # noqa: E402, F401

pytestmark = pytest.mark.usefixtures("as_on_a_device")


def counts(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.integers(0, 4, (n, d))
    X[:, 0] += y
    return X, y, rng.random(n)


def with_missing(X):
    X = X.astype(np.float32)
    X[::7, 1] = np.nan
    return X


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("model", "of"),
    [
        (BernoulliNB(binarize=1.0), np.asarray),
        (BernoulliNB(binarize=1.0), with_missing),
        (BernoulliNB(binarize=None), lambda X: X > 1),
        (CategoricalNB(), np.asarray),
        (CategoricalNB(), with_missing),
        (MultinomialNB(), np.asarray),
        (ComplementNB(), np.asarray),
    ],
)
def test_naive_bayes_of_tensors_is_that_of_arrays(model, of, weighted):
    X, y, w = counts()
    X, w = of(X), w if weighted else None
    model.fit(X, y, sample_weight=w)
    expected, labels, scores = model.predict_log_proba(X), model.predict(X), model.score_samples(X)
    model.fit(there(X), there(y), sample_weight=None if w is None else there(w))
    np.testing.assert_allclose(model.predict_log_proba(there(X)).cpu().numpy(), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(there(X)).cpu().numpy(), labels)
    np.testing.assert_allclose(model.score_samples(there(X)).cpu().numpy(), scores, atol=1e-12)


def test_codes_and_bits_that_are_none_are_named_by_their_column():
    X, y, _ = counts()
    with pytest.raises(ValueError, match="binarise it"):
        BernoulliNB(binarize=None).fit(there(X), there(y))
    with pytest.raises(ValueError, match="Negative values"):
        CategoricalNB().fit(there(X - 1), there(y))
    with pytest.raises(ValueError, match="Negative values"):
        MultinomialNB().fit(there(X - 1), there(y))
    with pytest.raises(ValueError, match=r"X\.cpu\(\)"):
        MultinomialNB().fit(there(with_missing(X)), there(y))


@pytest.mark.parametrize("kernel", ["tophat", "epanechnikov", "triangular", "biweight", "cosine", "exponential"])
@pytest.mark.parametrize("weighted", [False, True])
def test_other_kernels_and_weights(kernel, weighted):
    rng = np.random.default_rng(1)
    X, Q, w = rng.normal(size=(150, 2)), 1.5 * rng.normal(size=(40, 2)), rng.integers(0, 3, 150) if weighted else None
    model = KernelDensity(kernel=kernel, bandwidth=0.7, rtol=0.0).fit(X, sample_weight=w)
    np.testing.assert_allclose(model.score_samples(there(Q)).cpu().numpy(), model.score_samples(Q), rtol=1e-10)


def test_a_full_bandwidth_of_a_kernel_that_ends():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 2)) @ np.array([[1.0, 0.8], [0.0, 0.5]])
    model = KernelDensity(kernel="biweight", bandwidth="silverman", covariance="full").fit(X)
    np.testing.assert_allclose(model.score_samples(there(X)).cpu().numpy(), model.score_samples(X), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_a_row_is_left_out_of_its_own_density(kernel):
    X = np.random.default_rng(3).normal(size=(150, 2))
    X[5] = X[3]
    X[7] = 30.0  # far from all others: only its own kernel is near it
    model = KernelDensity(kernel=kernel, bandwidth=0.7).fit(X)
    np.testing.assert_allclose(model.leave_one_out(there(X)).cpu().numpy(), model.leave_one_out(X), rtol=1e-6)


def test_draws_are_tensors_where_tensors_were_fitted():
    X = np.random.default_rng(4).normal(size=(60, 2))
    y = np.arange(60) % 2
    rows, labels = GaussianNB().fit(there(X), there(y)).sample(5, random_state=0)
    assert rows.device.type == labels.device.type == HERE.type
    rows, labels = GaussianMixture(2, random_state=0).fit(there(X)).sample(4)
    assert isinstance(rows, torch.Tensor)
    assert isinstance(labels, torch.Tensor)
    model = DensityEstimator().fit(there(X))
    found = model.sample(3, random_state=0).cpu().numpy()
    np.testing.assert_allclose(found, model.fit(X).sample(3, random_state=0), rtol=1e-12)
    assert isinstance(model.sample(3), np.ndarray)


def test_a_saved_model_of_tensors_draws_tensors(tmp_path):
    from parzen import load

    model = DensityEstimator().fit(there(np.random.default_rng(5).normal(size=(60, 2))))
    model.save(tmp_path / "model.parzen")
    assert isinstance(load(tmp_path / "model.parzen").sample(3), torch.Tensor)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(degree=2),
        NaiveBayes(),
        KernelDensity(bounds=(0, None)),
        LogisticRegressionCV(use_legacy_attributes=False, l1_ratios=(0,), scoring="neg_log_loss"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_does_not_run_there_names_the_way(model):
    X = there(np.abs(np.random.default_rng(6).normal(size=(40, 2))))
    with pytest.raises(TypeError, match=r"X\.cpu\(\)"):
        model.fit(X, there(np.arange(40) % 2))


def test_shapes_and_types_that_are_no_tables():
    with pytest.raises(ValueError, match="Expected 2D array"):
        GaussianMixture(1).fit(there(np.zeros(5)))
    with pytest.raises(ValueError, match="0 sample"):
        GaussianMixture(1).fit(there(np.zeros((0, 2))))
    with pytest.raises(TypeError, match="real numbers"):
        GaussianMixture(1).fit(there(np.zeros((5, 2), dtype=np.complex64)))


def test_arguments_on_another_device_are_refused():
    X = there(np.random.default_rng(7).normal(size=(20, 2)))
    with pytest.raises(ValueError, match="put both on one device"):
        GaussianNB().fit(X, torch.zeros(20, dtype=torch.int64, device="meta"))


def test_missing_and_infinite_cells_are_named():
    X = np.random.default_rng(8).normal(size=(20, 2))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2, n_init=1).fit(there(X))
    with pytest.raises(ValueError, match="NaN"):
        KernelDensity().fit(there(np.nan_to_num(X))).score_samples(there(X))
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        GaussianMixture(1).fit(there(X))


def test_bfloat16_is_read_as_float32():
    X = there(np.random.default_rng(9).normal(size=(50, 2)).astype(np.float32)).bfloat16()
    expected = GaussianMixture(1).fit(X.float()).means_
    np.testing.assert_array_equal(GaussianMixture(1).fit(X).means_, expected)


def test_blocks_shrink_where_memory_does_not_suffice(monkeypatch):
    X = np.random.default_rng(10).normal(size=(5000, 3))
    expected, sizes = GaussianNB().fit(X, X[:, 0] > 0).theta_, []
    whole = moments.memberships_of

    def scarce(R, rows, like):
        sizes.append(rows.stop - rows.start)
        if sizes[-1] > 4500:
            raise torch.OutOfMemoryError("Tried to allocate 2.00 GiB.")
        return whole(R, rows, like)

    monkeypatch.setattr(memory, "CELLS", 2**17)
    monkeypatch.setattr(moments, "memberships_of", scarce)
    found = GaussianNB().fit(there(X), there((X[:, 0] > 0).astype(int)))
    np.testing.assert_allclose(found.theta_, expected, rtol=1e-10)
    assert max(sizes) > 4500 > sizes[-1]


def test_memory_that_never_suffices_is_told_in_bytes(monkeypatch):
    def none(*given, **options):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(moments, "memberships_of", none)
    X = there(np.random.default_rng(11).normal(size=(50, 3)))
    with pytest.raises(MemoryError, match=r"2\.00 GiB are needed at once on c.*X\.cpu\(\)"):
        GaussianNB().fit(X, there(np.arange(50) % 2))
    monkeypatch.setattr(torch, "empty", none)
    with pytest.raises(MemoryError, match="800 bytes are needed"):
        array.DeviceArray(X).empty((50, 2))


def test_the_dispatch_of_array_apis_changes_nothing():
    code = """
import numpy as np, torch, sklearn
from parzen import GaussianMixture, GaussianNB
from parzen.compute.device import array
X = torch.from_numpy(np.random.default_rng(0).normal(size=(90, 2)))
y = torch.arange(90) % 3
for there in (False, True):
    array.on_device = lambda tensor: there
    plain = GaussianNB().fit(X, y).predict_proba(X)
    with sklearn.config_context(array_api_dispatch=True):
        found = GaussianNB().fit(X, y).predict_proba(X)
        assert isinstance(GaussianMixture(2, random_state=0).fit(X).score_samples(X), torch.Tensor)
    assert torch.equal(plain, found)
"""
    environment = {"SCIPY_ARRAY_API": "1", "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(filter(None, sys.path))}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
