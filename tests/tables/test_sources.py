"""Sources: the same rows in the same order each time, and clear errors where that can't be."""

import os
import threading
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

from parzen import GaussianNB, NaiveBayes, SourceError, scan
from parzen.tables.sources.ahead import read_ahead
from tests.libraries import polars as pl
from tests.versions import since

FRAME = pd.DataFrame({"a": np.arange(10.0), "b": np.arange(10) % 3, "c": list("xyzxyzxyzx")})


@pytest.fixture
def folder(tmp_path):
    for name, rows in (("1", slice(0, 4)), ("2", slice(4, 5)), ("3", slice(5, 10))):
        FRAME.iloc[rows].to_parquet(tmp_path / f"{name}.parquet", index=False)
    return tmp_path


def values(source):
    return pd.concat(list(source), ignore_index=True)


@pytest.mark.parametrize("place", ["folder", "pattern", "list", "csv"])
def test_files_are_read_in_order_and_again(folder, place):
    if place == "csv":
        for name in "123":
            part = pd.read_parquet(folder / f"{name}.parquet")
            part.to_csv(folder / f"{name}.csv", index=False)
            (folder / f"{name}.parquet").unlink()
    listed = [folder / f"{name}.parquet" for name in "123"]
    source = scan({"folder": folder, "csv": str(folder), "pattern": str(folder / "*.parquet"), "list": listed}[place])
    for _ in range(2):
        pd.testing.assert_frame_equal(values(source), FRAME, check_dtype=False)
    assert len(source) == 10


def test_batches_have_the_same_rows_wherever_files_end(folder):
    assert [len(batch) for batch in scan(folder, batch_rows=3)] == [3, 3, 3, 1]
    FRAME.to_parquet(folder / "whole.parq.parquet", index=False)
    for ours, theirs in zip(
        scan([folder / f"{name}.parquet" for name in "123"], batch_rows=3),
        scan(folder / "whole.parq.parquet", batch_rows=3),
        strict=True,
    ):
        pd.testing.assert_frame_equal(ours.reset_index(drop=True), theirs.reset_index(drop=True))


def test_columns_are_chosen_in_order(folder):
    assert list(values(scan(folder, columns=["c", "a"]))) == ["c", "a"]
    with pytest.raises(SourceError, match="no column 'd'"):
        scan(folder, columns=["d"])


@pytest.mark.parametrize(
    "given",
    [
        lambda: pl.from_pandas(FRAME),
        lambda: pl.from_pandas(FRAME).lazy(),
        lambda: pa.Table.from_pandas(FRAME, preserve_index=False).to_reader(max_chunksize=3),
        lambda: (FRAME.iloc[begin : begin + 4] for begin in range(0, 10, 4)),
    ],
    ids=["polars", "lazy", "arrow stream", "generator"],
)
def test_functions_make_rows_anew(given):
    source = scan(given, batch_rows=4)
    for _ in range(2):
        found = [one.to_pandas() if hasattr(one, "to_pandas") else one for one in source]
        pd.testing.assert_frame_equal(pd.concat(found, ignore_index=True), FRAME, check_dtype=False)


def test_arrays_on_disk_and_lists(tmp_path):
    rows = np.arange(24.0).reshape(8, 3)
    rows.tofile(tmp_path / "rows.bin")
    disk = np.memmap(tmp_path / "rows.bin", dtype=float, shape=(8, 3), mode="r")
    assert np.array_equal(np.concatenate(list(scan(disk, batch_rows=3))), rows)
    assert np.array_equal(np.concatenate(list(scan(disk, columns=[2, 0]))), rows[:, [2, 0]])
    found = list(scan([sparse.csr_matrix(rows[:5]), sparse.csr_matrix(rows[5:])]))
    assert np.array_equal(sparse.vstack(found).toarray(), rows)
    assert len(scan([rows[:5], rows[5:]])) == 8


def test_what_can_be_read_again_needs_no_function():
    class OnDisk:
        """Rows that are read as they are asked for: what a dataset of h5py is."""

        shape, dtype = (8, 3), np.dtype(float)

        def __getitem__(self, rows):
            return np.arange(24.0).reshape(8, 3)[rows]

    for place in (OnDisk(), OnDisk):
        assert np.array_equal(np.concatenate(list(scan(place, batch_rows=3))), OnDisk()[:])
    source = scan(pl.from_pandas(FRAME).lazy(), batch_rows=4)
    for _ in range(2):
        pd.testing.assert_frame_equal(pl.concat(list(source)).to_pandas(), FRAME, check_dtype=False)


def test_batches_are_of_one_kind():
    source = scan([FRAME, pl.from_pandas(FRAME)])
    with pytest.raises(SourceError, match=r"a batch is a frame of polars, but the first one is a frame of pandas"):
        list(source)
    with pytest.raises(SourceError, match="the list is empty"):
        scan([])


def test_batches_of_polars_are_learnt_from(folder):
    frame = pl.from_pandas(FRAME).with_columns(y=pl.col("a") > 4)
    parts = [frame[:3].with_columns(pl.col("a").cast(pl.Float32)), frame[3:]]
    found = NaiveBayes().fit(scan(parts), target="y").predict_proba(frame.drop("y"))
    assert np.allclose(found, NaiveBayes().fit(frame.drop("y"), frame["y"]).predict_proba(frame.drop("y")), atol=1e-6)


def test_whole_numbers_of_numpy_are_sizes(folder):
    assert [len(batch) for batch in scan(folder, batch_rows=np.int64(6), memory=np.int64(0))] == [6, 4]


def test_types_of_csv_columns_are_those_of_all_files(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("b,a\nx,1.5\n")
    found = values(scan(tmp_path))
    assert found["a"].tolist() == [1.0, 1.5]
    assert found["b"].tolist() == ["2", "x"]


def test_what_can_be_read_once_is_refused():
    with pytest.raises(SourceError, match="can be read once"):
        scan(iter([FRAME]))
    with pytest.raises(SourceError, match="two dimensions"):
        scan(np.arange(3.0))


def test_a_truncated_file_is_named(folder):
    whole = (folder / "2.parquet").read_bytes()
    (folder / "2.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match=r"2\.parquet.*truncated or damaged"):
        values(scan(folder))


def test_damaged_pages_are_named(tmp_path):
    rows = pd.DataFrame({"a": np.random.default_rng(0).normal(size=5000)})
    rows.to_parquet(tmp_path / "1.parquet", index=False, compression="gzip")
    data = bytearray((tmp_path / "1.parquet").read_bytes())
    data[1000:3000] = os.urandom(2000)
    (tmp_path / "1.parquet").write_bytes(data)
    with pytest.raises(SourceError, match=r"1\.parquet"):
        values(scan(tmp_path))


def test_too_little_memory_is_no_damaged_file(folder, monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    def fails(*args, **kwargs):
        raise pa.ArrowMemoryError("malloc of size 16384 failed")

    source = scan(folder)
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", fails)
    with pytest.raises(MemoryError, match="malloc of size 16384 failed"):
        list(source)


def test_other_columns_and_types_are_named(folder):
    FRAME.drop(columns="b").to_parquet(folder / "4.parquet", index=False)
    with pytest.raises(SourceError, match=r"4\.parquet.* has no column 'b'"):
        values(scan(folder))
    FRAME.assign(b="x").to_parquet(folder / "4.parquet", index=False)
    with pytest.raises(SourceError, match=r"'b' of .*4\.parquet.* is of type (large_)?string, but that of .* int64"):
        values(scan(folder))
    assert len(values(scan(folder, columns=["a", "c"]))) == 20


TYPES = [
    ([np.arange(3, dtype=np.int64), np.array([0.5, np.nan])], "double"),
    ([np.array([1, 2], dtype=np.int8), np.array([300], dtype=np.int32)], "int32"),
    ([np.array([1.5], dtype=np.float32), np.array([2], dtype=np.int64)], "double"),
    ([pa.array(["x", None]), pa.array(["y"], pa.large_string())], "large_string"),
    ([pa.array(["x"]).dictionary_encode(), pa.array(["y", "x"])], "string"),
    pytest.param(
        [pa.DictionaryArray.from_arrays(pa.array([0, 0], kind), ["y"]) for kind in (pa.int8(), pa.int32())],
        "string",
        marks=since("pyarrow", "20.0", "Parquet files keep the type of a dictionary's codes"),
    ),
    ([pa.nulls(2), pa.array(["x"])], "string"),
    ([pa.array([1.0]), pa.nulls(2)], "double"),
    ([pa.array([10**9], pa.timestamp("s")), pa.array([10**18 + 1], pa.timestamp("ns"))], "timestamp[ns]"),
]


@pytest.mark.parametrize(("parts", "kind"), TYPES, ids=lambda one: one if isinstance(one, str) else "")
@pytest.mark.parametrize("turned", [False, True])
def test_a_column_has_the_type_that_holds_the_cells_of_all_files(parts, kind, turned, tmp_path):
    tables = [pa.table({"v": part, "n": np.arange(len(part))}) for part in (parts[::-1] if turned else parts)]
    for at, table in enumerate(tables):
        parquet.write_table(table, tmp_path / f"{at}.parquet")
    source = scan(tmp_path, batch_rows=2)
    assert str(source.empty().schema.field("v").type) == kind
    found = ["missing" if pd.isna(cell) else cell for table in source for cell in table["v"]]
    expected = [cell for table in tables for cell in table.column("v").to_pandas()]
    assert found == ["missing" if pd.isna(cell) else cell for cell in expected]


def test_columns_come_in_any_order_in_later_files(folder):
    FRAME[["c", "b", "a"]].to_parquet(folder / "4.parquet", index=False)
    expected = pd.concat([FRAME, FRAME], ignore_index=True)
    pd.testing.assert_frame_equal(values(scan(folder, batch_rows=3)), expected, check_dtype=False)


def test_files_without_a_row_may_stand_anywhere(folder):
    for name in ("0", "2a", "9"):
        FRAME.iloc[:0].to_parquet(folder / f"{name}.parquet", index=False)
    pd.testing.assert_frame_equal(values(scan(folder, batch_rows=3)), FRAME, check_dtype=False)


@pytest.fixture
def parted(tmp_path):
    """A table in folders that name its first two columns, as Spark writes it."""
    for at, (year, town) in enumerate(((2023, "Graz"), (2024, "A/B"), (2024, None))):
        named = "__HIVE_DEFAULT_PARTITION__" if town is None else town.replace("/", "%2F")
        folder = tmp_path / f"year={year}" / f"town={named}"
        folder.mkdir(parents=True)
        FRAME.iloc[at * 3 : at * 3 + 3].to_parquet(folder / "part-0.parquet", index=False)
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


@pytest.mark.parametrize("place", ["folder", "pattern", "list"])
def test_folders_name_columns(parted, place):
    listed = sorted(parted.rglob("*.parquet"))
    found = values(scan({"folder": parted, "pattern": f"{parted}/**/*.parquet", "list": listed}[place], batch_rows=4))
    assert list(found) == ["a", "b", "c", "year", "town"]
    assert found["year"].tolist() == [2023] * 3 + [2024] * 6
    assert found["town"].dropna().tolist() == ["Graz"] * 3 + ["A/B"] * 3
    assert found["town"].isna().tolist() == [False] * 6 + [True] * 3
    assert sorted(found["a"]) == FRAME["a"].tolist()[:9]


def test_columns_that_folders_name_are_read_alone_and_learnt_from(parted):
    assert values(scan(parted, columns=["year"]))["year"].tolist() == [2023] * 3 + [2024] * 6
    found = GaussianNB().fit(scan(parted, columns=["a", "b", "year"]), target="year")
    theirs = GaussianNB().fit(values(scan(parted, columns=["a", "b"])), [2023] * 3 + [2024] * 6)
    assert found.classes_.tolist() == [2023, 2024]
    assert np.array_equal(found.theta_, theirs.theta_)
    assert list(scan(next(parted.rglob("*.parquet"))).columns) == ["a", "b", "c"]
    FRAME.to_parquet(parted / "z.parquet", index=False)
    with pytest.raises(SourceError, match=r"z\.parquet' has no column 'year'"):
        values(scan(parted))
    assert len(values(scan(parted, columns=["a", "b", "c"]))) == 19


def test_empty_folders_and_patterns(tmp_path):
    with pytest.raises(SourceError, match="holds no"):
        scan(tmp_path)
    with pytest.raises(SourceError, match="no file matches"):
        scan(str(tmp_path / "*.parquet"))
    with pytest.raises(SourceError, match="there is no file"):
        scan(tmp_path / "lost.parquet")


def test_hidden_files_and_notes_are_left_out(folder):
    (folder / "_SUCCESS").touch()
    (folder / ".4.parquet").write_bytes(b"half-written")
    assert len(scan(folder)) == 10


def test_a_file_that_changes_is_named(folder):
    source = scan(folder)
    values(source)
    FRAME.iloc[:3].to_parquet(folder / "3.parquet", index=False)
    with pytest.raises(SourceError, match=r"3\.parquet.* has changed"):
        values(source)
    (folder / "3.parquet").unlink()
    with pytest.raises(SourceError, match=r"3\.parquet"):
        values(source)


def test_types_that_say_nothing_are_errors(folder, tmp_path):
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "1.csv").write_text("a,b\n1,2\n")
    for given, said in (({"a": "flooat"}, "no type of Arrow"), ({"A": "float64"}, "types names 'A'")):
        with pytest.raises(SourceError, match=said):
            scan(tmp_path / "csv", types=given)
    with pytest.raises(SourceError, match="types are for CSV files"):
        scan(str(folder / "*.parquet"), types={"a": "float64"})


def test_text_of_another_encoding_is_named(tmp_path):
    (tmp_path / "1.csv").write_bytes("a,b\n1,Zürich\n".encode("latin1"))
    with pytest.raises(SourceError, match=r"1\.csv' is not in UTF-8: its column 'b'"):
        scan(tmp_path)


def test_pages_are_compared_with_their_checksums(folder):
    path = folder / "2.parquet"
    parquet.write_table(
        pa.Table.from_pandas(pd.concat([FRAME] * 100), preserve_index=False),
        path,
        write_page_checksum=True,
        compression=None,
        use_dictionary=False,
    )
    data = bytearray(path.read_bytes())
    data[300] ^= 0xFF  # among the numbers of the first column
    path.write_bytes(bytes(data))
    with pytest.raises(SourceError, match=r"2\.parquet' can't be read"):
        values(scan(folder))


def test_two_columns_of_one_name_are_named_in_any_file(folder):
    cells = [pa.array(FRAME[name]) for name in "abcc"]
    parquet.write_table(pa.table(cells, names=list("abcc")), folder / "4.parquet")
    with pytest.raises(SourceError, match=r"4\.parquet' has two columns 'c'"):
        scan(folder)


def test_a_cell_of_another_type_in_a_csv_is_named(tmp_path):
    (tmp_path / "1.csv").write_text("a\n" + "1\n" * 3_000_000 + "one\n")
    with pytest.raises(SourceError, match=r"1\.csv.*types="):
        values(scan(tmp_path))
    assert values(scan(tmp_path, types={"a": "string"}))["a"].iloc[-1] == "one"


def test_the_next_item_is_made_while_the_last_is_worked_on():
    made, threads = [], threading.active_count()

    def items():
        for one in range(100):
            made.append(one)
            yield one

    ahead = read_ahead(items())
    assert next(ahead) == 0
    for _ in range(100):
        if len(made) > 1:
            break
        time.sleep(0.01)
    assert 1 < len(made) < 10
    ahead.close()
    for _ in range(100):
        if threading.active_count() <= threads:
            break
        time.sleep(0.01)
    assert threading.active_count() <= threads
    assert len(made) < 10


def test_an_error_of_the_reading_thread_comes_in_its_place():
    def items():
        yield 1
        raise SourceError("lost")

    ahead = read_ahead(items())
    assert next(ahead) == 1
    with pytest.raises(SourceError, match="lost"):
        next(ahead)
