"""The optimum of a logistic regression: its conditions, its gap, and that all ways of finding it end there."""

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris

from parzen.compute.memberships import Labels
from parzen.densities.linear import Linear
from parzen.families.logistic import doubt, newton, objective, problem
from parzen.families.logistic import separation as separating
from parzen.families.logistic.likelihood import Scores
from parzen.families.logistic.objective import Objective
from parzen.families.logistic.optimum import likelihood_path, maximise_likelihood
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.problem import Problem
from parzen.families.logistic.products import Products
from parzen.families.logistic.quadratic import Quadratic
from parzen.families.logistic.secants import Secants
from parzen.families.logistic.terms import Terms
from tests.estimators.classify.peers import share_of_l1
from tests.oracle import logistic as oracle

PENALTIES = st.builds(
    lambda strength, ratio: Penalty(l1=strength * ratio, l2=strength * (1.0 - ratio)),
    st.floats(-2, 2).map(lambda e: 10.0**e),
    st.sampled_from([0.0, 0.3, 1.0]),
)


def solve(X, y, K, penalty, tol=1e-10, weights=None, intercept=True, max_iter=500, start=None):
    labels = Labels(y, weights, groups=K)
    return maximise_likelihood(
        X, labels, terms=Terms(), penalty=penalty, intercept=intercept, tol=tol, max_iter=max_iter, start=start
    )


def drawn(seed, K, n=60, d=5, spread=1.0):
    """Rows of which the first column tells the class; every class has a row."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-spread, spread, d)
    X[:, 0] += y * rng.exponential()
    return X, y, rng.exponential(size=n)


def violation(X, y, w, found, penalty):
    """How far the derivatives are from the conditions of an optimum, relative to what they are sums of."""
    by_weight, by_intercept = oracle.slopes(X, y, w, found.coef, found.intercept)
    by_weight = by_weight + penalty.l2 * found.coef
    away = np.abs(by_weight + penalty.l1 * np.sign(found.coef))
    held = np.maximum(np.abs(by_weight) - penalty.l1, 0.0)
    size = (w[:, None] * np.abs(X)).sum(axis=0) + penalty.l1
    return max((np.where(found.coef == 0.0, held, away) / size).max(), np.abs(by_intercept).max() / w.sum())


class TestLaws:
    @given(st.integers(0, 2**31), st.integers(2, 4), PENALTIES)
    def test_the_conditions_of_the_optimum_hold(self, seed, K, penalty):
        X, y, w = drawn(seed, K)
        found = solve(X, y, K, penalty, weights=w)
        assert found.converged
        assert violation(X, y, w, found, penalty) < 1e-6
        value = oracle.objective(X, y, w, found.coef, found.intercept, penalty.l1, penalty.l2)
        assert found.objective == pytest.approx(value, rel=1e-10)

    @given(st.integers(0, 2**31), st.integers(2, 4), PENALTIES, st.sampled_from([1e-1, 1e-2, 1e-4]))
    @example(201, 3, Penalty(0.0, 100.0, 0.0, 0.0), 1e-1)
    def test_the_gap_bounds_what_is_left_to_gain(self, seed, K, penalty, tol):
        X, y, w = drawn(seed, K)
        least = solve(X, y, K, penalty, weights=w, tol=1e-12).objective
        found = solve(X, y, K, penalty, weights=w, tol=tol)
        assert found.converged
        # The last value may be what the model of a step foresees: it may lie below the least, the point's own may not.
        value = oracle.objective(X, y, w, found.coef, found.intercept, penalty.l1, penalty.l2)
        assert -1e-9 * least <= value - least <= found.gap + 1e-9 * least
        assert abs(found.objective - least) <= found.gap + 1e-9 * least
        assert found.gap <= tol * found.objective

    @given(st.integers(0, 2**31), st.integers(2, 4), st.floats(-2, 2), st.sampled_from([0.0, 0.5]), st.booleans())
    def test_the_duality_gap_is_a_bound_at_any_point(self, seed, K, exponent, ratio, at_optimum):
        X, y, w = drawn(seed, K)
        penalty = Penalty(l1=ratio * 10.0**exponent, l2=(1.0 - ratio) * 10.0**exponent)
        best = solve(X, y, K, penalty, weights=w, tol=1e-12)
        one = Problem.of(X, Labels(y, w, groups=K), Terms(), True)
        aim = Objective(Products(one), penalty)
        point = one.enter(best.coef, best.intercept)
        if not at_optimum:
            point = point + np.random.default_rng(seed).normal(size=point.shape) * (1.0 + np.abs(point))
        here = aim.at(point)
        bound = aim.bound(here)
        assert bound >= (here.value - best.objective) * (1.0 - 1e-9) - 1e-9 * best.objective
        assert not at_optimum or bound <= 1e-3 * best.objective


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_a_path_ends_where_single_fits_do(K, ratio):
    X, y, w = drawn(6, K)
    penalties = [Penalty(l1=ratio * strength, l2=(1.0 - ratio) * strength) for strength in (30.0, 3.0, 0.1)]
    options = {"terms": Terms(), "intercept": True, "tol": 1e-10, "max_iter": 500}
    path = likelihood_path(X, Labels(y, w, groups=K), penalties=penalties, **options)
    for one, found in zip(penalties, path, strict=True):
        alone = solve(X, y, K, one, weights=w)
        assert found.objective == pytest.approx(alone.objective, rel=1e-8)
        np.testing.assert_allclose(found.coef, alone.coef, atol=1e-4 * np.abs(alone.coef).max(initial=1e-9))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 1.0), (2.0, 0.0), (1.0, 0.5)])
def test_the_optimum_is_the_plain_proximal_gradient_s(K, l1, l2):
    X, y, w = drawn(7, K, spread=0.0)
    coef, intercept = oracle.proximal_gradient(X, y, w, K, l1, l2, 4000)
    found = solve(X, y, K, Penalty(l1=l1, l2=l2), weights=w)
    np.testing.assert_allclose(found.coef, coef, atol=1e-6)
    np.testing.assert_allclose(found.intercept - found.intercept.mean() * (K > 2), intercept, atol=1e-6)
    assert ((found.coef == 0.0) == (coef == 0.0)).all()


@pytest.mark.parametrize(
    ("load", "C", "ratio"),
    [(load_iris, 1.0, 1.0), (load_iris, 0.3, 0.5), (load_breast_cancer, 0.1, 1.0), (load_breast_cancer, 0.3, 0.5)],
)
def test_l1_and_elastic_net_are_scikit_learn_s_with_the_same_zeros(load, C, ratio):
    X, y = load(return_X_y=True)
    X, K = (X - X.mean(axis=0)) / X.std(axis=0), y.max() + 1
    options = {"C": C, "solver": "saga", "tol": 1e-8, "max_iter": 100_000, "random_state": 0}
    theirs = sklearn.linear_model.LogisticRegression(**options, **share_of_l1(ratio)).fit(X, y)
    for rows in (X, sparse.csr_array(X)):
        found = solve(rows, y, K, Penalty(l1=ratio / C, l2=(1.0 - ratio) / C))
        np.testing.assert_allclose(found.coef, theirs.coef_, atol=2e-5)
        assert ((found.coef == 0.0) == (theirs.coef_ == 0.0)).all()


@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_a_penalised_intercept_is_liblinear_s(ratio):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0) + 0.5
    scaling = 3.0
    theirs = sklearn.linear_model.LogisticRegression(
        solver="liblinear",
        C=0.2,
        intercept_scaling=scaling,
        tol=1e-9,
        max_iter=100_000,
        random_state=0,
        **share_of_l1(ratio),
    ).fit(X, y)
    l1, l2 = ratio / 0.2, (1.0 - ratio) / 0.2
    found = solve(X, y, 2, Penalty(l1, l2, l1 / scaling, l2 / scaling**2))
    np.testing.assert_allclose(found.coef, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(found.intercept, theirs.intercept_, atol=2e-4)


@pytest.mark.parametrize("K", [2, 3])  # of an even number above 2, l1 alone has several optima
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 1.0), (1.5, 0.0), (0.7, 0.7)])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array])
def test_formed_and_implicit_curvature_end_at_the_same_place(K, l1, l2, form, monkeypatch):
    X, y, w = drawn(3, K, n=90, d=8, spread=0.3)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.4, 0.0, X).astype(np.float32)
    penalty = Penalty(l1=l1, l2=l2)
    best = solve(X.astype(float), y, K, penalty, weights=w)
    for module, name in ((objective, "FORMED"), (problem, "FILLED")):
        monkeypatch.setattr(module, name, 0)
    found = solve(form(X), y, K, penalty, weights=w)
    assert found.converged
    assert found.objective == pytest.approx(best.objective, rel=1e-9)
    np.testing.assert_allclose(found.coef, best.coef, atol=1e-4)
    assert ((found.coef == 0.0) == (best.coef == 0.0)).all()


@pytest.mark.parametrize("K", [2, 3])
def test_a_dear_curvature_is_used_again_to_the_same_end(K, monkeypatch):
    X, y, w = drawn(4, K, n=300, d=20, spread=0.3)
    monkeypatch.setattr(objective, "CHEAP", 0)
    made = []
    whole = Problem.curvature
    monkeypatch.setattr(Problem, "curvature", lambda *given: made.append(1) or whole(*given))
    monkeypatch.setattr(Objective, "runs", False)
    monkeypatch.setattr(Objective, "dearness", 0.0)
    best = solve(X, y, K, Penalty(l2=1.0), weights=w)
    often = len(made)
    made.clear()
    monkeypatch.setattr(Objective, "dearness", 1e9)
    found = solve(X, y, K, Penalty(l2=1.0), weights=w)
    assert 1 <= len(made) < often
    assert found.objective == pytest.approx(best.objective, rel=1e-10)


def test_secants_make_a_wrong_model_right():
    """On a quadratic function L-BFGS with all steps ends after as many as there are coordinates, from any start."""
    rng = np.random.default_rng(8)
    root, wrong = rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
    matrix = root @ root.T + np.eye(5)
    secants = Secants(Quadratic(wrong @ wrong.T + np.eye(5), np.zeros(5)))
    point, slope = np.zeros(5), rng.normal(size=5)
    least = -0.5 * slope @ np.linalg.solve(matrix, slope)
    value = 0.0
    for _ in range(5):
        way, _ = secants.step(point, slope)
        way = way * -(slope @ way) / (way @ matrix @ way)
        value += slope @ way + 0.5 * way @ matrix @ way
        secants.learn(way, matrix @ way)
        point, slope = point + way, slope + matrix @ way
    assert value == pytest.approx(least, rel=1e-9)
    step, gain = secants.step(point, np.ones(5))
    np.testing.assert_allclose(step, -np.linalg.solve(matrix, np.ones(5)), rtol=1e-6)
    assert gain == pytest.approx(0.5 * np.ones(5) @ np.linalg.solve(matrix, np.ones(5)), rel=1e-6)


@pytest.mark.parametrize("K", [2, 3])
def test_the_last_step_ends_where_it_is_said_to(K):
    X, y, w = drawn(9, K, n=400)
    found = solve(X, y, K, Penalty(l2=1.0), weights=w, tol=1e-4)
    value = oracle.objective(X, y, w, found.coef, found.intercept, 0.0, 1.0)
    least = solve(X, y, K, Penalty(l2=1.0), weights=w, tol=1e-12).objective
    assert found.objective == pytest.approx(value, rel=1e-5)
    assert value <= least * (1.0 + 1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("apart", [4.0, 6.0])
def test_where_classes_are_far_apart_rows_in_doubt_lead_to_the_optimum_of_all(apart, intercept, weighted, monkeypatch):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 20_000)
    X, w = rng.normal(size=(20_000, 6)) + 7.0, rng.exponential(size=20_000) if weighted else None
    X[:, :2] += apart * (y[:, None] - 0.5)
    X, asked, narrow = X - 7.0 * (not intercept), [], newton.among_doubtful
    monkeypatch.setattr(newton, "among_doubtful", lambda *given: asked.append(len(given)) or narrow(*given))
    found = solve(X, y, 2, Penalty(l2=1.0), tol=1e-4, weights=w, intercept=intercept)
    monkeypatch.setattr(newton, "doubt", lambda sample, point: None)
    least = solve(X, y, 2, Penalty(l2=1.0), tol=1e-12, weights=w, intercept=intercept)
    assert len(asked) == 1
    assert found.converged
    value = oracle.objective(X, y, np.ones(len(y)) if w is None else w, found.coef, found.intercept, 0.0, 1.0)
    assert value == pytest.approx(least.objective, rel=2e-6)
    assert found.objective == pytest.approx(value, rel=1e-5)
    assert value - least.objective <= found.gap + 1e-9 * value


@pytest.mark.parametrize(
    "form", [np.asfortranarray, lambda X: np.round(X).astype(np.int64), lambda X: X > 0, np.float32]
)
def test_rows_in_doubt_are_found_in_rows_of_every_layout_and_type(form):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    X = form(4.0 * rng.normal(size=(2, 16))[y] + 3.0 * rng.normal(size=(20_000, 16)))
    found = solve(X, y, 2, Penalty(l2=1.0), tol=1e-4)
    least = solve(np.ascontiguousarray(X, dtype=np.float64), y, 2, Penalty(l2=1.0)).objective
    assert found.objective == pytest.approx(least, rel=1e-5)


def test_rows_in_doubt_are_as_few_as_hold_nearly_all_of_the_curvature():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(1500, 2)), np.arange(1500) % 2
    seen = Problem.of(X, Labels(y), Terms(), True)
    point = np.array([[20.0, 0.0, 1.0]])
    size = doubt.doubt(seen, point)
    scores = np.abs((X - seen.origin) @ [20.0, 0.0] + 1.0)
    bends = scores**2 * np.exp(-scores) / (1.0 + np.exp(-scores)) ** 2
    assert bends[scores <= size].sum() >= (1.0 - doubt.CERTAIN) * bends.sum()
    assert bends[scores < size].sum() < (1.0 - doubt.CERTAIN) * bends.sum()
    assert doubt.doubt(seen, 0.01 * point) is None


def test_all_rows_in_doubt_are_the_whole_objective_and_some_have_its_slope(monkeypatch):
    X, y, _ = drawn(4, 2, n=300, spread=0.1)
    own = Objective(Products(Problem.of(X, Labels(y), Terms(), True)), Penalty(l2=1.0))
    here = own.at(np.full((1, 6), 0.1))
    monkeypatch.setattr(doubt, "FEW", 1.0)
    whole = doubt.among_doubtful(own, here, np.inf)
    least = solve(X, y, 2, Penalty(l2=1.0), tol=1e-12).objective
    assert own.at(whole.point).value == pytest.approx(least, rel=1e-5)
    assert doubt.among_doubtful(own, here, 0.0) is None
    best = own.at(newton.newton(own, here.point, 1e-12, 100).point)  # no step leads away from the optimum
    assert own.at(doubt.among_doubtful(own, best, 1.0).point).value == pytest.approx(best.value, rel=1e-12)


@pytest.mark.parametrize("penalty", [Penalty(l2=1.0), Penalty(l1=3.0), Penalty()])
@pytest.mark.parametrize("rare", [False, True])
def test_a_sample_of_the_rows_begins_the_way_and_all_rows_end_it(penalty, rare, monkeypatch):
    rng = np.random.default_rng(5)
    y = rng.choice(4, 30_000, p=[0.5, 0.3, 0.1999, 0.0001] if rare else [0.4, 0.3, 0.2, 0.1])
    y[:4] = np.arange(4)
    X = rng.normal(size=(30_000, 3)) + np.eye(4, 3)[y]
    asked = []
    whole = Problem.sample
    monkeypatch.setattr(Problem, "sample", lambda self, share: asked.append(share) or whole(self, share))
    found = solve(X, y, 4, penalty, tol=1e-9)
    assert asked
    monkeypatch.setattr(newton, "LEAST", 10**9)
    asked.clear()
    best = solve(X, y, 4, penalty, tol=1e-9)
    assert not asked
    assert found.objective == pytest.approx(best.objective, rel=1e-9)


def test_no_step_evaluates_the_start():
    X, y, _ = drawn(1, 3)
    found = solve(X, y, 3, Penalty(l2=1.0), max_iter=0)
    assert not found.coef.any()
    assert not found.intercept.any()
    assert found.objective == pytest.approx(len(y) * np.log(3.0))
    assert (found.n_iter, found.converged) == (0, False)
    best = solve(X, y, 3, Penalty(l2=1.0))
    again = solve(X, y, 3, Penalty(l2=1.0), max_iter=0, tol=1e-8, start=(best.coef, best.intercept))
    assert again.converged
    np.testing.assert_allclose(again.coef, best.coef, rtol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("constant", [0.1, -0.3, 1e8 / 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_column_gets_no_weight(K, constant, weighted):
    X, y, w = drawn(3, K, n=1000)
    w = w if weighted else None
    table = np.insert(X, 2, constant, axis=1)
    found, plain = solve(table, y, K, Penalty(), weights=w), solve(X, y, K, Penalty(), weights=w)
    np.testing.assert_array_equal(found.coef[:, 2], 0.0)
    assert found.objective == pytest.approx(plain.objective, rel=1e-12)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("l1", [0.0, 0.5])
def test_hard_numbers_end_at_the_optimum(K, l1):
    """An offset of 1e8, a constant column, two equal columns, more columns than rows, duplicates, huge weights."""
    penalty = Penalty(l1=l1, l2=1.0 - l1)
    X, y, w = drawn(11, K)
    X = np.round(X * 4096) / 4096
    near = solve(X, y, K, penalty, weights=w)
    far = solve(X + 1e8, y, K, penalty, weights=w)
    np.testing.assert_allclose(far.coef, near.coef, rtol=1e-5, atol=1e-7)
    constant = solve(np.column_stack([X, np.full(len(X), 7.0)]), y, K, penalty, weights=w)
    assert constant.objective == pytest.approx(near.objective, rel=1e-9)
    np.testing.assert_allclose(constant.coef[:, -1], 0.0, atol=1e-9)
    twice = solve(np.concatenate([X, X]), np.concatenate([y, y]), K, penalty, weights=np.concatenate([w, w]) / 2)
    np.testing.assert_allclose(twice.coef, near.coef, atol=1e-6)
    equal = solve(np.column_stack([X, X[:, 0]]), y, K, penalty, weights=w)
    assert equal.converged
    assert equal.objective <= near.objective * (1 + 1e-9)
    wide = np.random.default_rng(2).normal(size=(len(y), 150))
    assert violation(wide, y, w, solve(wide, y, K, penalty, weights=w), penalty) < 1e-6
    heavy = Penalty(l1=1e12 * penalty.l1, l2=1e12 * penalty.l2)
    np.testing.assert_allclose(solve(X, y, K, heavy, weights=1e12 * w).coef, near.coef, rtol=1e-4, atol=1e-6)


def test_nearly_separable_classes_end_within_the_tolerance_of_the_least():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 5, 3000)
    X = rng.normal(size=(3000, 6)) + 3.0 * rng.normal(size=(5, 6))[y]
    for strength in (1.0, 1e-3):
        least = solve(X, y, 5, Penalty(l2=strength), tol=1e-12).objective
        found = solve(X, y, 5, Penalty(l2=strength), tol=1e-4)
        assert least < 0.1 * len(y)
        assert found.objective - least <= 1e-4 * least


@pytest.mark.parametrize("K", [20, 50])
def test_a_step_that_promises_more_than_there_is_is_not_believed(K):
    # A few rows weigh nearly everything: the model at the first points promises objectives below zero.
    rng = np.random.default_rng(80)
    y, X = np.concatenate([np.arange(K), rng.integers(0, K, 5)]), rng.normal(size=(K + 5, 2))
    w = 10.0 ** rng.uniform(-4, 4, len(y))
    for intercept in (False, True):
        found, least = (solve(X, y, K, Penalty(l2=1.0), tol, w, intercept) for tol in (1e-4, 1e-10))
        assert found.converged
        assert least.objective >= 0.0
        assert found.objective == pytest.approx(least.objective, rel=1e-4)
        scored = oracle.objective(X, y, w, found.coef, found.intercept, 0.0, 1.0)
        assert found.objective == pytest.approx(scored, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_row_far_out_does_not_hide_how_far_the_optimum_is(seed):
    # Its curvature shortens the steps, and what each promises to gain is small from the beginning.
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 1000)
    X = rng.normal(size=(1000, 30)) + 100.0 * rng.normal(size=(2, 30))[y]
    X[rng.integers(1000)] *= 1e6
    found, least = (solve(X, y, 2, Penalty(l2=1.0), tol) for tol in (1e-4, 1e-12))
    assert found.objective - least.objective <= 1e-4 * least.objective


@given(st.integers(0, 2**31), st.integers(2, 3), st.sampled_from(["overlap", "shifted", "level", "half"]))
def test_an_optimum_is_called_finite_where_no_hyperplane_separates(seed, K, kind):
    """Compared with the linear programme of Albert and Anderson (1984)."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), np.concatenate([np.arange(K), rng.integers(0, K, 40 - K)])
    if kind == "shifted":
        X[:, 0] += 2.0 * y
    elif kind == "level":  # a zero or one that only one class has
        X[:, 1] = (y == 0) & (rng.random(40) < 0.3)
    elif kind == "half":  # both classes at the border
        X[:, 0] = np.where(y == 0, -np.abs(X[:, 0]), np.abs(X[:, 0])).round()
    found = solve(X, y, K, Penalty(), tol=1e-4, max_iter=100)
    own = np.eye(K)[y]
    margins = [np.kron(own[i] - np.eye(K)[k], np.append(X[i], 1.0)) for i in range(40) for k in range(K) if k != y[i]]
    table = np.array(margins)
    best = linprog(-table.sum(axis=0), A_ub=-table, b_ub=np.zeros(len(table)), bounds=(-1, 1))
    assert found.finite == (-best.fun <= 1e-7 * len(table))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("kind", ["overlap", "level", "rare"])
def test_partial_separation_is_told_as_by_a_linear_programme_and_mostly_without_one(K, kind, monkeypatch):
    rng, asked = np.random.default_rng(K), []
    X, y = rng.normal(size=(600, 3)), rng.integers(0, K, 600)
    if kind != "overlap":  # a zero or one that only one class has
        X[:, 1] = (y == 0) & (rng.random(600) < (0.3 if kind == "level" else 0.01))
    whole = separating._programme
    monkeypatch.setattr(separating, "_programme", lambda table: asked.append(1) or whole(table))
    found = solve(5.0 * X, y, K, Penalty(), tol=1e-4, max_iter=100)
    coef, intercept = (np.concatenate([np.zeros_like(a), a]) if K == 2 else a for a in (found.coef, found.intercept))
    how = separating.separation(Scores(Terms(), Linear(coef, intercept), 3), 5.0 * X, Labels(y, groups=K))
    assert how == ("none" if kind == "overlap" else "partial")
    assert not asked


def test_partial_separation_of_many_rows_is_not_taken_for_an_optimum():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9000, 3)), rng.integers(0, 2, 9000)
    X[:, 0] = (y == 0) & (rng.random(9000) < 0.3)
    assert not solve(X, y, 2, Penalty(), tol=1e-4, max_iter=100).finite
    assert solve(X, y, 2, Penalty(l2=1.0), tol=1e-4, max_iter=100).finite
