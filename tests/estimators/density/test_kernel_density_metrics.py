"""`KernelDensity` by any metric of scikit-learn's trees: its numbers, and what comes beside them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import BallTree, KDTree
from sklearn.neighbors import KernelDensity as Peer

import parzen
from parzen import BayesClassifier, DensityOutlier, Kernel, KernelDensity, Product, fit

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
V = np.array([[2.0, 0.6, 0.1], [0.6, 0.5, 0.0], [0.1, 0.0, 1.0]])


def sum_of_steps(x, y):
    return float(np.abs(x - y).sum())


def steps(x, y, length=1.0):
    return length * sum_of_steps(x, y)


METRICS = [
    ("manhattan", None),
    ("l1", None),
    ("cityblock", None),
    ("chebyshev", None),
    ("infinity", None),
    ("minkowski", {"p": 3}),
    ("p", {"p": 1.5, "w": [0.5, 1.0, 2.0]}),
    ("minkowski", {"p": 4, "w": [0.5, 0.0, 2.0]}),
    ("minkowski", {"p": 0.5}),
    ("minkowski", {"p": np.inf}),
    ("seuclidean", {"V": [0.5, 1.0, 2.0]}),
    ("mahalanobis", {"V": V}),
    ("mahalanobis", {"VI": np.linalg.inv(V)}),
    ("mahalanobis", {"VI": np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])}),
    ("haversine", None),
    ("canberra", None),
    ("braycurtis", None),
    ("hamming", None),
    ("jaccard", None),
    ("dice", None),
    ("rogerstanimoto", None),
    ("russellrao", None),
    ("sokalmichener", None),
    ("sokalsneath", None),
    ("pyfunc", {"func": sum_of_steps}),
    ("pyfunc", {"func": steps, "length": 2.0}),
]
IDS = [f"{name}{i}" for i, (name, _) in enumerate(METRICS)]


def rows_for(name, rng, n=60):
    if name in ("jaccard", "dice", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath"):
        return (rng.random((n, 6)) < 0.6).astype(float) + np.arange(6) // 5  # the last column is never zero
    if name == "hamming":
        return rng.integers(0, 3, (n, 3)).astype(float)
    if name == "braycurtis":
        return rng.random((n, 3)) + 0.1
    return rng.normal(size=(n, 2 if name == "haversine" else 3))


def test_every_metric_of_scikit_learns_trees_is_tried():
    assert {name for name, _ in METRICS} | {"euclidean", "l2"} == set(BallTree.valid_metrics)


#: Every kernel with the metrics that have sums of their own, two with the others, which share one.
PAIRS = [
    pytest.param(kernel, *METRICS[i], id=f"{IDS[i]}-{kernel}")
    for i in range(len(METRICS))
    for kernel in (KERNELS if i < 15 else ("gaussian", "epanechnikov"))
]


@pytest.mark.parametrize(("kernel", "name", "params"), PAIRS)
def test_densities_are_scikit_learns(kernel, name, params, rng):
    X = rows_for(name, rng)
    # All rows in one leaf: a tree of balls leaves out too much where the triangle inequality does not hold. And
    # scikit-learn divides cosine kernels of an even number of columns by another constant.
    w, h = rng.random(len(X)), 0.9
    ours = KernelDensity(bandwidth=h, metric=name, metric_params=params, kernel=kernel, rtol=0)
    theirs = Peer(bandwidth=h, metric=name, metric_params=params, kernel=kernel, leaf_size=100)
    shift = 0.0
    if kernel == "cosine":
        from sklearn.neighbors._ball_tree import kernel_norm

        shift = KernelDensity(kernel=kernel, bandwidth=h).fit(X[:1]).score_samples(X[:1])[0]
        shift -= kernel_norm(h, X.shape[1], kernel, return_log=True)
    for weights in (None, w):
        found = ours.fit(X, sample_weight=weights).score_samples(X[:20])
        expected = theirs.fit(X, sample_weight=weights).score_samples(X[:20]) + shift
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert ours.bandwidth_ == h
    assert ours.error_bound_ < 1e-10


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize(("name", "params"), METRICS, ids=IDS)
def test_each_row_can_be_left_out(kernel, name, params, rng):
    X = rows_for(name, rng, 5)
    model = KernelDensity(bandwidth=0.9, metric=name, metric_params=params, kernel=kernel, rtol=1e-9).fit(X)
    without = [model.fit(np.delete(X, i, axis=0)).score_samples(X[i : i + 1])[0] for i in range(len(X))]
    model.fit(X)
    np.testing.assert_allclose(model.leave_one_out(), without, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.leave_one_out(X), without, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "haversine", "canberra"])
def test_a_weight_of_two_is_the_row_twice(name, rng):
    X, w = rng.normal(size=(50, 2)), rng.integers(0, 3, 50)
    model = KernelDensity(bandwidth=0.3, metric=name, rtol=0)
    weighted = model.fit(X, sample_weight=w).score_samples(X)
    loo = model.leave_one_out()
    np.testing.assert_allclose(model.fit(np.repeat(X, w, axis=0)).score_samples(X), weighted, atol=1e-11)
    repeated = model.leave_one_out()
    np.testing.assert_allclose(repeated[np.cumsum(w[w > 0]) - 1], loo, atol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "minkowski", "haversine", "canberra", "pyfunc"])
def test_errors_are_within_what_is_promised(kernel, name, rng):
    X = rng.normal(size=(400, 2)) * [1.0, 2.0]
    params = {"minkowski": {"p": 3}, "pyfunc": {"func": sum_of_steps}}.get(name)
    few = 10 if name == "pyfunc" else 100
    options = {"bandwidth": 0.05, "metric": name, "metric_params": params, "kernel": kernel}
    exact = KernelDensity(**options, rtol=0).fit(X).score_samples(X[:few])
    for rtol in (1e-2, 1e-6):
        model = KernelDensity(**options, rtol=rtol).fit(X)
        found = model.score_samples(X[:few])
        assert np.abs(np.expm1(found - exact)).max() <= model.error_bound_ < 1.001 * rtol + 1e-10
    close = KernelDensity(**options, rtol=0, atol=1e-3).fit(X).score_samples(X[:few])
    assert np.abs(np.exp(close) - np.exp(exact)).max() <= 1e-3


@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "haversine", "canberra", "mahalanobis", "pyfunc"])
@pytest.mark.parametrize("rtol", [0, 1e-6])
def test_far_from_all_rows_the_logarithm_is_finite(name, rtol, rng):
    X = 0.01 * rng.normal(size=(30, 2)) + 0.5
    params = {"mahalanobis": {"V": V[:2, :2]}, "pyfunc": {"func": sum_of_steps}}.get(name)
    model = KernelDensity(bandwidth=1e-3, metric=name, metric_params=params, rtol=rtol).fit(X)
    far = model.score_samples([[1.5, -2.0], [-0.7, 3.0]])
    nearest = model._kernels._metric.distances(np.array([[1.5, -2.0], [-0.7, 3.0]]), X).min(axis=1)
    np.testing.assert_allclose(far, -0.5 * (nearest / 1e-3) ** 2, rtol=1e-4)


@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "minkowski", "mahalanobis", "seuclidean"])
def test_no_digit_is_lost_far_from_the_origin(name, rng):
    X = np.round(rng.normal(size=(200, 2)), 6)
    params = {"minkowski": {"p": 3}, "mahalanobis": {"V": V[:2, :2]}, "seuclidean": {"V": [0.5, 2.0]}}.get(name)
    model = KernelDensity(bandwidth=0.2, metric=name, metric_params=params)
    near = model.fit(X).score_samples(X)
    np.testing.assert_allclose(model.fit(X + 2.0**26).score_samples(X + 2.0**26), near, atol=1e-6)


def test_a_city_on_the_sphere_is_a_plane(rng):
    """Bandwidths of a metre, 1.6e-7 of the radius: sums keep the digits that the angles have."""
    metre = 1 / 6_371_000
    X = np.radians([48.2, 16.37]) + metre * 300 * rng.normal(size=(500, 2))
    model = KernelDensity(bandwidth=20 * metre, metric="haversine", rtol=0).fit(X)
    peer = Peer(bandwidth=20 * metre, metric="haversine").fit(X)
    np.testing.assert_allclose(model.score_samples(X), peer.score_samples(X), atol=1e-7)
    flat = X * [1.0, np.cos(X[0, 0])]
    plane = KernelDensity(bandwidth=20 * metre).fit(flat)
    np.testing.assert_allclose(model.score_samples(X), plane.score_samples(flat), atol=0.01)


def test_in_one_column_norms_are_the_euclidean_distance(rng):
    X = rng.normal(size=(60, 1))
    expected = KernelDensity(bandwidth=0.4).fit(X)
    for name, params in (("manhattan", None), ("chebyshev", None), ("minkowski", {"p": 7})):
        model = KernelDensity(bandwidth=0.4, metric=name, metric_params=params).fit(X)
        np.testing.assert_array_equal(model.score_samples(X), expected.score_samples(X))
        assert model.quantile(0.3) == expected.quantile(0.3)


@pytest.mark.parametrize(
    ("name", "params"),
    [("manhattan", None), ("haversine", None), ("mahalanobis", {"V": V[:2, :2]}), ("minkowski", {"p": 3, "w": [1, 2]})],
)
def test_models_are_saved_and_pickled(name, params, rng, tmp_path):
    X = rng.normal(size=(40, 2))
    model = KernelDensity(bandwidth=0.3, metric=name, metric_params=params, normalization="metric").fit(X)
    model.save(tmp_path / "model.parzen")
    for again in (parzen.load(tmp_path / "model.parzen"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
        assert len(again.tree_.data) == 40
        again.partial_fit(X[:3])


def test_functions_are_not_saved_in_files(rng, tmp_path):
    model = KernelDensity(metric=sum_of_steps).fit(rng.normal(size=(9, 2)))
    with pytest.raises(ValueError, match="sum_of_steps"):
        model.save(tmp_path / "model.parzen")


def test_a_function_may_be_the_metric_itself(rng):
    X = rng.normal(size=(30, 2))
    named = KernelDensity(metric="manhattan").fit(X).score_samples(X)
    np.testing.assert_allclose(KernelDensity(metric=sum_of_steps).fit(X).score_samples(X), named, atol=1e-5)
    longer = KernelDensity(bandwidth=3.0, metric=steps, metric_params={"length": 3.0}).fit(X)
    np.testing.assert_allclose(longer.score_samples(X) + 2 * np.log(3.0), named, atol=1e-5)
    with pytest.raises(TypeError):
        KernelDensity(metric=lambda x: 0.0).fit(X)
    with pytest.raises(ValueError, match="kd_tree"):
        KernelDensity(metric=sum_of_steps, algorithm="kd_tree").fit(X)


def test_batches_shards_and_tables(rng):
    X = rng.normal(size=(60, 2))
    model = KernelDensity(bandwidth=0.4, metric="haversine")
    whole = model.fit(X).score_samples(X)
    first, second = (KernelDensity(bandwidth=0.4, metric="haversine").fit(part) for part in (X[:20], X[20:]))
    np.testing.assert_allclose(first.merge(second).score_samples(X), whole, atol=1e-12)
    np.testing.assert_allclose(first.partial_fit(X[20:]).score_samples(X), whole, atol=1e-12)
    frame = pd.DataFrame(X.astype(np.float32), columns=["latitude", "longitude"])
    np.testing.assert_allclose(model.fit(frame).score_samples(frame), whole, atol=1e-4)
    with pytest.raises(ValueError, match="only estimators of one family merge"):
        second.merge(KernelDensity(bandwidth=0.4, metric="manhattan").fit(X))


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda X: X[::-1][::-1], np.ndarray.tolist, np.float32])
def test_arrays_of_any_layout(layout, rng):
    X = rng.integers(-4, 5, (50, 3)).astype(float)
    for name in ("manhattan", "chebyshev", "canberra"):
        model = KernelDensity(bandwidth=2.0, metric=name, kernel="linear")
        np.testing.assert_array_equal(
            model.fit(layout(X)).score_samples(layout(X[:9])), model.fit(X).score_samples(X[:9])
        )


def test_one_row_duplicates_and_constant_columns(rng):
    for name in ("manhattan", "chebyshev", "haversine", "canberra"):
        model = KernelDensity(bandwidth=0.5, metric=name)
        alone = model.fit([[0.2, 1.0]]).score_samples([[0.2, 1.0]])
        np.testing.assert_allclose(model.fit([[0.2, 1.0]] * 300).score_samples([[0.2, 1.0]]), alone, atol=1e-12)
        with pytest.raises(ValueError, match="only one"):
            model.fit([[0.2, 1.0]]).leave_one_out()
        constant = np.column_stack([rng.normal(size=30), np.full(30, 7.0)])
        assert np.isfinite(model.fit(constant).score_samples(constant)).all()


@pytest.mark.parametrize("unit", [1e-200, 1e200])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "minkowski", "mahalanobis"])
def test_units_may_be_tiny_or_huge(name, kernel, unit, rng):
    X = rng.normal(size=(70, 2))
    params = {"minkowski": {"p": 3}, "mahalanobis": {"V": V[:2, :2]}}.get(name)
    model = KernelDensity(bandwidth=1.0, metric=name, metric_params=params, kernel=kernel)
    plain = model.fit(X).score_samples(X)
    model.set_params(bandwidth=unit)
    np.testing.assert_allclose(model.fit(unit * X).score_samples(unit * X), plain - 2 * np.log(unit), atol=1e-6)


def test_missing_and_infinite_cells_are_refused(rng):
    X = rng.normal(size=(30, 2))
    model = KernelDensity(metric="manhattan").fit(X)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"NaN|inf"):
            model.score_samples([[0.0, bad]])
        with pytest.raises(ValueError, match=r"missing|NaN|inf"):
            KernelDensity(metric="manhattan").fit(np.vstack([X, [0.0, bad]]))


def test_results_do_not_depend_on_threads(rng):
    X = rng.normal(size=(3000, 2))
    for name in ("manhattan", "haversine", "canberra"):
        model = KernelDensity(bandwidth=0.1, metric=name).fit(X)
        with parzen.threads(1):
            one = model.score_samples(X[:500])
        with parzen.threads(3):
            np.testing.assert_array_equal(model.score_samples(X[:500]), one)


def test_the_tree_is_scikit_learns(rng):
    X, w = rng.normal(size=(80, 2)), rng.random(80)
    model = KernelDensity(leaf_size=7).fit(X, sample_weight=w)
    assert isinstance(model.tree_, KDTree)
    assert model.tree_ is model.tree_
    np.testing.assert_array_equal(np.asarray(model.tree_.data), X)
    np.testing.assert_array_equal(np.asarray(model.tree_.sample_weight), w)
    np.testing.assert_array_equal(model.fit(X[:9]).tree_.data, X[:9])
    assert isinstance(KernelDensity(algorithm="ball_tree").fit(X).tree_, BallTree)
    sphere = KernelDensity(metric="haversine").fit(X)
    assert isinstance(sphere.tree_, BallTree)
    found = sphere.tree_.kernel_density(X, 1.0, return_log=True) - np.log(80)
    np.testing.assert_allclose(sphere.score_samples(X), found, atol=1e-6)
    assert not hasattr(KernelDensity(), "tree_")


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("euclidean", {"p": 2}),
        ("manhattan", {"p": 1}),
        ("minkowski", {"q": 3}),
        ("minkowski", {"p": "two"}),
        ("minkowski", {"p": -1}),
        ("seuclidean", None),
        ("seuclidean", {"V": [1.0]}),
        ("mahalanobis", None),
        ("mahalanobis", {"V": np.eye(3)}),
        ("mahalanobis", {"V": np.ones((2, 2))}),
        ("pyfunc", None),
        ("cosine", None),
        (None, None),
    ],
)
@pytest.mark.parametrize("algorithm", ["auto", "ball_tree", "kd_tree"])
def test_mistakes_are_the_same_exceptions_as_scikit_learns(name, params, algorithm, rng):
    X = rng.normal(size=(9, 2))
    options = {"metric": name, "metric_params": params, "algorithm": algorithm}
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        Peer(**options).fit(X)
    model = KernelDensity(**options)
    with pytest.raises(tuple(one for one in (TypeError, ValueError) if issubclass(theirs.type, one))):
        model.fit(X)
    assert not hasattr(model, "density_")


def test_haversine_takes_two_columns(rng):
    with pytest.raises(ValueError, match="latitude and longitude"):
        KernelDensity(metric="haversine").fit(rng.normal(size=(9, 3)))


def test_a_grid_reaches_as_many_bandwidths_along_each_column():
    params = {"V": np.diag([4.0, 0.25])}
    model = KernelDensity(bandwidth=2.0, metric="mahalanobis", metric_params=params, normalization="metric").fit(
        [[1, 1]]
    )
    (x, y), density = model.grid((80, 90), cut=4.0)
    np.testing.assert_allclose([x[0], x[-1], y[0], y[-1]], [-15.0, 17.0, -3.0, 5.0])
    assert density.sum() * (x[1] - x[0]) * (y[1] - y[0]) == pytest.approx(1.0, abs=1e-3)


def test_what_needs_other_columns_is_refused(rng):
    model = KernelDensity(metric="manhattan").fit(rng.normal(size=(9, 2)))
    for call in (lambda: model.marginal(0), lambda: model.conditional(0, [1.0]), lambda: model.cdf([[0.0, 0.0]])):
        with pytest.raises(TypeError):
            call()


def test_one_own_kernel_function_by_any_metric(rng):
    X = rng.normal(size=(40, 2))
    own = lambda u: np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)  # noqa: E731
    for name in ("manhattan", "haversine", "mahalanobis", "canberra"):
        params = {"V": V[:2, :2]} if name == "mahalanobis" else None
        model = KernelDensity(bandwidth=0.5, metric=name, metric_params=params, kernel=own)
        expected = KernelDensity(bandwidth=0.5, metric=name, metric_params=params, rtol=0).fit(X).score_samples(X)
        np.testing.assert_allclose(model.fit(X).score_samples(X), expected, atol=1e-6)


def test_the_family_in_classifiers_products_and_outliers(rng):
    X = rng.normal(size=(80, 2)) + np.repeat([[0.0, 0.0], [0.0, 2.5]], 40, axis=0)
    y = np.repeat(["a", "b"], 40)
    family = Kernel(0.3, metric="haversine", normalization="metric")
    model = BayesClassifier(family).fit(X, y)
    logs = np.column_stack([fit(family, X[y == one]).density.log_density(X)[:, 0] for one in "ab"])
    expected = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)
    wide = np.column_stack([X, rng.normal(size=80)])
    density = fit(Product({(0, 1): family, (2,): Kernel(0.5)}), wide).density
    parts = fit(family, X).density.leave_one_out(X) + fit(Kernel(0.5), wide[:, 2:]).density.leave_one_out(wide[:, 2:])
    np.testing.assert_allclose(density.leave_one_out(wide), parts, atol=1e-9)
    assert DensityOutlier(KernelDensity(bandwidth=0.3, metric="haversine")).fit(X).predict(X).shape == (80,)
