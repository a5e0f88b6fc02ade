"""Estimators fit a table in partitions as they fit its rows in memory; rows stay where they are."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import parzen
from parzen import (
    AutoColumns,
    BayesClassifier,
    DensityEstimator,
    Gaussian,
    GaussianDiscriminant,
    GaussianMixture,
    GaussianNB,
    HistogramDensity,
    LinearDiscriminantAnalysis,
    Mixture,
    MixtureModel,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    SourceError,
    TreeAugmentedNB,
    scan,
)
from parzen.statistics.accumulate import Summed
from parzen.storage.files import dumped, loaded
from tests.estimators.partitions import Partitions, halves

N = 1200
NUMBERS = ["a", "b", "c"]
MIXED = ["a", "k", "text"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, N)
    out = pd.DataFrame(rng.normal(size=(N, 3)) + 4.0 * group[:, None], columns=NUMBERS)
    out["k"] = rng.poisson(1 + group)
    out["text"] = rng.choice(["x", "y", "z"], N)
    out["y"] = np.where(rng.random(N) < 0.3, "yes", "no")
    out["w"] = rng.integers(0, 3, N).astype(float)
    out.loc[N - 1, ["text", "w"]] = "late", 1.0
    return out


#: Where partitions end: one, several, with an empty one in the middle and one that holds nearly all rows.
ENDS = [[], [300, 301, 700], [100, 100, 1100]]


@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (GaussianNB(), NUMBERS),
        (GaussianDiscriminant(), NUMBERS),
        (LinearDiscriminantAnalysis(), NUMBERS),
        (QuadraticDiscriminantAnalysis(), NUMBERS),
        (NaiveBayes(), MIXED),
        (TreeAugmentedNB(), MIXED),
        (BayesClassifier(Mixture(Gaussian("diag"), 2), random_state=0), NUMBERS),
    ],
    ids=lambda given: type(given).__name__,
)
def test_classifiers_fit_partitions_as_they_fit_rows(frame, ends, weight, model, columns):
    table = halves(frame[[*columns, "y", "w"] if weight else [*columns, "y"]], ends)
    here = type(model)(**model.get_params(deep=False))
    model.fit(table, target="y", weight=weight)
    here.fit(frame[columns], frame["y"], frame[weight] if weight else None)
    assert_allclose(model.predict_proba(frame[columns]), here.predict_proba(frame[columns]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (DensityEstimator(), NUMBERS),
        (HistogramDensity(bins=np.linspace(-5, 15, 40)), ["a"]),
        (GaussianMixture(3, random_state=0), NUMBERS),
        (GaussianMixture([2, 3], criterion="icl", random_state=0), NUMBERS),
        (MixtureModel(AutoColumns(), 2, random_state=0), MIXED),
    ],
    ids=lambda given: type(given).__name__,
)
def test_densities_fit_partitions_as_they_fit_rows(frame, ends, model, columns):
    here = type(model)(**model.get_params(deep=False)).fit(frame[columns])
    model.fit(halves(frame[columns], ends))
    assert_allclose(model.score_samples(frame[columns]), here.score_samples(frame[columns]), rtol=1e-10)


def test_missing_cells_ask_for_expectations_in_every_partition(frame):
    holes = frame[NUMBERS].copy()
    holes.iloc[5:900:7, 1] = np.nan
    found = DensityEstimator().fit(halves(holes, [4, 600]))
    assert_allclose(found.density_.covariance, DensityEstimator().fit(holes).density_.covariance, rtol=1e-8)


def test_rows_without_labels(frame):
    some = frame[[*NUMBERS, "y"]].copy()
    some.loc[::3, "y"] = None
    found = GaussianNB().fit(halves(some, [10, 500]), target="y")
    assert_allclose(found.theta_, GaussianNB().fit(some[NUMBERS], some["y"]).theta_, rtol=1e-8)


def test_arrays_have_columns_by_position(frame):
    X = frame[NUMBERS].to_numpy()
    found = GaussianMixture(2, random_state=0).fit(halves(X, [100, 800]))
    assert_allclose(found.means_, GaussianMixture(2, random_state=0).fit(X).means_, rtol=1e-10)


def test_one_job_a_step_of_em(frame):
    class Counting(Partitions):
        jobs = 0

        def map(self, work, columns):
            Counting.jobs += 1
            return super().map(work, columns)

    X = frame[NUMBERS]
    model = GaussianMixture(3, random_state=0, max_iter=2, tol=0.0, reg_covar=0.0)
    with pytest.warns(Warning, match="still rising"):
        model.fit(Counting([X[:500], X[500:]]))
    assert Counting.jobs == 2 + 2  # rows are counted, and the rows of the start fetched by their numbers


def test_what_travels_is_a_model_file_and_small(frame):
    sent, came = [], []

    class Watched(Partitions):
        def map(self, work, columns):
            sent.append(work.args[0])
            answers = super().map(work, columns)
            came.extend(answers)
            return answers

    DensityEstimator().fit(Watched([frame[NUMBERS][:500], frame[NUMBERS][500:]]))
    for one in [*sent, *came]:
        assert dumped(loaded(one))[8:9] == b"{"
        assert len(one) < 10_000
    assert max(map(len, came)) < 500 * 3 * 8 / 2


def test_workers_use_one_thread_unless_asked(frame):
    seen = []

    class Watched(Partitions):
        def map(self, work, columns):
            task = loaded(work.args[0])[0]
            seen.extend([task.threads] if isinstance(task, Summed) else [])
            return super().map(work, columns)

    table = Watched([frame[NUMBERS]])
    DensityEstimator().fit(table)
    with parzen.threads(3):
        DensityEstimator().fit(table)
    assert seen == [1, 3]


def test_results_are_new_columns(frame):
    table = halves(frame, [100])
    model = GaussianNB().fit(frame[NUMBERS], frame["y"])
    parts = model.predict(table)
    assert_array_equal(np.concatenate([one[0] for one in parts]), model.predict(frame[NUMBERS]))
    parts = model.predict_proba(scan(table))
    assert_allclose(np.concatenate([one[1] for one in parts]), model.predict_proba(frame[NUMBERS])[:, 1])


@pytest.mark.parametrize("weight", [None, "w"])
def test_likelihoods_are_summed_where_rows_are(frame, weight):
    columns = [*NUMBERS, "w"]
    model, w = GaussianMixture(2, random_state=0).fit(frame[NUMBERS]), None if weight is None else frame["w"]
    table = scan(halves(frame[columns], [300, 301, 700])).with_roles(weight=weight)
    assert_allclose(model.score(table), model.score(frame[NUMBERS], sample_weight=w), rtol=1e-12)
    assert_allclose(model.bic(table), model.bic(frame[NUMBERS], w), rtol=1e-12)
    with pytest.raises(TypeError, match="stay there; predict gives a column"):
        GaussianNB().fit(frame[NUMBERS], frame["y"]).score(halves(frame, [300]))


def test_faults_are_named(frame):
    X = frame[NUMBERS]
    with pytest.raises(SourceError, match="a partition lacks the column 'b'"):
        DensityEstimator().fit(Partitions([X[:100], X[100:].drop(columns="b")]))
    with pytest.raises(ValueError, match="infinity"):
        DensityEstimator().fit(Partitions([X[:100], X[100:].assign(a=np.inf)]))
    with pytest.raises(ValueError, match="no rows"):
        DensityEstimator().fit(Partitions([X[:0], X[:0]]))
    with pytest.raises(SourceError, match="'nothing' is no column"):
        GaussianNB().fit(Partitions([X]), target="nothing")
    with pytest.raises(SourceError, match="the table has no column 'b'"):
        DensityEstimator().fit(X).score_samples(Partitions([X[["a", "c"]]]))
    with pytest.raises(SourceError, match="the table has a column 'log_density' already"):
        DensityEstimator().fit(X).score_samples(Partitions([X.assign(log_density=0.0)]))


def test_a_family_that_keeps_rows_is_refused(frame):
    with pytest.raises(TypeError, match="keeps the rows themselves"):
        DensityEstimator(parzen.Kernel(1.0)).fit(Partitions([frame[NUMBERS]]))


def test_rows_that_are_no_longer_the_same_are_an_error(frame):
    class Shrinking(Partitions):
        def map(self, work, columns):
            answers = super().map(work, columns)
            self.tables = [self.tables[0][:-1], *self.tables[1:]]
            return answers

    with pytest.raises(SourceError, match="rows in one pass and"):
        GaussianMixture(2, random_state=0).fit(Shrinking([frame[NUMBERS][:600], frame[NUMBERS][600:]]))


def test_rows_are_not_read_here(frame):
    with pytest.raises(TypeError, match="they stay on their machines"):
        next(iter(scan(Partitions([frame]))))


def test_the_answer_of_an_unknown_error_is_still_an_error(frame):
    class Odd(Partitions):
        def map(self, work, columns):
            return [dumped({"raised": "Exit", "arguments": ["said"]})]

    with pytest.raises(ValueError, match="said"):
        DensityEstimator().fit(Odd([frame[NUMBERS]]))
