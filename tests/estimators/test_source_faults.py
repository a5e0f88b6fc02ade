"""What goes wrong while a source is fitted: clear errors, nothing half-written; and going on afterwards."""

import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

from parzen import (
    DensityEstimator,
    GaussianMixture,
    GaussianNB,
    KMeans,
    LogisticRegression,
    Mixture,
    MixtureModel,
    Poisson,
    SourceError,
    scan,
)
from parzen.families.checkpoint import Checkpoint


class Rows:
    """Rows that are made anew each time; a pass of them may fail."""

    def __init__(self, rows, fails=None, error=KeyboardInterrupt):
        self.rows, self.fails, self.error, self.passes = rows, fails, error, 0

    def __call__(self):
        self.passes += 1
        if self.passes == self.fails:
            raise self.error
        return self.rows


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 2)) + 2.2 * rng.integers(0, 3, (3000, 1))


MIXTURES = [
    GaussianMixture(3, random_state=0, tol=1e-12, max_iter=30),
    GaussianMixture(3, random_state=0, tol=1e-12, max_iter=30, accelerate=False, prior="auto"),
    MixtureModel(Poisson(), 2, random_state=0, max_iter=20, tol=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MIXTURES, ids=repr)
def test_a_fit_that_was_killed_goes_on_to_the_same_answer(model, rows, tmp_path):
    rows = np.abs(rows).round() if isinstance(model, MixtureModel) else rows
    whole = Rows(rows)
    wanted = model.fit(scan(whole, batch_rows=700)).score_samples(rows[:50])
    steps, bounds = model.n_iter_, model.lower_bounds_
    path = tmp_path / "em.parzen"
    killed = Rows(rows, fails=whole.passes - 3)
    with pytest.raises(KeyboardInterrupt):
        model.fit(scan(killed, batch_rows=700), checkpoint=path)
    assert [one.name for one in tmp_path.iterdir()] == ["em.parzen"]
    again = Rows(rows)
    found = model.fit(scan(again, batch_rows=700), checkpoint=path).score_samples(rows[:50])
    assert np.array_equal(found, wanted)
    assert (model.n_iter_, model.lower_bounds_) == (steps, bounds)
    assert again.passes < whole.passes - 3
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_is_of_these_rows_and_this_family(rows, tmp_path):
    path, model = tmp_path / "em.parzen", GaussianMixture(3, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(scan(Rows(rows, fails=6)), checkpoint=path)
    with pytest.raises(ValueError, match=r"em\.parzen' is of other rows"):
        model.fit(scan(Rows(rows[1:])), checkpoint=path)
    with pytest.raises(ValueError, match=r"em\.parzen' is of a fit with other parameters"):
        GaussianMixture(2, random_state=0).fit(scan(Rows(rows)), checkpoint=path)
    DensityEstimator().fit(rows).save(path)
    with pytest.raises(ValueError, match="is no checkpoint"):
        model.fit(scan(Rows(rows)), checkpoint=path)
    with pytest.raises(TypeError, match="a table needs none"):
        model.fit(rows, checkpoint=path)
    with pytest.raises(TypeError, match="checkpoint keeps the EM of mixtures"):
        KMeans(3).fit(scan(Rows(rows)), checkpoint=path)


def test_a_checkpoint_is_a_file_that_can_be_written(rows, tmp_path):
    model, reading = GaussianMixture(3, random_state=0), Rows(rows)
    for place, said in ((tmp_path, "it is a folder"), (tmp_path / "no" / "em.parzen", "no folder that can be written")):
        reading.passes = 0
        with pytest.raises(SourceError, match=said):
            model.fit(scan(reading), checkpoint=place)
    (tmp_path / "notes.txt").write_text("notes")
    with pytest.raises(ValueError, match=r"notes\.txt' is no checkpoint"):
        model.fit(scan(rows), checkpoint=tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "notes"


def test_what_a_kill_left_half_written_is_removed(rows, tmp_path, monkeypatch):
    model, path = GaussianMixture(3, random_state=0), tmp_path / "em.parzen"
    with monkeypatch.context() as patched:  # as if killed: nothing is cleared away
        patched.setattr("parzen.storage.files.os.fsync", lambda file: 1 / 0)
        patched.setattr("pathlib.Path.unlink", lambda path, missing_ok=False: None)
        with pytest.raises(ZeroDivisionError):
            model.fit(scan(rows), checkpoint=path)
    assert len(list(tmp_path.iterdir())) == 1
    model.fit(scan(rows), checkpoint=path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_each_of_several_candidates_goes_on_from_its_own_checkpoint(rows, tmp_path):
    model = GaussianMixture([2, 3], random_state=0, tol=1e-12, max_iter=20)
    whole = Rows(rows)
    wanted = model.fit(scan(whole)).means_.copy()
    killed, again = Rows(rows, fails=whole.passes - 3), Rows(rows)
    with pytest.raises(KeyboardInterrupt):
        model.fit(scan(killed), checkpoint=tmp_path / "em.parzen")
    assert len(list(tmp_path.iterdir())) == 1
    assert np.array_equal(model.fit(scan(again), checkpoint=tmp_path / "em.parzen").means_, wanted)
    assert again.passes < whole.passes
    assert list(tmp_path.iterdir()) == []


def test_what_keeps_no_steps_refuses_a_checkpoint(rows, tmp_path):
    labelled = np.column_stack([rows, np.arange(3000) % 2])
    with pytest.raises(TypeError, match="checkpoint keeps the EM of mixtures"):
        LogisticRegression().fit(scan(labelled), target=2, checkpoint=tmp_path / "em.parzen")


def test_a_checkpoint_knows_files_that_have_changed(rows, tmp_path, monkeypatch):
    file, path = tmp_path / "1.parquet", tmp_path / "em.parzen"
    pd.DataFrame(rows, columns=["a", "b"]).to_parquet(file)
    model = GaussianMixture(3, random_state=0)
    keep = Checkpoint.keep

    def killed(self, *args, **state):
        keep(self, *args, **state)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "keep", killed)
        with pytest.raises(KeyboardInterrupt):
            model.fit(scan(file), checkpoint=path)
    pd.DataFrame(rows + 1.0, columns=["a", "b"]).to_parquet(file)
    with pytest.raises(ValueError, match="or they have changed since"):
        model.fit(scan(file), checkpoint=path)


def test_a_disk_that_fills_names_the_file_and_leaves_nothing(rows, tmp_path, monkeypatch):
    from pyarrow import parquet

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    model = DensityEstimator().fit(rows)
    monkeypatch.setattr(parquet.ParquetWriter, "write_table", full)
    with pytest.raises(SourceError, match=r"s\.parquet' can't be written: No space left on device"):
        model.score_samples(scan(rows), to=tmp_path / "s.parquet")
    monkeypatch.setattr("parzen.storage.files.os.fsync", full)
    with pytest.raises(SourceError, match=r"em\.parzen' can't be written: No space left on device"):
        GaussianMixture(3, random_state=0).fit(scan(rows), checkpoint=tmp_path / "em.parzen")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_changes_between_passes_is_an_error(rows, tmp_path):
    for at in range(2):
        pd.DataFrame(rows, columns=["a", "b"]).to_parquet(tmp_path / f"{at}.parquet")
    source = scan(tmp_path, batch_rows=1000)
    model = GaussianMixture(2, random_state=0).fit(source)
    before = model.means_.copy()
    pd.DataFrame(rows[1:], columns=["a", "b"]).to_parquet(tmp_path / "1.parquet")
    with pytest.raises(SourceError, match=r"1\.parquet' has changed since it was scanned"):
        model.fit(source)
    assert np.array_equal(model.means_, before)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SourceError("no")])
def test_an_interrupted_fit_leaves_no_thread_and_no_change(error, rows):
    table = np.column_stack([rows, np.arange(3000) % 2])
    model = GaussianNB().fit(table[:, :2], table[:, 2])
    before = model.theta_.copy()

    def batches():
        yield table[:1000]
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        model.fit(scan(batches), target=2)
    assert np.array_equal(model.theta_, before)
    end = time.monotonic() + 5.0
    while any(one.name == "parzen-source" for one in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(one.name == "parzen-source" for one in threading.enumerate())


def test_a_mixture_within_classes_needs_no_checkpoint_to_be_the_same(rows, tmp_path):
    from parzen import BayesClassifier

    table = np.column_stack([rows, np.arange(3000) % 2])
    model = BayesClassifier(Mixture(n_components=2), random_state=0)
    found = model.fit(scan(table), target=2, checkpoint=tmp_path / "em.parzen").predict_proba(rows[:20])
    assert np.array_equal(found, model.fit(scan(table), target=2).predict_proba(rows[:20]))
    assert list(tmp_path.iterdir()) == []


FIT = """
import sys
import parzen
model = parzen.GaussianMixture(3, random_state=0, tol=0, max_iter=200)
model.fit(parzen.scan(sys.argv[1], batch_rows=700, memory=0), checkpoint=sys.argv[2])
"""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_process_that_was_killed_leaves_a_checkpoint_to_go_on_from(rows, tmp_path):
    file, path = tmp_path / "1.parquet", tmp_path / "em.parzen"
    pd.DataFrame(rows, columns=["a", "b"]).to_parquet(file)
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", FIT, str(file), str(path)]) as process:
        while not path.exists() and process.poll() is None:
            time.sleep(0.002)
        process.kill()
    assert path.exists()
    model = GaussianMixture(3, random_state=0, tol=0, max_iter=200)
    found = model.fit(scan(file, batch_rows=700, memory=0), checkpoint=path).means_.copy()
    assert np.array_equal(found, model.fit(scan(file, batch_rows=700, memory=0)).means_)
    assert not path.exists()
