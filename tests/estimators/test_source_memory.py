"""Rows that are kept between passes: files are read once, and the fit is the same to the last bit."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from parzen import (
    DensityEstimator,
    Gaussian,
    GaussianMixture,
    GaussianNB,
    KMeans,
    LogisticRegression,
    Mixture,
    SourceError,
    scan,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N, D = 90_000, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    rows = rng.normal(size=(N, D)) + 3.0 * y[:, None]
    rows[::1000, 1] = np.nan
    for at, own in enumerate(np.array_split(np.arange(N), [41_000, 41_001])):
        columns = {f"x{j}": pa.array(rows[own, j], from_pandas=True) for j in range(D)}
        weight = rng.integers(0, 3, len(own)).astype(float)
        parquet.write_table(pa.table({**columns, "y": y[own], "w": weight}), folder / f"{at}.parquet")
    return folder


@pytest.fixture
def passes(monkeypatch):
    """Columns of each file that is read, in order."""
    read: list[list[str]] = []
    iterate = parquet.ParquetFile.iter_batches

    def iter_batches(self, *args, **kwargs):
        read.append(kwargs["columns"])
        return iterate(self, *args, **kwargs)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", iter_batches)
    return read


X = [f"x{j}" for j in range(D)]
MODELS = [
    (GaussianMixture(3, max_iter=4, tol=0, random_state=0), X, None, None),
    (GaussianMixture(3, covariance_type="diag", max_iter=4, tol=0, random_state=0), X, None, "w"),
    (KMeans(3, n_init=1, max_iter=5, random_state=0), X, None, None),
    (KMeans(3, n_init=2, max_iter=5, random_state=0), X, None, "w"),
    (LogisticRegression(max_iter=5), ["x0", "x2", "y"], "y", None),
    (DensityEstimator(Mixture(n_components=3), random_state=0, max_iter=3), X, None, "w"),
]


def numbers_of(model):
    """Everything that a fit has learnt."""
    found = [getattr(model, name, None) for name in ("means_", "cluster_centers_", "coef_", "inertia_")]
    density = getattr(model, "density_", None)
    return [one for one in found if one is not None] + [getattr(density, "log_weight", np.empty(0))]


@pytest.mark.parametrize("batch_rows", [None, 7777])
@pytest.mark.parametrize(("model", "columns", "target", "weight"), MODELS)
def test_rows_that_are_kept_change_no_bit(model, columns, target, weight, batch_rows, folder, passes):
    found, counts = [], []
    for memory in (0, 2**24):
        source = scan(folder, [*columns, *([weight] if weight else [])], batch_rows, memory=memory)
        passes.clear()
        model.fit(source, target=target, weight=weight)
        found.append(numbers_of(model))
        counts.append(len([read for read in passes if set(columns) <= {*read, "y"}]))
    for without, kept in zip(*found, strict=True):
        assert np.array_equal(without, kept)
    assert counts[1] <= 6 < counts[0]  # two passes at most over three files


def test_one_pass_keeps_nothing(folder, monkeypatch):
    def noted(*args):
        raise AssertionError("rows are kept")

    monkeypatch.setattr("parzen.statistics.kept._Place.note", noted)
    GaussianNB().fit(scan(folder, [*X, "y"]), target="y")
    DensityEstimator(Gaussian("diag")).fit(scan(folder, X))


def test_rows_that_do_not_fit_are_read_anew(folder, passes):
    model = KMeans(3, n_init=1, max_iter=4, tol=0, random_state=0)
    size = N * 8 * D
    counts = []
    for memory in (size - 1, size):
        passes.clear()
        model.fit(scan(folder, X, memory=memory))
        counts.append(len(passes))
    assert counts[1] < counts[0]


def test_files_that_change_are_noticed_though_their_rows_are_kept(folder, tmp_path, monkeypatch):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    maximise, steps = Mixture.maximise, []

    def changing(self, statistic):
        steps.append(statistic)
        if len(steps) == 2:
            (tmp_path / "2.parquet").write_bytes((tmp_path / "0.parquet").read_bytes())
        return maximise(self, statistic)

    monkeypatch.setattr(Mixture, "maximise", changing)
    model = GaussianMixture(2, max_iter=5, tol=0, random_state=0, init_params="random")
    with pytest.raises(SourceError, match=r"2\.parquet' has changed since it was scanned"):
        model.fit(scan(tmp_path, X))
    assert len(steps) == 2
    assert not hasattr(model, "means_")


def test_a_pass_that_was_broken_off_keeps_nothing(folder, monkeypatch):
    model = GaussianMixture(3, max_iter=3, tol=0, random_state=0)
    source = scan(folder, X, 7777)
    expected = numbers_of(model.fit(source))
    iterate, calls = parquet.ParquetFile.iter_batches, []

    def broken(self, *args, **kwargs):
        calls.append(self)
        if len(calls) == 2:
            raise OSError("no")
        return iterate(self, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(parquet.ParquetFile, "iter_batches", broken)
        with pytest.raises(SourceError, match="no"):
            model.fit(source)
    for one, other in zip(numbers_of(model.fit(source)), expected, strict=True):
        assert np.array_equal(one, other)


def test_what_functions_make_is_kept_where_one_asks_for_it(folder):
    calls = []

    def table():
        calls.append(1)
        return parquet.read_table(folder, columns=X)

    model, found, counts = KMeans(3, n_init=1, max_iter=4, tol=0, random_state=0), [], []
    for options in ({}, {"memory": 2**24}):
        calls.clear()
        found.append(model.fit(scan(table, batch_rows=7777, **options)).cluster_centers_)
        counts.append(len(calls))
    assert np.array_equal(*found)
    assert counts[1] < counts[0]
    assert scan(np.zeros((3, 2)), memory=2**24).memory == 0


@pytest.mark.parametrize("memory", [-1, 1.5, True, "1GB"])
def test_memory_is_a_number_of_bytes(folder, memory):
    with pytest.raises(SourceError, match="memory must be a whole number of bytes"):
        scan(folder, memory=memory)
