"""Laws of tables in partitions, for a table of estimators and of engines: the answer is that of the rows in memory."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from parzen import (
    DecisionClassifier,
    Gaussian,
    GaussianMixture,
    GaussianNB,
    HiddenMarkov,
    HistogramDensity,
    KernelDensity,
    KMeans,
    LogisticRegression,
    MarkovChain,
    SourceError,
    compare_learning,
    scan,
)
from parzen.tables.sources.engines.engine import Known
from tests.estimators.partitions import Partitions, halves

N = 1500
NUMBERS = ["a", "b"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 40, 200)
    lengths = lengths[np.cumsum(lengths) <= N]
    lengths[-1] += N - lengths.sum()
    group = rng.integers(0, 3, N)
    out = pd.DataFrame(rng.normal(size=(N, 2)) + 2.5 * group[:, None], columns=NUMBERS)
    out["text"] = np.where(rng.random(N) < 0.4, "x", rng.choice(["y", "z"], N))
    out["y"] = np.array(["no", "perhaps", "yes"])[np.where(rng.random(N) < 0.8, group, rng.integers(0, 3, N))]
    out["w"] = np.repeat(rng.integers(0, 3, len(lengths)).astype(float), lengths)
    out["trip"] = np.repeat([f"t{i % 50}" for i in range(len(lengths))], lengths)
    return out


def starts(frame):
    names = frame["trip"].to_numpy()
    return np.flatnonzero(np.append(True, names[1:] != names[:-1]))


def partitions(frame, at):
    return halves(frame, at)


def dask_frame(frame, at):
    dask = pytest.importorskip("dask")
    dd = pytest.importorskip("dask.dataframe")
    edges = [0, *at, len(frame)]
    parts = [dask.delayed(frame.iloc[begin:end]) for begin, end in pairwise(edges)]
    return dd.from_delayed(parts, meta=frame[:0], verify_meta=False)


#: Engines, and where partitions end, as shares of the rows: one, several, one empty, one with nearly all rows.
ENGINES = [
    pytest.param(partitions, [], id="one partition"),
    pytest.param(partitions, [0.2, 0.21, 0.6], id="four"),
    pytest.param(partitions, [0.1, 0.1, 0.95], id="one empty"),
    pytest.param(dask_frame, [0.3, 0.3, 0.5], id="dask"),
]

#: Estimators, their columns, roles, and what is compared.
ESTIMATORS = [
    (KMeans(4, random_state=0), NUMBERS, {}, ["cluster_centers_", "inertia_", "n_iter_"]),
    (KMeans(4, random_state=0, tol=0), NUMBERS, {"weight": "w"}, ["cluster_centers_", "inertia_", "counts_"]),
    (KMeans(40, init="random", random_state=0), NUMBERS, {}, ["cluster_centers_", "inertia_"]),
    (LogisticRegression(), NUMBERS, {"target": "y"}, ["coef_", "intercept_"]),
    (LogisticRegression(), ["a", "text"], {"target": "y", "weight": "w"}, ["coef_", "intercept_"]),
    (LogisticRegression(degree=2, standardise=True), NUMBERS, {"target": "y"}, ["coef_", "intercept_"]),
    (LogisticRegression(class_weight="balanced"), NUMBERS, {"target": "y"}, ["coef_", "intercept_"]),
    (HistogramDensity(), ["a"], {}, ["score_samples"]),
    (HistogramDensity(bins="equal"), NUMBERS, {}, ["score_samples"]),
    (HistogramDensity(bins=7), ["a"], {"weight": "w"}, ["score_samples"]),
    (DecisionClassifier(GaussianNB(), calibration="isotonic"), NUMBERS, {"target": "y"}, ["predict_proba"]),
    (
        DecisionClassifier(calibration="sigmoid", cv=3),
        NUMBERS,
        {"target": "y", "weight": "w"},
        ["predict_proba", "class_prior_"],
    ),
    (DecisionClassifier(LogisticRegression(), calibration="histogram"), NUMBERS, {"target": "y"}, ["predict_proba"]),
    (MarkovChain(), ["text"], {"sequence": "trip"}, ["transition_", "start_", "counts_"]),
    (MarkovChain(2), ["text"], {"sequence": "trip", "weight": "w"}, ["transition_"]),
    (
        HiddenMarkov(Gaussian("diag"), 2, random_state=0, max_iter=8, tol=0),
        NUMBERS,
        {"sequence": "trip", "weight": "w"},
        ["transition_", "log_likelihoods_"],
    ),
]


def found_by(model, names, rows):
    """What a fitted model is compared by: attributes, and results of some rows."""
    return [getattr(model, one)(rows) if callable(getattr(model, one)) else getattr(model, one) for one in names]


@pytest.mark.filterwarnings("ignore:.*still rising")
@pytest.mark.parametrize(("engine", "shares"), ENGINES)
@pytest.mark.parametrize(("model", "columns", "roles", "names"), ESTIMATORS, ids=lambda one: type(one).__name__)
def test_fits_of_partitions_are_those_of_the_rows(frame, engine, shares, model, columns, roles, names):
    begin = starts(frame)
    at = [int(begin[np.searchsorted(begin, share * N)]) for share in shares]  # no sequence is cut
    rows = frame[[*columns, *roles.values()]]
    here = type(model)(**model.get_params(deep=False)).fit(scan([rows]), **roles)
    model.fit(engine(rows, at), **roles)
    for one, other in zip(found_by(model, names, rows[columns]), found_by(here, names, rows[columns]), strict=True):
        assert_allclose(one, other, rtol=1e-8 if isinstance(model, LogisticRegression) else 1e-10, atol=1e-10)


@pytest.mark.parametrize("rule", [0.3, "isj", "scott"])
def test_kernel_densities_of_partitions(frame, rule):
    found = KernelDensity(bandwidth=rule).fit(halves(frame[["a"]], [400, 400]))
    here = KernelDensity(bandwidth=rule).fit(scan([frame[["a"]]]))
    assert_allclose(found.score_samples(frame[["a"]]), here.score_samples(frame[["a"]]), rtol=1e-10)


def test_bins_of_many_rows_are_chosen_where_they_are(monkeypatch, frame):
    monkeypatch.setattr("parzen.families.streamed_points.FEW", 300)
    X = frame[["a"]]
    found = HistogramDensity(bins="knuth").fit(halves(X, [100, 900]))
    here = HistogramDensity(bins="knuth").fit(scan([X]))
    assert_array_equal(found.score_samples(X), here.score_samples(X))


def test_learning_curves_of_partitions(frame):
    models, rows = (GaussianNB(), LogisticRegression()), frame[[*NUMBERS, "y"]]
    options = {"target": "y", "sizes": [20, 600], "repeats": 2, "random_state": 0}
    found = compare_learning(*models, halves(rows, [300, 300, 800]), **options)
    here = compare_learning(*models, scan([rows]), **options)
    assert_allclose(found.log_loss, here.log_loss, rtol=1e-8)
    assert_array_equal(found.error, here.error)


@pytest.mark.parametrize("model", [HiddenMarkov(n_components=2), MarkovChain()], ids=lambda one: type(one).__name__)
def test_a_sequence_that_is_cut_is_an_error_that_names_the_way(frame, model):
    column = "text" if isinstance(model, MarkovChain) else "a"
    begin = starts(frame)
    long = begin[np.flatnonzero(np.diff(begin) > 2)[3]]
    with pytest.raises(SourceError, match=r"goes on from one partition to the next.*sortWithinPartitions"):
        model.fit(halves(frame[[column, "trip"]], [long + 1]), sequence="trip")


def test_hidden_states_begin_on_the_first_sequences(frame, monkeypatch):
    monkeypatch.setattr("parzen.families.hmm_batches.SAMPLE", 700)
    begin = starts(frame)
    ends = [int(begin[5]), int(begin[30]), int(begin[50])]
    rows = frame[[*NUMBERS, "trip", "w"]]
    fits = []
    for source in (halves(rows, ends), scan([rows]), scan([rows[:100], rows[100:]])):
        model = HiddenMarkov(Gaussian(), 3, random_state=0, max_iter=2, tol=0)
        with pytest.warns(Warning, match="still rising"):
            fits.append(model.fit(source, sequence="trip", weight="w").log_likelihoods_)
    assert_allclose(fits[0], fits[1], rtol=1e-10)
    assert_allclose(fits[1], fits[2], rtol=1e-10)


class Marked(Partitions):
    """Partitions that are known to be the same: workers may keep their rows."""

    def __init__(self, tables, mark):
        super().__init__(tables)
        self.known_by, self.reads = mark, 0

    def map(self, work, columns):
        def read(table):
            self.reads += 1
            yield table

        known = [Known(table[:0], len(table), f"{self.known_by} {at}") for at, table in enumerate(self.tables)]
        return [work(at, read(table), known[at]) for at, table in enumerate(self.tables)]


def test_workers_read_a_partition_once_while_they_may_keep_it(frame):
    X = frame[NUMBERS]
    parts = [X[:500], X[500:500], X[500:]]
    options = {"n_components": 3, "random_state": 0, "max_iter": 5, "tol": 0}

    def fitted(mark, memory, tables=parts):
        engine = Marked(tables, mark)
        with pytest.warns(Warning, match="still rising"):
            model = GaussianMixture(**options).fit(scan(engine, memory=memory))
        return model, engine.reads

    with pytest.warns(Warning, match="still rising"):
        here = GaussianMixture(**options).fit(Partitions(parts))
    kept, once = fitted("kept", 2**20)
    again, every = fitted("not kept", 0)
    assert (once, every) == (2 + 2, 2 + 2 + 5 * 2)  # rows are counted; then the start, which keeps them, and steps
    for one in (kept, again):
        assert_array_equal(one.means_, here.means_)
    some, reads = fitted("one alone", 500 * 16)  # room for the first partition
    assert reads == 2 + 2 + 5
    assert_array_equal(some.means_, here.means_)
    changed, _ = fitted("kept, changed", 2**20, [X[:500] + 1.0, X[500:] + 1.0])
    assert_allclose(changed.means_, here.means_ + 1.0, rtol=1e-8)
