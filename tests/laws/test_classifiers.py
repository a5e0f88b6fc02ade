"""The laws of classifiers, over a table of them: posteriors, batches, shards, weights, priors, threads, equivalence."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import clone

import parzen
from parzen import (
    BayesClassifier,
    BernoulliNB,
    Categorical,
    CategoricalNB,
    ComplementNB,
    FloorWarning,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    NaiveBayes,
    PerGroup,
    Product,
    QuadraticDiscriminantAnalysis,
)
from tests.laws.classifiers import GENERATIVE, N, counts, every, generative, problem


@every
def test_posteriors_sum_to_one_and_decide(name):
    model, X, y, _ = problem(name)
    model.fit(X, y)
    proba, logs = model.predict_proba(X), model.predict_log_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(np.exp(logs), proba, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[logs.argmax(axis=1)])
    assert (model.predict(X) == y).mean() > 0.4


@generative
def test_posteriors_are_the_joint_divided_by_the_evidence(name):
    model, X, y, _ = problem(name)
    joint = model.fit(X, y).log_joint(X)
    np.testing.assert_allclose(model.score_samples(X), logsumexp(joint, axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        model.predict_log_proba(X), joint - logsumexp(joint, axis=1, keepdims=True), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        joint, np.log(model.class_prior_) + model.density_.log_density(model._later(X)), rtol=1e-12
    )


@every
def test_priors_replaced_at_prediction_shift_the_log_odds(name):
    model, X, y, _ = problem(name)
    model.fit(X, y)
    priors = np.array([0.7, 0.1, 0.2])
    shift = np.log(priors) if name == "ComplementNB" else np.log(priors / model.class_prior_)
    expected = model.predict_log_proba(X) + shift
    expected -= logsumexp(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(X, class_prior=priors), expected, rtol=1e-9, atol=1e-9)
    by_name = dict(zip([2, 0, 1], priors[[2, 0, 1]], strict=True))
    np.testing.assert_array_equal(model.predict(X, class_prior=by_name), model.predict(X, class_prior=priors))


@generative
def test_batches_and_shards_equal_one_fit(name):
    model, X, y, _ = problem(name)
    whole = clone(model).fit(X, y)
    batches = clone(model)
    for part in np.array_split(np.arange(N), 4):
        batches.partial_fit(X[part], y[part], classes=[0, 1, 2])
    shards = [clone(model).partial_fit(X[i::3], y[i::3], classes=[0, 1, 2]) for i in range(3)]
    merged = shards[0].merge(shards[1]).merge(shards[2])
    for other in (batches, merged):
        np.testing.assert_allclose(other.class_prior_, whole.class_prior_, rtol=1e-12)
        if not name.startswith("naive") and name != "GaussianNB with priors":
            np.testing.assert_allclose(other.log_joint(X), whole.log_joint(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(other.predict_proba(X), whole.predict_proba(X), rtol=1e-8, atol=1e-9)


@generative
def test_batches_may_come_in_the_order_of_the_classes(name):
    model, X, y, _ = problem(name)
    if name.startswith("naive") or name == "each":
        pytest.skip("what a column holds is learnt from the first batch; a family of one class needs its rows")
    batches = clone(model)
    for k in (2, 0, 1):
        batches.partial_fit(X[y == k], y[y == k], classes=[0, 1, 2])
    np.testing.assert_allclose(batches.predict_proba(X), clone(model).fit(X, y).predict_proba(X), rtol=1e-8, atol=1e-9)


@every
def test_weight_two_is_a_row_twice_and_weight_zero_is_no_row(name):
    model, X, y, rng = problem(name)
    times = rng.integers(0, 3, N)
    times[:6] = 1
    weighted = clone(model).fit(X, y, sample_weight=times)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    tolerance = 1e-5 if name.startswith("logistic") else 1e-8
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=tolerance, atol=tolerance)


@every
def test_results_do_not_depend_on_threads_or_layout(name):
    model, X, y, _ = problem(name)
    with parzen.threads(1):
        expected = clone(model).fit(X, y).predict_log_proba(X)
    with parzen.threads(5):
        np.testing.assert_array_equal(clone(model).fit(X, y).predict_log_proba(X), expected)
    X.flags.writeable = False
    for other in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        found = clone(model).fit(other, y).predict_log_proba(other)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@every
def test_labels_of_any_kind_and_order(name):
    model, X, y, _ = problem(name)
    if name in ("each", "GaussianNB with priors"):
        pytest.skip("its parameters name the classes")
    expected = clone(model).fit(X, y).predict_proba(X)
    for labels in (np.array(["a", "b", "c"]), np.array([-7, 3, 10**12]), np.array([0.0, 1.0, 2.0])):
        other = clone(model).fit(X, labels[y])
        np.testing.assert_array_equal(other.classes_, labels)
        np.testing.assert_allclose(other.predict_proba(X), expected, rtol=1e-12)
    backwards = clone(model).fit(X, 2 - y).predict_proba(X)[:, ::-1]
    tolerance = 1e-6 if name.startswith("logistic") else 1e-10
    np.testing.assert_allclose(backwards, expected, rtol=tolerance, atol=tolerance)


MISSING = [
    name for name in GENERATIVE if name not in ("gaussian bayes", "multinomial bayes", "LDA shrunk", "QDA shrunk")
]


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_cell_is_marginalised_at_prediction(name):
    model, X, y, _ = problem(name)
    model.fit(X, y)
    holes = np.array(X, dtype=float)
    holes[:, 1] = np.nan
    if isinstance(model, MultinomialNB):
        rest = np.delete(np.exp(model.feature_log_prob_), 1, axis=1)
        expected = np.delete(X, 1, axis=1) @ np.log(rest / rest.sum(axis=1, keepdims=True)).T + model.class_log_prior_
    else:
        rows = np.ascontiguousarray(np.delete(holes, 1, axis=1))
        kept = [j for j in range(X.shape[1]) if j != 1]
        expected = model.density_.marginal(kept).log_density(rows) + np.log(model.class_prior_)
    expected = expected - logsumexp(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(holes), expected, rtol=1e-9, atol=1e-9)
    nothing = model.predict_proba(np.full_like(holes[:2], np.nan))
    np.testing.assert_allclose(nothing, np.stack([model.class_prior_] * 2), rtol=1e-12)


@pytest.mark.parametrize("name", MISSING)
def test_cells_missing_at_fitting_still_teach(name):
    model, X, y, rng = problem(name)
    holes = np.array(X, dtype=float)
    holes[rng.random(X.shape) < 0.15] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FloorWarning)
        model.fit(holes, y)
    assert np.isfinite(model.predict_log_proba(holes)).all()
    assert (model.predict(X.astype(float)) == y).mean() > 0.4


@generative
def test_samples_follow_the_class_priors_and_are_fitted_alike(name):
    model, X, y, _ = problem(name)
    model.fit(X, y)
    rows, labels = model.sample(4000, random_state=0)
    np.testing.assert_allclose(np.bincount(labels, minlength=3) / 4000, model.class_prior_, atol=0.03)
    assert rows.shape == (4000, X.shape[1])
    ones = model.sample(7, label=1, random_state=0)
    assert ones.shape == (7, X.shape[1])
    if not name.startswith(("naive", "multinomial")) and "bayes" not in name:
        again = clone(model).fit(rows, labels)
        np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=0.15)


class TestMissingLabels:
    @generative
    def test_the_likelihood_of_all_rows_never_falls(self, name):
        model, X, y, rng = problem(name)
        partly = y.astype(float)
        partly[rng.random(N) < 0.6] = np.nan
        partly[:6] = y[:6] = [0, 0, 1, 1, 2, 2]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            warnings.simplefilter("ignore", parzen_convergence())
            model.fit(X, partly)
        rises = np.diff(model.log_likelihoods_)
        assert len(rises)
        if name in ("gaussian", "discriminant", "GaussianNB", "LDA", "QDA"):  # ML: others seek a posterior
            assert rises.min() > -1e-8 * np.abs(model.log_likelihoods_).max()
        np.testing.assert_allclose(model.class_count_.sum(), N)
        assert model.classes_.tolist() == [0, 1, 2]

    def test_rows_without_labels_help(self):
        rng = np.random.default_rng(3)
        y = rng.integers(0, 2, 2000)
        X = rng.normal(size=(2000, 2)) + 2.5 * y[:, None]
        few = np.where(np.arange(2000) < 8, y, -1)
        few[:4] = y[:4] = [0, 0, 1, 1]
        alone = GaussianDiscriminant(shared=True).fit(X[:8], y[:8])
        helped = GaussianDiscriminant(shared=True, unlabelled=-1).fit(X, few)
        assert helped.score(X, y) > alone.score(X, y)
        truth = GaussianDiscriminant(shared=True).fit(X, y)
        np.testing.assert_allclose(helped.density_.mean, truth.density_.mean, atol=0.15)

    def test_every_kind_of_missing_label(self):
        model, X, y, _ = problem("GaussianNB")
        names = np.array(["a", "b", "c"], dtype=object)[y]
        expected = None
        for gone in (None, np.nan):
            some = names.copy()
            some[10:40] = gone
            found = clone(model).fit(X, some).predict_proba(X)
            expected = found if expected is None else expected
            np.testing.assert_allclose(found, expected)

    def test_all_labels_known_is_the_plain_fit_and_batches_need_labels(self):
        model, X, y, _ = problem("gaussian")
        model.unlabelled = -1
        np.testing.assert_array_equal(
            clone(model).fit(X, y).predict_proba(X), BayesClassifier().fit(X, y).predict_proba(X)
        )
        with pytest.raises(ValueError, match="lacks some labels"):
            clone(model).partial_fit(X, np.where(y == 1, np.nan, y), classes=[0, 1, 2])

    def test_given_priors_stay(self):
        model, X, y, _ = problem("GaussianNB with priors")
        partly = np.where(np.arange(N) % 2 == 0, y, np.nan)
        assert model.fit(X, partly).class_prior_ == pytest.approx([0.2, 0.3, 0.5])


def parzen_convergence():
    from sklearn.exceptions import ConvergenceWarning

    return ConvergenceWarning


class TestEquivalences:
    def same(self, a, b, X, y, rtol=1e-9):
        found, expected = a.fit(X, y).predict_log_proba(X), b.fit(X, y).predict_log_proba(X)
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)

    def test_linear_discriminant_analysis_is_quadratic_with_one_covariance(self):
        _, X, y, _ = problem("gaussian")
        self.same(LinearDiscriminantAnalysis(), GaussianDiscriminant(shared=True), X, y)
        self.same(QuadraticDiscriminantAnalysis(), GaussianDiscriminant(), X, y)
        for solver in ("lsqr", "eigen"):
            self.same(LinearDiscriminantAnalysis(solver), LinearDiscriminantAnalysis(), X, y)
        for solver in ("eigen", "svd"):
            self.same(QuadraticDiscriminantAnalysis(solver=solver), BayesClassifier(Gaussian()), X, y)

    def test_gaussian_naive_bayes_is_diagonal_discriminant_analysis(self):
        _, X, y, _ = problem("gaussian")
        self.same(GaussianNB(var_smoothing=0.0), GaussianDiscriminant("diag"), X, y)
        self.same(GaussianNB(var_smoothing=0.0), BayesClassifier(Product({j: Gaussian() for j in range(3)})), X, y)

    def test_a_family_for_each_class_is_the_family(self):
        _, X, y, _ = problem("gaussian")
        self.same(BayesClassifier(dict.fromkeys(range(3), Gaussian())), BayesClassifier(Gaussian()), X, y)
        self.same(BayesClassifier(PerGroup([Gaussian()] * 3)), BayesClassifier(Gaussian()), X, y)

    def test_a_known_density_is_not_learnt_again(self):
        _, X, y, _ = problem("gaussian")
        model = BayesClassifier(Gaussian()).fit(X, y)
        known = BayesClassifier(model.density_).fit(X[:30], y[:30])
        np.testing.assert_allclose(known.density_.log_density(X), model.density_.log_density(X))
        assert known.class_prior_ == pytest.approx(np.bincount(y[:30]) / 30)

    def test_bernoulli_is_categorical_with_two_categories(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 80)
        X = (rng.random((80, 4)) < 0.2 + 0.2 * y[:, None]).astype(int)
        self.same(BernoulliNB(), CategoricalNB(min_categories=2), X, y)
        self.same(BernoulliNB(), BayesClassifier(Categorical(unseen="error", categories=2)), X, y)
        np.testing.assert_allclose(
            NaiveBayes().fit(X == 1, y).predict_proba(X == 1), BernoulliNB().fit(X, y).predict_proba(X), rtol=1e-12
        )

    def test_dense_and_sparse_rows_agree(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 80)
        X = counts(rng, y)
        for model in (
            MultinomialNB(),
            ComplementNB(norm=True),
            BernoulliNB(),
            LogisticRegression(tol=1e-9, max_iter=5000),
        ):
            for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
                for dtype in (np.float64, np.float32, np.int64, np.int32, bool):
                    rows = X.astype(dtype)
                    expected = clone(model).fit(rows.astype(float), y).predict_proba(rows.astype(float))
                    found = clone(model).fit(kind(rows), y).predict_proba(kind(rows))
                    tolerance = 1e-5 if isinstance(model, LogisticRegression) else 1e-9
                    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
