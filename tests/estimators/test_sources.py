"""Estimators fit a source as they fit its rows in memory."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from parzen import (
    BayesClassifier,
    Bernoulli,
    BernoulliNB,
    Categorical,
    CategoricalNB,
    ComplementNB,
    DensityEstimator,
    DensityOutlier,
    Gaussian,
    GaussianDiscriminant,
    GaussianMixture,
    GaussianNB,
    HistogramDensity,
    Kernel,
    KernelDensity,
    KMeans,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Mixture,
    MixtureModel,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    Product,
    QuadraticDiscriminantAnalysis,
    SourceError,
    scan,
    score_probabilities,
)

N = 4000


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "perhaps", "yes"], N, p=[0.5, 0.2, 0.3])
    at = pd.Series(y).map({"no": 0.0, "perhaps": 4.0, "yes": 9.0}).to_numpy()
    out = pd.DataFrame(
        {
            "a": rng.normal(at, 1.0),
            "b": rng.normal(-at, 2.0),
            "k": rng.poisson(1 + at),
            "m": rng.integers(0, 4, N),
            "c": np.where(rng.random(N) < 0.1 * at, "x", rng.choice(["y", "z"], N)),
            "t": rng.random(N) < 0.1 * at,
            "y": y,
            "w": rng.integers(0, 3, N).astype(float),
        }
    )
    out.loc[N - 1, ["c", "w"]] = "late", 1.0
    return out


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for at, part in enumerate(np.array_split(np.arange(N), [1200, 1201, 3000])):
        frame.iloc[part].to_parquet(folder / f"{at}.parquet", index=False)
    return folder


NUMBERS, EVERY = ["a", "b"], ["a", "b", "k", "c", "t"]
CLASSIFIERS = [
    (GaussianNB(), NUMBERS),
    (GaussianDiscriminant(), NUMBERS),
    (GaussianDiscriminant(shared=True, shrinkage="oas"), NUMBERS),
    (LinearDiscriminantAnalysis(), NUMBERS),
    (QuadraticDiscriminantAnalysis(), NUMBERS),
    (MultinomialNB(), ["k", "m"]),
    (ComplementNB(), ["k", "m"]),
    (BernoulliNB(), ["t", "m"]),
    (CategoricalNB(), ["m", "k"]),
    (CategoricalNB(), ["c"]),
    (NaiveBayes(), EVERY),
    (NaiveBayes({"m": Categorical()}), ["a", "m"]),
    (BayesClassifier(Product({("a", "b"): Gaussian(), "k": Poisson(), "c": Categorical()})), ["a", "b", "k", "c"]),
]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("model", "columns"), CLASSIFIERS, ids=lambda one: "" if isinstance(one, list) else repr(one))
def test_classifiers_fit_a_folder_as_they_fit_its_rows(model, columns, weight, frame, folder):
    w = None if weight is None else frame[weight]
    ours = model.fit(scan(folder, columns, batch_rows=700), target="y", weight=weight)
    found = ours.predict_log_proba(frame[columns])
    theirs = model.fit(frame[columns], frame["y"], w)
    assert_allclose(found, theirs.predict_log_proba(frame[columns]), rtol=0, atol=1e-10)
    assert list(ours.feature_names_in_) == columns


DENSITIES = [
    (DensityEstimator(), NUMBERS),
    (DensityEstimator(Gaussian("diag", estimate="bayes")), NUMBERS),
    (DensityEstimator(Product({"a": Gaussian(), "c": Categorical(), "t": Bernoulli()})), ["a", "c", "t"]),
    (HistogramDensity(bins=[np.linspace(-30, 30, 61)]), ["a"]),
    (GaussianMixture(3, random_state=0), NUMBERS),
    (GaussianMixture([2, 3, 4], covariance_type="diag", random_state=1), NUMBERS),
    (GaussianMixture(3, random_state=0, init_params="kmeans", prior="auto"), NUMBERS),
    (MixtureModel(Product({"a": Gaussian(), "k": Poisson(), "c": Categorical()}), 3, random_state=0), ["a", "k", "c"]),
]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("model", "columns"), DENSITIES, ids=lambda one: "" if isinstance(one, list) else repr(one))
def test_densities_fit_a_folder_as_they_fit_its_rows(model, columns, weight, frame, folder):
    w = None if weight is None else frame[weight]
    found = model.fit(scan(folder, columns, batch_rows=700), weight=weight).score_samples(frame[columns])
    theirs = model.fit(frame[columns], sample_weight=w).score_samples(frame[columns])
    assert_allclose(found, theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_mixtures_of_few_rows_take_as_many_steps(tol, missing, frame):
    some = frame[:1500].copy()
    if missing:
        some.loc[::5, "a"] = np.nan
    for model in (GaussianMixture(3, tol=tol, random_state=0), GaussianMixture([2, 3], tol=tol, random_state=0)):
        model.fit(scan([some[NUMBERS]], batch_rows=400))
        found, steps, bounds = model.score_samples(some[NUMBERS]), model.n_iter_, model.lower_bounds_
        model.fit(some[NUMBERS])
        assert_allclose(found, model.score_samples(some[NUMBERS]), rtol=0, atol=1e-8 if missing else 1e-10)
        assert steps == model.n_iter_
        assert_allclose(bounds, model.lower_bounds_, rtol=1e-10)


def test_mixtures_of_classes_start_from_the_same_rows(frame, folder):
    model = BayesClassifier(Mixture(Gaussian("diag"), 2), random_state=0, tol=1e-4)
    found = model.fit(scan(folder, NUMBERS, batch_rows=700), target="y", weight="w").predict_proba(frame[NUMBERS])
    theirs = model.fit(frame[NUMBERS], frame["y"], frame["w"]).predict_proba(frame[NUMBERS])
    assert_allclose(found, theirs, rtol=0, atol=1e-8)


def test_missing_cells_and_labels(frame, tmp_path):
    some = frame[[*NUMBERS, "y"]].copy()
    some.loc[::7, "a"] = np.nan
    some.loc[::3, "y"] = None
    some.to_parquet(tmp_path / "1.parquet", index=False)
    model = GaussianDiscriminant(tol=1e-12, max_iter=500)
    found = model.fit(scan(tmp_path, batch_rows=900), target="y")
    assert found.classes_.tolist() == ["no", "perhaps", "yes"]
    found = found.predict_proba(some[NUMBERS])
    assert_allclose(found, model.fit(some[NUMBERS], some["y"]).predict_proba(some[NUMBERS]), rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_blocks_give_the_same_bits(dtype, tmp_path):
    rng = np.random.default_rng(1)
    rows, y = rng.normal(size=(500_000, 4)).astype(dtype), rng.integers(0, 3, 500_000)
    table = pd.DataFrame(rows, columns=list("abcd")).assign(y=y)
    for at in range(2):
        table.iloc[at * 250_000 : (at + 1) * 250_000].to_parquet(tmp_path / f"{at}.parquet", index=False)
    block = 2**22 // (4 * rows.itemsize)
    ours = GaussianNB().fit(scan(tmp_path, batch_rows=block), target="y")
    theirs = GaussianNB().fit(rows, y)
    assert np.array_equal(ours.theta_, theirs.theta_)
    assert np.array_equal(ours.var_, theirs.var_)


def test_sparse_batches(frame):
    counts = sparse.random(3000, 50, 0.1, format="csr", random_state=0, data_rvs=lambda n: np.ones(n))
    y = np.arange(3000) % 2
    labelled = sparse.hstack([counts, sparse.csr_matrix(y[:, None])], format="csr")
    ours = MultinomialNB().fit(scan([labelled[:1000], labelled[1000:]]), target=50)
    assert_allclose(ours.feature_log_prob_, MultinomialNB().fit(counts, y).feature_log_prob_, rtol=1e-12)


@pytest.mark.parametrize(
    "model", [GaussianMixture(2, random_state=0), KernelDensity(bandwidth=1.0, rtol=0), DensityEstimator()]
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_likelihoods_of_a_source_are_those_of_its_rows(model, weight, frame, folder):
    columns, w = NUMBERS[:1], None if weight is None else frame[weight]
    model.fit(frame[columns])
    source = scan(folder, batch_rows=700).with_roles(weight=weight)
    assert_allclose(model.score(source), model.score(frame[columns], sample_weight=w), rtol=1e-12)
    if isinstance(model, GaussianMixture):
        assert_allclose(model.bic(source), model.bic(frame[columns], w), rtol=1e-12)
        assert_allclose(model.aic(source), model.aic(frame[columns], w), rtol=1e-12)
    with pytest.raises(TypeError, match="a source holds the weights of its rows"):
        model.score(source, sample_weight=frame["w"])


@pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression()])
@pytest.mark.parametrize("weight", [None, "w"])
def test_accuracies_of_a_source_are_those_of_its_rows(model, weight, frame, folder):
    model.fit(frame[NUMBERS], frame["y"])
    source = scan(folder, batch_rows=700).with_roles("y", weight)
    wanted = model.score(frame[NUMBERS], frame["y"], None if weight is None else frame[weight])
    assert_allclose(model.score(source), wanted, rtol=1e-12)
    with pytest.raises(TypeError, match="a source holds labels and weights"):
        model.score(source, frame["y"])
    with pytest.raises(ValueError, match="the target is needed"):
        model.score(scan(folder))
    nothing = frame[:5].assign(w=0.0)  # a batch of rows that weigh nothing
    weighed = scan([frame[:100], nothing, frame[100:]]).with_roles("y", "w")
    assert_allclose(model.score(weighed), model.score(frame[NUMBERS], frame["y"], frame["w"]), rtol=1e-12)


def test_what_a_source_holds_is_said_though_its_first_rows_are_not_read(frame, tmp_path):
    times = frame.assign(a=pd.Timestamp("2024-01-01"))[["a", "b", "y"]]
    with pytest.raises(TypeError, match=r"column 'a' holds cells of datetime64"):
        GaussianNB().fit(scan(times), target="y")
    frame[:0].to_parquet(tmp_path / "0.parquet")
    with pytest.raises(ValueError, match="the source has no rows"):
        GaussianNB().fit(scan(tmp_path, columns=["a", "y"]), target="y")


@pytest.mark.parametrize("method", ["fit", "score_samples", "p_values"])
def test_what_reads_no_source_says_so(method, frame, folder):
    model = DensityOutlier().fit(frame[NUMBERS])
    with pytest.raises(TypeError, match=r"needs a table in memory, got a source \(parzen\.scan\): DensityOutlier"):
        getattr(model, method)(scan(folder, NUMBERS))


def test_families_that_keep_rows_are_refused(folder):
    with pytest.raises(TypeError, match="keeps the rows themselves"):
        DensityEstimator(Kernel(kernel="tophat")).fit(scan(folder, ["a"]))


def test_roles_are_checked(folder, frame):
    with pytest.raises(SourceError, match="target='z' is no column"):
        GaussianNB().fit(scan(folder, NUMBERS), target="z")
    with pytest.raises(ValueError, match="requires a target"):
        GaussianNB().fit(scan(folder, NUMBERS))
    with pytest.raises(TypeError, match="among its columns"):
        GaussianNB().fit(scan(folder, NUMBERS), frame["y"])
    with pytest.raises(TypeError, match="name columns of a source"):
        GaussianNB().fit(frame[NUMBERS], frame["y"], weight="w")
    with pytest.raises(SourceError, match="weights in 'a' must be finite and at least 0"):
        DensityEstimator().fit(scan(folder, ["b"]), weight="a")


def test_a_broken_file_leaves_a_fitted_model_as_it_was(frame, folder, tmp_path):
    model = GaussianNB().fit(frame[NUMBERS], frame["y"])
    before = model.theta_.copy()
    data = (folder / "2.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes((folder / "0.parquet").read_bytes())
    (tmp_path / "2.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(SourceError, match=r"2\.parquet"):
        model.fit(scan(tmp_path, NUMBERS), target="y")
    assert np.array_equal(model.theta_, before)


def test_predictions_of_a_source_are_batches_or_a_file(frame, folder, tmp_path):
    source = scan(folder, batch_rows=700)  # with columns that the model doesn't know
    model = GaussianNB().fit(frame[NUMBERS], frame["y"])
    assert np.array_equal(np.concatenate(list(model.predict(source))), model.predict(frame[NUMBERS]))
    again = model.predict_proba(source)
    for _ in range(2):
        assert np.array_equal(np.concatenate(list(again)), model.predict_proba(frame[NUMBERS]))
    written = pd.read_parquet(model.predict_proba(source, to=tmp_path / "p.parquet"))
    assert list(written) == ["p(no)", "p(perhaps)", "p(yes)"]
    assert np.array_equal(written.to_numpy(), model.predict_proba(frame[NUMBERS]))
    mixture = GaussianMixture(2, random_state=0).fit(frame[NUMBERS])
    written = pd.read_parquet(mixture.score_samples(source, to=tmp_path / "s.parquet"))["log_density"]
    assert np.array_equal(written, mixture.score_samples(frame[NUMBERS]))
    assert np.array_equal(np.concatenate(list(mixture.predict(source))), mixture.predict(frame[NUMBERS]))


def test_predictions_are_written_whole_or_not_at_all(frame, folder, tmp_path):
    model = GaussianNB().fit(frame[NUMBERS], frame["y"])

    def rows():
        yield frame[NUMBERS]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.predict(scan(rows), to=tmp_path / "p.parquet")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SourceError, match="can't be written"):
        model.predict(scan(folder), to=tmp_path / "nowhere" / "p.parquet")
    with pytest.raises(TypeError, match="to= writes the results of a source"):
        model.predict(frame[NUMBERS], to="p.parquet")


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("init", ["k-means++", "random", "centres"])
def test_k_means_takes_the_same_steps(init, weight, frame, folder):
    init = frame[NUMBERS].to_numpy()[:4] if init == "centres" else init
    model = KMeans(4, init=init, n_init=1, tol=0, random_state=0)
    w = None if weight is None else frame[weight]
    ours = clone(model).fit(scan(folder, NUMBERS, batch_rows=700), weight=weight)
    theirs = clone(model).fit(frame[NUMBERS], sample_weight=w)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-10, atol=1e-10)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-10)
    assert ours.n_iter_ == theirs.n_iter_
    assert np.array_equal(np.concatenate(list(ours.predict(scan(folder)))), theirs.predict(frame[NUMBERS]))
    assert not hasattr(ours, "labels_")


def test_k_means_of_gaps_of_sparse_rows_and_of_empty_clusters(frame):
    rows = frame[NUMBERS].to_numpy(copy=True)
    far = np.full((4, 2), 900.0) + np.arange(4)[:, None]
    counts = sparse.random(3000, 30, 0.1, format="csr", random_state=0)
    gaps = rows.copy()
    gaps[::7, 0] = np.nan
    same = np.repeat(rows[:3], 500, axis=0)
    for X, init in ((gaps, "k-means++"), (counts, "k-means++"), (rows, far), (np.concatenate([same, rows[3:50]]), far)):
        model = KMeans(4, init=init, random_state=0)
        found = model.fit(scan([X[:900], X[900:]], batch_rows=400)).cluster_centers_.copy()
        assert_allclose(found, model.fit(X).cluster_centers_, rtol=1e-10, atol=1e-10)


def test_k_means_of_many_rows_begins_from_some_that_are_drawn():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(12_000, 2)) + 9.0 * rng.integers(0, 3, (12_000, 1))
    model = KMeans(3, random_state=0, tol=0)
    found = model.fit(scan(rows, batch_rows=5000)).cluster_centers_.copy()
    order, theirs = np.argsort(found[:, 0]), model.fit(rows).cluster_centers_
    assert_allclose(found[order], theirs[np.argsort(theirs[:, 0])], rtol=1e-8)
    few = np.repeat(rows[:1], 50, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        model.fit(scan(few))
    two = KMeans(3, random_state=0, n_init=3, init="random").fit(scan(rows))
    assert_allclose(two.inertia_, model.fit(rows).inertia_, rtol=1e-3)


LOGISTIC = [
    (LogisticRegression(), NUMBERS),
    (LogisticRegression(C=np.inf), NUMBERS),
    (LogisticRegression(degree=2, standardise=True), NUMBERS),
    (LogisticRegression(class_weight="balanced", fit_intercept=False), NUMBERS),
    (LogisticRegression(C=0.01, l1_ratio=1.0, solver="saga"), NUMBERS),
    (LogisticRegression(C=0.1), EVERY),
]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("model", "columns"), LOGISTIC, ids=lambda one: "" if isinstance(one, list) else repr(one))
def test_logistic_regression_finds_the_same_weights(model, columns, weight, frame, folder):
    rng = np.random.default_rng(2)
    some = frame.assign(y=np.where(rng.random(N) < 0.3, rng.choice(["no", "yes"], N), frame["y"]))
    some = some.assign(m=some["m"].where(rng.random(N) > 0.1))
    model = clone(model).set_params(tol=1e-12, max_iter=200)
    if "k" in columns:
        columns = [*columns, "m"]
    source = scan([some[:1500], some[1500:]], columns, batch_rows=700)
    found = model.fit(source, target="y", weight=weight).predict_proba(some[columns])
    step, names, objective = model.n_iter_, model.terms_, model.objective_
    theirs = model.fit(some[columns], some["y"], None if weight is None else some[weight])
    assert_allclose(found, theirs.predict_proba(some[columns]), rtol=0, atol=1e-9)
    assert_allclose(objective, theirs.objective_, rtol=1e-12)
    assert names == theirs.terms_
    assert step <= theirs.n_iter_ + 3


def test_logistic_regression_of_two_classes_begins_near_the_end():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 4))
    y = (X @ [1.0, -2.0, 0.0, 0.5] + rng.logistic(size=20_000) > 1).astype(int)
    model = LogisticRegression(tol=1e-12)
    found = model.fit(scan(np.column_stack([X, y]), batch_rows=3000), target=4)
    coef, steps = found.coef_.copy(), found.n_iter_[0]
    assert_allclose(coef, model.fit(X, y).coef_, rtol=1e-10)
    assert steps <= 4
    sparse_rows = sparse.csr_matrix(np.column_stack([np.where(np.abs(X) > 0.5, X, 0.0), y]))
    found = model.fit(scan([sparse_rows], batch_rows=3000), target=4).coef_.copy()
    assert_allclose(found, model.fit(sparse_rows[:, :4].toarray(), y).coef_, rtol=1e-10)


def test_what_logistic_regression_refuses_of_a_source(frame, folder):
    with pytest.raises(ValueError, match="requires a target"):
        LogisticRegression().fit(scan(folder, NUMBERS))
    some = frame.assign(y=frame["y"].where(frame["a"] > 0))
    with pytest.raises(ValueError, match="y contains NaN"):
        LogisticRegression().fit(scan([some], [*NUMBERS]), target="y")
    wide = np.column_stack([np.zeros((10, 3000)), np.arange(10) % 2])
    with pytest.raises(ValueError, match="too many second derivatives"):
        LogisticRegression().fit(scan(wide + np.eye(10, 3001)), target=3000)
    infinite = frame.assign(a=np.inf)
    with pytest.raises(ValueError, match="infinity"):
        LogisticRegression().fit(scan([infinite], NUMBERS), target="y")


@pytest.mark.parametrize("weight", [None, "w"])
def test_scores_of_a_source_are_those_of_its_rows(weight, frame, folder):
    source = scan(folder, batch_rows=700)
    model = GaussianNB().fit(frame[NUMBERS], frame["y"])
    labels = source.with_roles("y", weight)
    found = score_probabilities(labels, model.predict_proba(source), model.classes_)
    w = None if weight is None else frame[weight]
    theirs = score_probabilities(frame["y"], model.predict_proba(frame[NUMBERS]), model.classes_, w)
    assert_allclose(found.mean_log_loss, theirs.mean_log_loss, rtol=1e-12)
    assert_allclose(found.brier().score, theirs.brier().score, rtol=1e-12)
    assert_allclose(found.calibration_error().expected, theirs.calibration_error().expected, rtol=1e-10)
    assert_allclose(found.weight, theirs.weight)
    with pytest.raises(TypeError, match=r"classes=model\.classes_"):
        score_probabilities(labels, model.predict_proba(source))
    with pytest.raises(ValueError, match="of other batches than the labels"):
        score_probabilities(labels, model.predict_proba(scan(folder, batch_rows=600)), model.classes_)


def test_scores_of_sparse_batches():
    counts = sparse.random(3000, 50, 0.1, format="csr", random_state=0, data_rvs=lambda n: np.ones(n))
    y = np.arange(3000) % 2
    labelled = sparse.hstack([counts, sparse.csr_matrix(y[:, None])], format="csr")
    source = scan([labelled[:1000], labelled[1000:]], batch_rows=600)
    model = MultinomialNB().fit(source, target=50)
    rows = source.select(range(50))
    assert np.array_equal(np.concatenate(list(model.predict_proba(rows))), model.predict_proba(counts))
    found = score_probabilities(source.with_roles(50), model.predict_proba(rows), model.classes_)
    assert_allclose(found.mean_log_loss, score_probabilities(y, model.predict_proba(counts)).mean_log_loss, rtol=1e-12)
