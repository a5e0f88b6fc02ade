"""Estimators fit a source as they fit its rows in memory."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from parzen import (
    BayesClassifier,
    Bernoulli,
    BernoulliNB,
    Categorical,
    CategoricalNB,
    ComplementNB,
    DensityEstimator,
    Gaussian,
    GaussianDiscriminant,
    GaussianMixture,
    GaussianNB,
    HistogramDensity,
    LinearDiscriminantAnalysis,
    Mixture,
    MixtureModel,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    Product,
    QuadraticDiscriminantAnalysis,
    SourceError,
    scan,
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


def test_families_that_keep_rows_are_refused(folder):
    with pytest.raises(TypeError, match="keeps the rows themselves"):
        HistogramDensity().fit(scan(folder, ["a"]))


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
