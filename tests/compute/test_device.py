"""Rows on a device by the routines of a GPU: products of PyTorch, and kernels of Triton under its interpreter."""

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported

from parzen import (  # noqa: E402
    GaussianDiscriminant,
    GaussianMixture,
    GaussianNB,
    KernelDensity,
    KMeans,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from parzen.compute import device  # noqa: E402
from parzen.compute.device import array, kernel_sums  # noqa: E402
from parzen.compute.device import sums as device_sums  # noqa: E402
from parzen.compute.device.wide import scales  # noqa: E402
from parzen.compute.em import components, em_step  # noqa: E402
from parzen.compute.gaussian import gaussian_log_density  # noqa: E402
from parzen.compute.kmeans import centre_step, points_of  # noqa: E402
from parzen.compute.memberships import Labels  # noqa: E402
from parzen.compute.moments import moments  # noqa: E402

HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SINGLE, DOUBLE = np.float32, np.float64
#: What float32 rounds to, with room for sums of it.
CLOSE = {SINGLE: 3e-5, DOUBLE: 1e-11}


@pytest.fixture(params=["products", "kernels"], autouse=True)
def _routines(request, monkeypatch):
    """Tensors on the processor are read by the routines for devices; with and without Triton's kernels."""
    monkeypatch.setattr(array, "on_device", lambda tensor: True)
    sums = pytest.importorskip("parzen.compute.device.sums")
    if request.param == "products":
        monkeypatch.setattr(sums, "kernels", lambda: None)
    elif sums.kernels() is None:
        pytest.skip("Triton is not installed")


def there(values):
    return torch.from_numpy(np.ascontiguousarray(values)).to(HERE)


def on(values):
    return device.DeviceArray(there(values))


def table(n=257, d=3, dtype=DOUBLE, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    return (offset + rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))).astype(dtype)


def same(found, expected, close):
    for one, other in zip(found, expected, strict=True):
        scale = np.abs(np.asarray(other)).max() + 1.0
        np.testing.assert_allclose(one, other, rtol=0, atol=close * scale)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("kind", ["none", "weights", "labels", "weighted labels", "dense"])
def test_moments_equal_the_compiled_ones(kind, full, dtype):
    X, rng = table(dtype=dtype), np.random.default_rng(1)
    w, codes = rng.random(len(X)), rng.integers(-1, 4, len(X))
    R = {
        "none": None,
        "weights": w,
        "labels": Labels(codes, groups=4),
        "weighted labels": Labels(codes, w, groups=4),
        "dense": rng.random((len(X), 2)),
    }[kind]
    same(moments(on(X), R, full)[:3], moments(X, R, full)[:3], CLOSE[dtype])


def test_moments_of_cells_leave_missing_ones_out():
    X = table(dtype=SINGLE)
    X[::3, 0] = np.nan
    same(moments(on(X), None, False)[:3], moments(X, None, False)[:3], CLOSE[SINGLE])


def test_moments_at_an_offset_keep_their_digits():
    X = table(n=5000, dtype=SINGLE, offset=1e4)
    X = X[np.argsort(X[:, 0])]  # the first rows are no guess of the mean
    weight, mean, scatter, _ = moments(on(X))
    exact = X.astype(DOUBLE)
    np.testing.assert_allclose(mean[0], exact.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(scatter[0] / weight, np.cov(exact.T, bias=True), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["full", "diagonal", "shared"])
@pytest.mark.parametrize(("d", "K"), [(1, 2), (3, 5), (15, 3)])
def test_the_pass_of_em_equals_the_compiled_one(d, K, kind, weighted, dtype):
    X, rng = table(d=d, dtype=dtype), np.random.default_rng(2)
    w = rng.random(len(X)) if weighted else None
    mean = rng.normal(size=(K, d))
    factor = {
        "full": np.eye(d) * (0.8 + 0.2 * np.arange(K))[:, None, None] + np.tril(0.1 * rng.normal(size=(K, d, d)), -1),
        "diagonal": 0.7 + rng.random((K, d)),
        "shared": np.eye(d)[None] * 0.9,
    }[kind]
    at = components(mean, factor, np.log(np.full(K, 1 / K)))
    found, expected = em_step(on(X), w, at), em_step(X.astype(DOUBLE), w, at)
    same(found[:3], expected[:3], CLOSE[dtype])
    assert found[4] == pytest.approx(expected[4], rel=CLOSE[dtype])


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_an_offset_costs_a_mixture_no_digits(covariance_type):
    X = table(n=500, dtype=SINGLE, offset=1e4)
    found = GaussianMixture(1, covariance_type=covariance_type).fit(there(X))
    mean = found.density_.components.mean[0]  # `means_` is shown in the precision of the rows
    np.testing.assert_allclose(mean, X.astype(DOUBLE).mean(axis=0), rtol=1e-9)


def test_an_offset_costs_centres_no_digits():
    X = table(n=500, dtype=SINGLE, offset=1e4)
    centre = X[:3].astype(DOUBLE) + 1e-4
    found, expected = (centre_step(rows, None, points_of(centre, False)) for rows in (on(X), X))
    np.testing.assert_array_equal(found[0], expected[0])
    same(found[1:], expected[1:], 1e-6)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_step_of_k_means_equals_the_compiled_one(weighted, dtype):
    X, rng = table(d=5, dtype=dtype), np.random.default_rng(3)
    w = rng.random(len(X)) if weighted else None
    centre = X[:7].astype(DOUBLE) + 0.1
    codes, known = on(np.empty(len(X), dtype=np.int32)), np.empty(len(X), dtype=np.int32)
    found = centre_step(on(X), w, points_of(centre, False), codes=codes)
    expected = centre_step(X, w, points_of(centre, False), codes=known)
    np.testing.assert_array_equal(codes.host(), known)
    same(found, expected, CLOSE[dtype])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [1, 3, 6, 20])
@pytest.mark.parametrize("rtol", [1e-6, 1e-2])
def test_kernel_densities_keep_their_rtol(rtol, d, weighted):
    X, rng = table(n=300, d=d), np.random.default_rng(4)
    model = KernelDensity(bandwidth=0.7, rtol=rtol).fit(X, sample_weight=rng.random(300) if weighted else None)
    Q = np.concatenate([X[:40], [np.full(d, 50.0)], [np.full(d, 1e4)]])
    found, expected = model.score_samples(there(Q)), model.set_params(rtol=0).score_samples(Q)
    assert np.isfinite(found.cpu().numpy()).all()
    np.testing.assert_allclose(found.cpu().numpy(), expected, rtol=1e-9, atol=rtol)


@pytest.mark.parametrize("covariance_type", ["full", "diag", "tied", "spherical"])
@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_a_mixture_of_tensors_is_the_mixture_of_arrays(dtype, covariance_type):
    X = np.concatenate([table(seed=1), 4.0 + table(seed=2)]).astype(dtype)
    ours = GaussianMixture(2, covariance_type=covariance_type, random_state=0).fit(there(X))
    theirs = GaussianMixture(2, covariance_type=covariance_type, random_state=0).fit(X.astype(DOUBLE))
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-4 if dtype == SINGLE else 1e-9)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-4 if dtype == SINGLE else 1e-9)
    probabilities = ours.predict_proba(there(X))
    assert isinstance(probabilities, torch.Tensor)
    assert probabilities.device.type == HERE.type
    np.testing.assert_allclose(probabilities.cpu().numpy(), theirs.predict_proba(X.astype(DOUBLE)), atol=1e-3)
    np.testing.assert_array_equal(ours.predict(there(X)).cpu().numpy(), theirs.predict(X.astype(DOUBLE)))
    assert ours.score(there(X)) == pytest.approx(theirs.score(X), rel=1e-5)
    assert isinstance(ours.score_samples(X), np.ndarray)  # fitted there, asked here


@pytest.mark.parametrize(
    "model",
    [GaussianNB(), QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis(), GaussianDiscriminant("diag")],
    ids=lambda model: type(model).__name__,
)
def test_a_classifier_of_tensors_is_the_classifier_of_arrays(model):
    X = np.concatenate([table(seed=1), 2.0 + table(seed=2)])
    y = np.repeat([3, 7], len(X) // 2)
    expected = model.fit(X, y).predict_log_proba(X)
    found = model.fit(there(X), there(y))
    np.testing.assert_allclose(found.predict_log_proba(there(X)).cpu().numpy(), expected, atol=1e-9)
    labels = found.predict(there(X))
    assert labels.dtype == torch.int64
    np.testing.assert_array_equal(labels.cpu().numpy(), model.classes_[expected.argmax(axis=1)])
    assert found.fit(there(X), np.array(["a", "b"])[y // 4]).predict(there(X[:1])).tolist() == ["a"]


def test_k_means_of_tensors_is_that_of_arrays():
    X = np.concatenate([table(seed=1), 5.0 + table(seed=2)])
    ours, theirs = (KMeans(2, init=X[[0, -1]], n_init=1).fit(rows) for rows in (there(X), X))
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-10)
    np.testing.assert_array_equal(ours.predict(there(X)).cpu().numpy(), theirs.labels_)
    assert KMeans(2, random_state=0).fit(there(X)).inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)


def test_missing_cells_of_full_gaussians_are_refused_with_the_way():
    X = table(dtype=SINGLE)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X\.cpu\(\)"):
        GaussianMixture(2, random_state=0).fit(there(X))


def test_half_precision_and_gradients():
    X = there(table(dtype=SINGLE))
    assert GaussianMixture(1).fit(X.half()).means_ == pytest.approx(X.mean(0).cpu().numpy()[None], abs=1e-3)
    with pytest.warns(UserWarning, match="detach"):
        GaussianMixture(1).fit(X.clone().requires_grad_())


def test_other_strides_are_read():
    X = there(table(d=6, dtype=SINGLE))
    for rows in (X[:, ::2], X.T.contiguous().T, X[::2]):
        expected = GaussianMixture(1).fit(rows.cpu().numpy()).covariances_
        np.testing.assert_allclose(GaussianMixture(1).fit(rows).covariances_, expected, rtol=1e-4, atol=1e-5)


def test_results_are_the_same_from_run_to_run():
    X = there(table(n=3000, dtype=SINGLE))
    first, second = (GaussianMixture(3, random_state=0).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.covariances_, second.covariances_)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_way_to_sum_classes_gives_the_same(weighted):
    X, rng = table(n=90, d=6, dtype=SINGLE), np.random.default_rng(4)
    X, codes = X + 3.0, rng.integers(-1, 12, 90)
    w = rng.random(90).astype(SINGLE) if weighted else None
    weight, mean, scatter, _ = moments(X.astype(DOUBLE), Labels(codes, w, groups=12), False)
    square = scatter + weight * (mean - 3.0) ** 2
    given = there(X), None if w is None else there(w), there(np.full(6, SINGLE(3.0))), there(codes.astype(np.int32)), 12
    if device_sums.kernels() is None:
        pytest.skip("Triton is not installed")
    expected = weight, weight * (mean - 3.0), square
    same(device_sums.class_products(*given), expected, CLOSE[SINGLE])
    for cut in (None, (6, 1, 12), (3, 2, 5), (1, 4, 12), (2, 4, 7)):
        same(device_sums.class_sums(*given, cut=cut, per=40), expected, CLOSE[SINGLE])


@pytest.mark.parametrize("R", [None, Labels(np.arange(90) % 4 - 1, np.linspace(0.5, 2.0, 90), groups=3)])
def test_more_rows_than_a_launch_takes_are_added(R, monkeypatch):
    X, at = table(n=90, d=3, dtype=SINGLE), components(np.eye(2, 3), np.ones((2, 3)), np.log([0.3, 0.7]))
    whole = [moments(on(X), R, full) for full in (False, True)], em_step(on(X), None, at)
    monkeypatch.setattr(device_sums, "MOST_ROWS", 32)
    parts = [moments(on(X), R, full) for full in (False, True)], em_step(on(X), None, at)
    for one, other in zip(whole[0], parts[0], strict=True):
        same(other, one, CLOSE[SINGLE])
    same(parts[1][:3], whole[1][:3], CLOSE[SINGLE])


@pytest.mark.parametrize("weighted", [False, True])
def test_a_pass_of_em_with_many_components_equals_the_compiled_one(weighted):
    X, rng = table(n=140, d=16, dtype=SINGLE), np.random.default_rng(5)
    w = rng.random(140) if weighted else None
    at = components(rng.normal(size=(64, 16)), 0.7 + rng.random((64, 16)), np.log(np.full(64, 1 / 64)))
    found, expected = em_step(on(X), w, at), em_step(X.astype(DOUBLE), w, at)
    same(found[:3], expected[:3], CLOSE[SINGLE])
    assert found[4] == pytest.approx(expected[4], rel=CLOSE[SINGLE])


def test_an_outlier_leaves_float16_no_digits_and_is_seen():
    X, rng = table(n=40, d=16, dtype=SINGLE), np.random.default_rng(6)
    inverse, origin = np.full((64, 16), 0.85), rng.normal(size=16)
    if device_sums.kernels() is None:
        pytest.skip("Triton is not installed")
    assert scales(there(X), origin, inverse) is not None
    X[0, 3] = 1e3
    assert scales(there(X), origin, inverse) is None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [2, 6, 20])
def test_kernel_sums_in_single_precision_are_within_their_bound(d, weighted):
    if device_sums.kernels() is None:
        pytest.skip("Triton is not installed")
    rng = np.random.default_rng(7)
    Q, P, w = rng.normal(size=(30, d)), rng.normal(size=(70, d)), rng.random(70).astype(SINGLE)
    terms = np.exp2(-((Q[:, None] - P[None]) ** 2).sum(axis=2)) * (w if weighted else 1.0)
    found = device_sums.gaussian_sums(there(Q).float(), there(P).float(), there(w) if weighted else None)
    bound = kernel_sums._rounding(there(Q), there(P))
    assert bound < 1e-3
    np.testing.assert_allclose(found.cpu().numpy(), terms.sum(axis=1), rtol=bound)


@pytest.mark.parametrize("least", [-3, 0, 10**12])
def test_labels_with_gaps_are_counted_and_numbered(least):
    y = least + np.random.default_rng(8).choice([0, 2, 3, 7], 5000)
    for given in (there(y), there(np.repeat(y, 2))[::2]):
        classes, codes, counts = device.routine("distinct")(device.DeviceArray(given))
        expected, places, times = np.unique(y, return_inverse=True, return_counts=True)
        np.testing.assert_array_equal(classes, expected)
        np.testing.assert_array_equal(codes.tensor.cpu().numpy(), places)
        np.testing.assert_array_equal(counts, times)
    some = there(np.where(places == 1, -1, places).astype(np.int32))
    np.testing.assert_array_equal(device.routine("members")(device.DeviceArray(some), 5), [times[0], 0, *times[2:], 0])


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize("K", [1, 5, 40])
def test_log_densities_of_independent_columns_leave_missing_cells_out(K, dtype):
    X, rng = table(n=70, d=4, dtype=dtype), np.random.default_rng(9)
    X[::3, 1] = np.nan
    X[5] = np.nan
    mean, factor = rng.normal(size=(K, 4)), 0.5 + rng.random((K, 4))
    found = gaussian_log_density(on(X), mean, factor, None, on(np.empty((70, K)))).tensor.cpu().numpy()
    z = (X[:, None].astype(DOUBLE) - mean) / factor
    cells = -0.5 * z * z - np.log(factor) - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(found, np.nansum(cells, axis=2), rtol=1e-12, atol=1e-12)
