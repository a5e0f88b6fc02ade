"""Kernel and histogram density estimators: scikit-learn's conventions, tables, searches, and bad input."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import BayesClassifier, DensityEstimator, HistogramDensity, Kernel, KernelDensity, NaiveBayes
from tests.libraries import polars as pl


@pytest.mark.filterwarnings("ignore::parzen.bandwidth.BandwidthWarning", "ignore::parzen.FloorWarning")
@parametrize_with_checks(
    [
        KernelDensity(),
        KernelDensity(bandwidth="silverman", covariance="diag", kernel="epanechnikov"),  # a rule, compact support
        KernelDensity(bandwidth=0.5, adaptive=True),
        DensityEstimator(Kernel("scott")),
        HistogramDensity(),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_parameters_are_scikit_learns_and_more():
    from sklearn.neighbors import KernelDensity as Peer

    ours, theirs = KernelDensity().get_params(), Peer().get_params()
    assert theirs.keys() <= ours.keys()
    assert {name: ours[name] for name in theirs if name != "rtol"} == {
        name: value for name, value in theirs.items() if name != "rtol"
    }


@pytest.mark.parametrize("make", [np.asfortranarray, np.float32, lambda X: X.tolist(), lambda X: X[::-1][::-1]])
def test_arrays_of_any_kind(make, rng):
    X = rng.normal(size=(50, 2)).astype(np.float32).astype(float)
    expected = KernelDensity().fit(X).score_samples(X)
    np.testing.assert_allclose(KernelDensity().fit(make(X)).score_samples(make(X)), expected, atol=1e-6)


def test_read_only_arrays_and_later_changes(rng):
    X = rng.normal(size=(50, 1))
    model = KernelDensity().fit(X)
    before = model.score_samples([[0.0]])
    X[:] = 100
    assert model.score_samples([[0.0]]) == before
    X.flags.writeable = False
    KernelDensity().fit(X + 0).score_samples(X)


def test_tables_with_names(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["height", "weight"])
    model = KernelDensity(bandwidth="scott", bounds={"weight": (-9, None)}).fit(frame)
    other = KernelDensity(bandwidth="scott", bounds={"weight": (-9, None)}).fit(pl.from_pandas(frame))
    np.testing.assert_allclose(model.score_samples(frame), other.score_samples(pl.from_pandas(frame)))
    assert list(model.sample(3, random_state=0).columns) == ["height", "weight"]
    assert model.marginal("weight").feature_names_in_.tolist() == ["weight"]
    frame["constant"] = 3.0
    with pytest.raises(ValueError, match="'constant' is constant"):
        KernelDensity(bandwidth="sj").fit(frame[["constant"]])
    with pytest.raises(ValueError, match="column 'weight'"):
        KernelDensity(bounds={"weight": (3, 2)}).fit(frame)
    with pytest.raises(ValueError, match="column 'weight' are 5 and inf, but it holds"):
        KernelDensity(bounds={"weight": (5, None)}).fit(frame)


def test_bounds_are_checked_in_every_class(rng):
    X = np.array([[0.5], [0.6], [0.7], [1.5]])
    with pytest.raises(ValueError, match=r"holds 1\.5"):
        BayesClassifier(Kernel(0.2, bounds=(0, 1))).fit(X, [0, 0, 1, 1])


def test_it_is_searched_cloned_and_pickled(rng):
    X = rng.normal(size=(120, 2))
    search = GridSearchCV(KernelDensity(), {"bandwidth": [0.05, 0.5, 5.0], "kernel": ["gaussian", "exponential"]}).fit(
        X
    )
    assert search.best_params_["bandwidth"] == 0.5
    pipeline = make_pipeline(StandardScaler(), KernelDensity(bandwidth="lcv")).fit(X)
    model = pickle.loads(pickle.dumps(copy.deepcopy(pipeline)))
    np.testing.assert_array_equal(model.score_samples(X), pipeline.score_samples(X))
    assert clone(KernelDensity(bandwidth=[1, 2], kernel=np.cos)).get_params()["bandwidth"] == [1, 2]


def test_a_bandwidth_is_chosen_by_the_score_of_a_classifier(rng):
    X = np.concatenate([rng.normal(0, 1, (100, 1)), rng.normal(1.5, 1, (100, 1))])
    y = np.repeat(["a", "b"], 100)
    grid = {"family__bandwidth": [1e-3, 0.5, "silverman"]}
    search = GridSearchCV(BayesClassifier(Kernel()), grid).fit(X, y)
    assert search.best_params_["family__bandwidth"] != 1e-3
    frame = pd.DataFrame({"x": X[:, 0], "z": rng.normal(size=200)})
    naive = GridSearchCV(NaiveBayes({"x": Kernel()}), {"x__bandwidth": [1e-4, 0.5]}, scoring="neg_log_loss").fit(
        frame, y
    )
    assert naive.best_params_ == {"x__bandwidth": 0.5}
    swapped = NaiveBayes({"x": Kernel()}).set_params(x=Kernel(0.3))
    assert swapped.columns["x"].bandwidth == 0.3


BAD = [
    ({"bandwidth": 0.0}, "above 0"),
    ({"bandwidth": -1}, "above 0"),
    ({"bandwidth": np.inf}, "finite"),
    ({"bandwidth": [1.0, 2.0, 3.0]}, "2 numbers"),
    ({"bandwidth": np.array([[1, 2], [2, 1.0]])}, "positive definite, but its least eigenvalue is -1"),
    ({"bandwidth": np.array([[1, 2], [0, 1.0]])}, "symmetric"),
    ({"bandwidth": "sott"}, "'scott'"),
    ({"bandwidth": None}, "must be a number"),
    ({"kernel": "gauss"}, "'gaussian'"),
    ({"kernel": lambda u: 1 / 0}, "kernel must be a function"),
    ({"covariance": "round"}, "'scaled'"),
    ({"adaptive": 2.0}, "from 0 to 1"),
    ({"rtol": -1.0}, "rtol must be"),
    ({"metric": "haversine", "algorithm": "kd_tree"}, "invalid metric for algorithm='kd_tree': 'haversine'"),
    ({"metric": "angles"}, "'haversine'"),
    ({"metric": 3}, "or a function of two rows, got 3"),
    ({"metric_params": [2]}, "metric_params must be a dict"),
    ({"metric": "minkowski", "metric_params": {"p": 0}}, "above 0"),
    ({"metric": "minkowski", "metric_params": {"p": 3, "w": [1, 2, 3]}}, "2 numbers, one for each column"),
    ({"metric": "minkowski", "metric_params": {"p": 3, "w": [1, -2]}}, "at least 0"),
    ({"metric": "minkowski", "metric_params": {"p": np.inf, "w": [1, 2]}}, "finite p"),
    ({"metric": "seuclidean", "metric_params": {"V": [0, 1]}}, "above 0"),
    ({"metric": "mahalanobis"}, "'V'"),
    ({"metric": "mahalanobis", "metric_params": {"V": np.ones((2, 2))}}, "positive definite"),
    ({"metric": "mahalanobis", "metric_params": {"VI": -np.eye(2)}}, "no eigenvalue below 0"),
    ({"metric": "manhattan", "bandwidth": "scott"}, "one number as the bandwidth"),
    ({"metric": "manhattan", "bandwidth": [1.0, 2.0]}, "one number as the bandwidth"),
    ({"metric": "manhattan", "bandwidth": -1.0}, "above 0"),
    ({"metric": "manhattan", "adaptive": True}, "adaptive is for the Euclidean metric"),
    ({"metric": "haversine", "period": [None, 6.28]}, "period is for the Euclidean metric"),
    ({"metric": "canberra", "normalization": "metric"}, "not known for the metric 'canberra'"),
    (
        {"metric": "minkowski", "metric_params": {"p": 3, "w": [0, 1]}, "normalization": "metric"},
        "blind to some direction",
    ),
    ({"normalization": "sphere"}, "'metric'"),
    ({"breadth_first": "yes"}, "breadth_first"),
    ({"algorithm": "brute"}, "'kd_tree'"),
    ({"leaf_size": 0}, "leaf_size"),
    ({"bounds": [(0, 1), None]}, "widen the bounds"),
    ({"bounds": (-9, 9)}, "for each of 2 columns"),
    ({"bounds": {"z": (0, 1)}}, "z"),
    ({"bounds": [(9, -9), None]}, "low < high"),
    ({"bounds": [(-9, 9), None], "period": [3.0, None]}, "both bounds and a period"),
    ({"period": [0.0, None]}, "above 0"),
]


@pytest.mark.parametrize(
    ("parameters", "message"), BAD, ids=[f"{i}-{next(iter(bad))}" for i, (bad, _) in enumerate(BAD)]
)
def test_bad_parameters_say_what_to_do_and_change_nothing(parameters, message, rng):
    X = rng.normal(size=(30, 2))
    model = KernelDensity().fit(X)
    model.set_params(**parameters)
    before = copy.copy(vars(model))
    with pytest.raises((ValueError, KeyError), match=message):
        model.fit(X)
    assert vars(model).keys() == before.keys()
    assert model.density_ is before["density_"]


def test_bad_rows_say_what_to_do(rng):
    X = rng.normal(size=(30, 2))
    model = KernelDensity().fit(X)
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has missing cells"):
        KernelDensity().fit(holes)
    with pytest.raises(ValueError, match="NaN"):
        KernelDensity().fit(holes[:, 1:])
    with pytest.raises(ValueError, match="NaN"):
        model.score_samples(holes)
    with pytest.raises(ValueError, match="inf"):
        KernelDensity().fit(np.where(np.isnan(holes), np.inf, holes))
    with pytest.raises(ValueError, match=r"non-zero|zero for every row"):
        KernelDensity().fit(X, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        KernelDensity().fit(X, sample_weight=-np.ones(30))
    with pytest.raises(ValueError, match="n_samples = 1"):
        KernelDensity(bandwidth="scott").fit(X[:1])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        KernelDensity().fit(sparse.csr_array(X))
    with pytest.raises(NotFittedError):
        KernelDensity().quantile(0.5)
    for call in (lambda: model.quantile(0.5), lambda: KernelDensity(kernel="cosine").fit(X).cdf(X)):
        with pytest.raises(TypeError, match="marginal"):
            call()
    for call, message in (
        (lambda: model.marginal(0).quantile(1.5), "from 0 to 1"),
        (lambda: model.marginal(0).quantile("a"), "from 0 to 1"),
        (lambda: model.highest_density(1.0), "between 0 and 1"),
        (lambda: model.grid(1), "at least 2"),
        (lambda: model.grid(2.5), "whole numbers"),
        (lambda: model.grid(5, cut=np.inf), "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_changed_parameters_are_not_mixed_with_old_rows(rng):
    X = rng.normal(size=(30, 1))
    h = np.array([0.5])
    model = KernelDensity(bandwidth=h).fit(X)
    h[0] = 9.0
    with pytest.raises(ValueError, match="call fit"):
        model.partial_fit(X)


def test_a_row_of_weight_zero_scores_nothing(rng):
    X = np.array([[0.0], [0.05], [9.0]])
    model = KernelDensity(kernel="tophat", bandwidth=0.1).fit(X[:2])
    np.testing.assert_allclose(model.score(X, sample_weight=[1, 1, 0]), model.score(X[:2]))


def test_grids(rng):
    X = rng.normal(size=(200, 2))
    model = KernelDensity(bandwidth=0.3, bounds=[(-9, 1e9), None]).fit(np.abs(X))
    places, density = model.grid((30, 40))
    assert density.shape == (30, 40)
    rows = np.column_stack([places[0][[3, 20]], places[1][[7, 30]]])
    np.testing.assert_allclose(density[[3, 20], [7, 30]], np.exp(model.score_samples(rows)), rtol=1e-9)
