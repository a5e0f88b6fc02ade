"""The laws of classifiers, over a table of them: posteriors, batches, shards, weights, priors, threads, equivalence."""

import copy
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import clone

import parzen
from parzen import (
    BayesClassifier,
    Bernoulli,
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
    Multinomial,
    MultinomialNB,
    NaiveBayes,
    PerGroup,
    Poisson,
    Product,
    QuadraticDiscriminantAnalysis,
)

N = 90


def numbers(rng, y):
    return rng.normal(size=(len(y), 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.3], [0, 0, 2]]) + 0.9 * y[:, None]


def counts(rng, y):
    return rng.poisson(1.0 + np.stack([y, 2 - y, 1 + 0 * y], axis=1))


def codes(rng, y):
    return (rng.integers(0, 3, (len(y), 3)) + y[:, None]) % 4


def mixed(rng, y):
    return np.column_stack([numbers(rng, y)[:, :2], counts(rng, y)[:, 0], codes(rng, y)[:, 0] % 2])


PRODUCT = Product({(0, 1): Gaussian(), 2: Poisson(), 3: Bernoulli()})
GENERATIVE = {
    "gaussian": (BayesClassifier(), numbers),
    "gaussian map": (BayesClassifier(Gaussian(estimate="map")), numbers),
    "gaussian bayes": (BayesClassifier(Gaussian(estimate="bayes")), numbers),
    "product": (BayesClassifier(PRODUCT), mixed),
    "poisson": (BayesClassifier(Poisson()), counts),
    "multinomial bayes": (BayesClassifier(Multinomial()), counts),
    "each": (
        BayesClassifier({0: Gaussian(), 1: Gaussian("diag"), 2: Gaussian("spherical", estimate="map")}),
        numbers,
    ),
    "naive": (NaiveBayes(), mixed),
    "naive with families": (NaiveBayes({1: Gaussian(), 2: Poisson(estimate="map")}), mixed),
    "discriminant": (GaussianDiscriminant(shared=True), numbers),
    "spherical": (GaussianDiscriminant("spherical", class_prior="uniform"), numbers),
    "GaussianNB": (GaussianNB(), numbers),
    "GaussianNB with priors": (GaussianNB(priors=[0.2, 0.3, 0.5]), numbers),
    "BernoulliNB": (BernoulliNB(binarize=1.0), counts),
    "MultinomialNB": (MultinomialNB(), counts),
    "CategoricalNB": (CategoricalNB(), codes),
    "LDA": (LinearDiscriminantAnalysis(), numbers),
    "LDA shrunk": (LinearDiscriminantAnalysis("lsqr", shrinkage="auto"), numbers),
    "QDA": (QuadraticDiscriminantAnalysis(), numbers),
    "QDA shrunk": (QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"), numbers),
}
OTHERS = {
    "ComplementNB": (ComplementNB(), counts),
    "logistic": (LogisticRegression(tol=1e-8, max_iter=2000), numbers),
    "logistic of degree 2": (LogisticRegression(degree=2, tol=1e-8, max_iter=2000), numbers),
}


def problem(name, seed=0):
    model, rows = (GENERATIVE | OTHERS)[name]
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N) % 3)
    return clone(model), rows(rng, y), y, rng


generative = pytest.mark.parametrize("name", GENERATIVE)
every = pytest.mark.parametrize("name", GENERATIVE | OTHERS)


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
def test_a_missing_cell_is_integrated_out_at_prediction(name):
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
def test_samples_have_the_classes_asked_for_and_teach_the_same(name):
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


class TestForms:
    LINEAR = ("discriminant", "BernoulliNB", "MultinomialNB", "LDA", "LDA shrunk")

    @pytest.mark.parametrize("name", LINEAR)
    @pytest.mark.parametrize("offset", [0, 1000])
    def test_the_softmax_has_the_model_s_posteriors(self, name, offset):
        model, X, y, _ = problem(name)
        if offset and name in ("BernoulliNB", "MultinomialNB"):
            pytest.skip("counts have no offset")
        X = X + offset
        softmax = model.fit(X, y).as_linear()
        np.testing.assert_allclose(softmax.predict_proba(X), model.predict_proba(X), rtol=0, atol=1e-10)
        np.testing.assert_array_equal(softmax.predict(X), model.predict(X))
        if name != "BernoulliNB":
            scores = X @ softmax.coef.T + softmax.intercept
            expected = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
            np.testing.assert_allclose(expected, model.predict_proba(X), rtol=0, atol=1e-10 if not offset else 1e-8)
        if name in ("BernoulliNB", "MultinomialNB"):
            found = softmax.predict_proba(sparse.csr_array(X))
            np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-10)

    def test_poisson_and_one_variance_are_linear_too(self):
        rng = np.random.default_rng(0)
        y = np.arange(N) % 3
        X = counts(rng, y)
        model = BayesClassifier(Poisson(estimate="map")).fit(X, y)
        np.testing.assert_allclose(model.as_linear().predict_proba(X), model.predict_proba(X), atol=1e-10)
        both = np.column_stack([X, numbers(rng, y)])
        family = Product({(0, 1, 2): Poisson(estimate="map"), (3, 4, 5): Gaussian("spherical", shared=True)})
        model = BayesClassifier(family).fit(both, y)
        np.testing.assert_allclose(model.as_linear().predict_proba(both), model.predict_proba(both), atol=1e-10)

    def test_what_is_not_linear_says_so(self):
        model, X, y, _ = problem("QDA")
        with pytest.raises(ValueError, match="quadratic"):
            model.fit(X, y).as_linear()
        model, X, y, _ = problem("CategoricalNB")
        with pytest.raises(ValueError, match="no polynomial"):
            model.fit(X, y).as_linear()

    @pytest.mark.parametrize(
        "name", ["gaussian", "GaussianNB", "discriminant", "each", "logistic", "logistic of degree 2"]
    )
    def test_the_boundary_is_the_log_odds(self, name):
        model, X, y, _ = problem(name)
        model.fit(X, y)
        logs = model.predict_log_proba(X)
        for first, second in ((0, 1), (2, 0)):
            boundary = model.decision_boundary(first, second)
            expected = logs[:, second] - logs[:, first]
            np.testing.assert_allclose(boundary(X), expected, rtol=1e-8, atol=1e-8)
            plain = np.einsum("ni,ij,nj->n", X, boundary.A, X) + X @ boundary.b + boundary.c
            np.testing.assert_allclose(plain, expected, rtol=1e-8, atol=1e-8)
            assert boundary.is_linear == (name in ("discriminant", "logistic"))
        with pytest.raises(ValueError, match="name the two"):
            model.decision_boundary()

    @given(st.integers(0, 2**31))
    def test_roots_are_where_two_classes_are_equally_likely(self, seed):
        rng = np.random.default_rng(seed)
        y = np.arange(40) % 2
        X = (rng.normal(size=(40, 1)) * (1 + rng.exponential() * y[:, None]) + rng.normal() * y[:, None]) + 1e4
        for shared in (False, True):
            model = GaussianDiscriminant(shared=shared).fit(X, y)
            roots = model.decision_boundary().roots()
            assert len(roots) <= (1 if shared else 2)
            if len(roots):
                np.testing.assert_allclose(model.predict_proba(roots[:, None]), 0.5, atol=1e-6)

    def test_an_offset_of_1e8_leaves_softmax_and_boundary_exact(self):
        model, X, y, _ = problem("discriminant")
        X = np.round(X * 1024) / 1024
        expected = clone(model).fit(X, y).predict_proba(X)
        far = clone(model).fit(X + 1e8, y)
        np.testing.assert_allclose(far.predict_proba(X + 1e8), expected, atol=1e-7)
        np.testing.assert_allclose(far.as_linear().predict_proba(X + 1e8), far.predict_proba(X + 1e8), atol=1e-10)


class TestExplanations:
    NAIVE = ("naive", "GaussianNB", "BernoulliNB", "MultinomialNB", "CategoricalNB", "ComplementNB")

    @pytest.mark.parametrize("name", NAIVE)
    def test_contributions_add_up_to_the_log_odds(self, name):
        model, X, y, _ = problem(name)
        X = np.array(X, dtype=float)
        X[::7, 1] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            model.fit(np.nan_to_num(X), y)
        explanation = model.explain(X)
        np.testing.assert_array_equal(explanation.labels, model.predict(X))
        assert (explanation.labels != explanation.against).all()
        if name != "MultinomialNB":  # a missing count leaves a multinomial of the rest
            logs = model.predict_log_proba(X)
            at = np.arange(N)
            np.testing.assert_allclose(
                explanation.total, logs[at, explanation.labels] - logs[at, explanation.against], atol=1e-9
            )
        assert (explanation.contributions[::7, 1] == 0).all()
        chosen = model.explain(X, label=2, against=0)
        assert (chosen.labels == 2).all()
        assert (chosen.against == 0).all()
        with pytest.raises(ValueError, match="two different"):
            model.explain(X, label=2, against=2)

    def test_a_copy_of_a_model_explains_the_same(self):
        model, X, y, _ = problem("naive")
        model.fit(X, y)
        assert model.explain(X).text(3) == copy.deepcopy(model).explain(X).text(3)
