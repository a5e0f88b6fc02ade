"""SQLite databases: a table by its name, with its types; nothing in the file is run, nothing beside it is written."""

import gzip
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.files import read_table
from parzen.cli.reading.result import Selection, TextFormat

ODD = 'a "quoted"; DROP TABLE x; <b>'


@pytest.fixture
def database(tmp_path):
    """A database with tables of several types, and a function that runs statements in it."""
    path = tmp_path / "shop.db"

    def run(*statements):
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)
            connection.commit()

    run(
        "CREATE TABLE sales (day TEXT, price REAL, pieces INTEGER, note TEXT, image BLOB)",
        *(("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", (f"2024-01-{i:02d}", None if i == 3 else i / 4, i, "ok", b"x"))
          for i in range(1, 31)),
    )  # fmt: skip
    return path, run


def test_the_only_table_is_read_with_its_types(database):
    path, _ = database
    found = read_table(str(path))
    assert list(found.frame) == ["day", "price", "pieces", "note", "image"]
    assert found.frame["pieces"].tolist() == list(range(1, 31))
    assert np.isnan(found.frame["price"][2])
    assert str(found.frame["day"][0])[:10] == "2024-01-01"
    assert (found.read_as["pieces"], found.notes) == ("numbers", ())
    assert found.read_as["day"].startswith("dates")
    assert list(read_table(str(path), selection=Selection(columns=("price",))).frame) == ["price"]


def test_one_of_several_tables_is_chosen_by_its_name(database):
    path, run = database
    quoted = ODD.replace('"', '""')
    run(f'CREATE TABLE "{quoted}" (x)', f'INSERT INTO "{quoted}" VALUES (1), (2)', "CREATE VIEW some AS SELECT 7 AS y")
    with pytest.raises(CommandError, match=r"holds 3 tables: 'sales', .*'some'; choose one, as in '.*shop[.]db:sales'"):
        read_table(str(path))
    assert read_table(f"{path}:{ODD}").frame["x"].tolist() == [1, 2]
    assert read_table(str(path), TextFormat(table=ODD)).frame["x"].tolist() == [1, 2]
    assert read_table(f"{path}:some").frame["y"].tolist() == [7]
    with pytest.raises(CommandError, match="has no table 'sale'; did you mean 'sales'"):
        read_table(f"{path}:sale")
    with pytest.raises(CommandError, match="has no table 'zzz'; there are 'sales'"):
        read_table(f"{path}:zzz")
    with pytest.raises(ArgumentError, match="two tables"):
        read_table(f"{path}:sales", TextFormat(table="some"))


def test_a_file_of_one_table_has_no_choice(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    with pytest.raises(CommandError, match="one table only"):
        read_table(str(tmp_path / "t.csv"), TextFormat(table="x"))
    (tmp_path / "t:x.csv").write_text("a\n3\n4\n")  # a name with a colon is a name
    assert read_table(str(tmp_path / "t:x.csv")).frame["a"].tolist() == [3, 4]


def test_compressed_ones_are_read_and_damaged_ones_are_said(database, tmp_path):
    path, _ = database
    (tmp_path / "shop.db.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert len(read_table(str(tmp_path / "shop.db.gz")).frame) == 30
    for name, content in (("cut", path.read_bytes()[:1500]), ("noise", path.read_bytes()[:100] + bytes(8000))):
        (tmp_path / f"{name}.db").write_bytes(content)
        with pytest.raises(CommandError, match=r"database|no tables"):
            read_table(str(tmp_path / f"{name}.db"))


def test_the_file_and_its_folder_stay_as_they_are(database):
    path, run = database
    run("PRAGMA journal_mode = WAL")
    before = path.read_bytes()
    assert len(read_table(str(path)).frame) == 30
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_changes_that_are_still_in_a_log_are_said(database):
    path, run = database
    run("PRAGMA journal_mode = WAL")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO sales (pieces) VALUES (99)")
        connection.commit()
        found = read_table(str(path))
    assert any("'shop.db-wal'" in note and "are not read" in note for note in found.notes)
    assert len(found.frame) == 30


@pytest.mark.parametrize(
    "view",
    [
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",  # without end
        "SELECT load_extension('evil')",
        "SELECT writefile('evil', 'x')",
        "SELECT name FROM pragma_database_list",
    ],
)
def test_views_that_do_more_than_read_are_refused(database, view, tmp_path):
    path, run = database
    run(f"CREATE VIEW trap AS {view}")
    with pytest.raises(CommandError, match="can't be read as a database"):
        read_table(f"{path}:trap")
    assert not (tmp_path / "evil").exists()


def test_a_view_that_would_fill_the_memory_is_stopped(database, monkeypatch):
    path, run = database
    run("CREATE VIEW many AS SELECT a.pieces FROM sales a, sales b, sales c, sales d")
    monkeypatch.setattr("parzen.cli.reading.database.most_bytes", lambda: 1 << 20)
    with pytest.raises(CommandError, match="holds more than"):
        read_table(f"{path}:many")


def test_names_are_made_different_and_commands_read_tables(database, run, tmp_path):
    path, execute = database
    execute('CREATE TABLE names (" " REAL, "a" REAL, "a " REAL)',
            *(("INSERT INTO names VALUES (?, ?, ?)", (i * 0.37 % 1, i, i * i)) for i in range(40)))  # fmt: skip
    found = read_table(f"{path}:names")
    assert list(found.frame) == ["column 1", "a", "a.1"]
    assert len(found.notes) == 2
    code, out, err = run("bandwidth", path, "--table", "names", "--column", "a", "--json", "--quiet")
    assert (code, err) == (0, "")
    assert '"a"' in out
    code, _, err = run("bandwidth", path)
    assert (code, "choose one, as in" in err) == (1, True)
