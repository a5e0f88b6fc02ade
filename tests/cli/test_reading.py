"""Tables as they are written: what is in the cells decides how a column is read, and what was decided is said."""

import bz2
import gzip
import json
import lzma

import numpy as np
import pandas as pd
import pytest

from parzen.cli.errors import CommandError
from parzen.cli.files import read_table
from parzen.cli.reading import content, parsing
from parzen.cli.reading.cells import MISSING
from parzen.cli.reading.result import Selection, TextFormat


@pytest.fixture
def read(tmp_path):
    """Reads a table of text or bytes, with options of `TextFormat`."""

    def read(written, name="t.csv", kinds=None, **options):
        path = tmp_path / name
        path.write_bytes(written if isinstance(written, bytes) else written.encode())
        return read_table(str(path), TextFormat(**options), Selection(kinds=kinds or {}))

    return read


def cells(frame, name):
    """A column's values as a list, with None for missing ones."""
    return [None if missing else cell for cell, missing in zip(frame[name], frame[name].isna(), strict=True)]


@pytest.mark.parametrize(
    ("written", "values", "read_as"),
    [
        (["1", "2.5", "-3e2"], [1, 2.5, -300], "numbers"),
        (["1,5", "2,25"], [1.5, 2.25], "numbers with a decimal comma (2,25)"),
        (["1,234.5", "12"], [1234.5, 12], "numbers with commas between thousands (1,234.5)"),
        (["1.234,5", "2.000"], [1234.5, 2000], "points between thousands and a decimal comma (1.234,5)"),
        (["1.234.567", "2.000"], [1234567, 2000], "numbers with points between thousands"),
        (["1 234,5", "2\u00a0000"], [1234.5, 2000], "spaces between thousands and a decimal comma"),
        (["1'234.5", "2’000"], [1234.5, 2000], "apostrophes between thousands"),
        (["12,34,567", "1,234"], [1234567, 1234], "commas between thousands"),
        (["$9.99", "-$1,009.50"], [9.99, -1009.5], "the sign $, which is left out"),
        (["45%", "0.5 %"], [45, 0.5], "the sign %, which is left out"),
        (["5 EUR", "EUR 7,50"], [5, 7.5], "a decimal comma and the sign EUR"),
        (["(5)", "10"], [-5, 10], "negative ones in parentheses"),
        (["−5", "2"], [-5, 2], "numbers"),
        (["$1", "€2"], ["$1", "€2"], "text: numbers with different signs ($, €)"),
        (["007", "100"], ["007", "100"], "text: codes with leading zeros (007)"),
        (["0", "0.5"], [0, 0.5], "numbers"),
        (["9" * 25, "1"], ["9" * 25, "1"], "text: codes with more digits than a number keeps"),
        (["1_000", "2"], ["1_000", "2"], "text; 1 of 2 known cells are numbers"),
        (["+49 123 456", "+49 123 457"], ["+49 123 456", "+49 123 457"], "text"),
        (["true", "FALSE"], [True, False], "true or false"),
        (["NA", "DE"], [None, "DE"], "text; missing: 'NA' 1"),
        ([" a ", "a"], ["a", "a"], "text"),
        (["", " "], [None, None], "empty"),
        (["20241231", "20240101", "20230505"], [20241231, 20240101, 20230505], "numbers; they look like dates"),
        (["12:30", "13:45"], ["12:30", "13:45"], "text"),
        (["10.0.0.1", "10.0.0.2"], ["10.0.0.1", "10.0.0.2"], "text"),
    ],
)  # fmt: skip
def test_what_is_in_the_cells_decides(read, written, values, read_as):
    found = read("x;y\n" + "".join(f"{cell};z\n" for cell in written))
    assert cells(found.frame, "x") == values
    assert read_as in found.read_as["x"]


@pytest.mark.parametrize(
    ("written", "first", "read_as"),
    [
        (["2024-12-31", "2024-1-5"], "2024-12-31", "dates as year-month-day (2024-12-31)"),
        (["2024/12/31"], "2024-12-31", "dates as year/month/day"),
        (["31.12.2024", "01.02.2024"], "2024-12-31", "dates as day.month.year (31.12.2024)"),
        (["01.02.2024"], "2024-02-01", "dates as day.month.year"),
        (["31/12/2024", "1/2/2024"], "2024-12-31", "dates as day/month/year"),
        (["12/31/2024", "1/2/2024"], "2024-12-31", "dates as month/day/year"),
        (["31-12-99"], "1999-12-31", "dates as day-month-year"),
        (["31 Dec 2024", "1 January 2025"], "2024-12-31", "dates as day month year"),
        (["Dec 31, 2024"], "2024-12-31", "dates as month day year"),
        (["2024-12-31T10:20:30.5+02:00"], "2024-12-31 08:20:30.5", "dates as year-month-day"),
        (["1/13/2024 1:05 PM"], "2024-01-13 13:05", "dates as month/day/year"),
        (["0999-12-31"], "0999-12-31", "dates as year-month-day"),
    ],
)  # fmt: skip
def test_dates_are_read_in_the_order_that_their_cells_show(read, written, first, read_as):
    found = read("x|y\n" + "".join(f"{cell}|1\n" for cell in written))
    assert found.frame["x"].dtype.kind == "M"
    assert found.frame["x"].to_numpy()[0] == np.datetime64(first)
    assert read_as in found.read_as["x"]
    assert found.notes == ()


def test_dates_in_two_orders_are_text(read):
    found = read("d,x\n31/12/2024,1\n12/31/2024,2\n")
    assert cells(found.frame, "d") == ["31/12/2024", "12/31/2024"]


def test_a_date_with_two_readings_is_decided_by_other_columns_or_options_or_said(read):
    table = "d,e\n1/2/2024,3/4/2024\n"
    found = read(table)
    assert str(found.frame["d"][0])[:10] == "2024-01-02"
    assert found.notes[0] == "'1/2/2024' in 'd' is read as month/day/year; --day-first reads it otherwise."
    found = read(table, day_first=True)
    assert (str(found.frame["d"][0])[:10], found.notes) == ("2024-02-01", ())
    found = read("d,e\n1/2/2024,31/4/2024\n1/2/2024,30/4/2024\n" + "1/2/2024,1/4/2024\n" * 10)
    assert (str(found.frame["d"][0])[:10], len(found.notes)) == ("2024-02-01", 1)
    assert found.notes[0] == "1 cell of 'e' is no date ('31/4/2024'); it counts as missing."


def test_a_number_with_two_readings_is_decided_by_other_columns_or_options_or_said(read):
    found = read("x;y\n1,234;a\n12;b\n")
    assert cells(found.frame, "x") == [1234, 12]
    assert found.notes == ("'1,234' in 'x' is read as 1234; --decimal , reads it as 1.234.",)
    assert cells(read("x;y\n1,234;a\n12;b\n", decimal=",").frame, "x") == [1.234, 12]
    assert cells(read("x;y\n1,234;0,5\n12;0,25\n").frame, "x") == [1.234, 12]
    found = read("x;y\n1.234;a\n2.345;b\n")
    assert cells(found.frame, "x") == [1.234, 2.345]
    assert "--thousands . reads it as 1234" in found.read_as["x"]
    assert cells(read("x;y\n1.234;a\n2.345;b\n", thousands=".").frame, "x") == [1234, 2345]
    assert cells(read("x;y\n1.234;0,5\n2.345;0,25\n").frame, "x") == [1234, 2345]
    assert cells(read("x;y\n1.234;0,5\n2.345;0.25\n").frame, "x") == [1.234, 2.345]


def test_a_few_words_among_numbers_count_as_missing_and_many_make_text(read):
    numbers = "".join(f"{i}.5\n" for i in range(100))
    found = read(f"x\n{numbers}?\nunknown\n?\n1e999\n")
    assert found.frame["x"].notna().sum() == 100
    assert found.read_as["x"] == "numbers; 4 other cells: missing"
    assert found.notes == ("4 cells of 'x' are no number ('?', 'unknown', '1e999'); they count as missing.",)
    found = read(f"x\n{numbers}" + "".join(f"V{i}\n" for i in range(8)))
    assert found.frame["x"].notna().sum() == 108
    assert found.read_as["x"] == "text; 100 of 108 known cells are numbers"
    assert "'x' is read as text: 8 of 108 cells are no numbers, such as 'V0'" in found.notes[0]


def test_many_notes_are_not_all_shown(tmp_path, run):
    names = ",".join(["a"] * 20)
    (tmp_path / "t.csv").write_text(f"{names},x\n" + "".join("1," * 20 + f"{i}\n" for i in (1.5, 2, 4)))
    code, _, err = run("bandwidth", tmp_path / "t.csv", "--column", "x")
    assert (code, err.count("\n")) == (0, 13)
    assert err.endswith("parzen: and 7 more notes; parzen report lists them.\n")


def test_words_for_missing_values_are_an_option(read):
    table = "country,x\nNA,1\nDE,?\n"
    found = read(table, na=("?",))
    assert (cells(found.frame, "country"), cells(found.frame, "x")) == (["NA", "DE"], [1, None])
    assert cells(read(table, na=()).frame, "x") == ["1", "?"]


def test_declared_kinds_decide_over_cells(read):
    table = "zip,n,d\n10115,007,20241231\n04109,?,20240101\n"
    found = read(table, kinds={"zip": "categorical", "n": "continuous", "d": "date"})
    assert cells(found.frame, "zip") == ["10115", "04109"]
    assert cells(found.frame, "n") == [7, None]
    assert str(found.frame["d"][0])[:10] == "2024-12-31"
    assert cells(read("d\n99/99/2024\n", kinds={"d": "date"}).frame, "d") == ["99/99/2024"]
    assert cells(read("a\n1\n1e5\n", kinds={"a": "categorical"}).frame, "a") == ["1", "1e5"]


@pytest.mark.parametrize(
    ("written", "shape", "note"),
    [
        ('k\tm\na\t"Hi\nb\t"you" said\nc\tx\n', (3, 2), "Quotation marks are read as text: one in line 3"),
        ('k\tm\na\t"Hi\nb\tyou"\nc\tx\n', (3, 2), "as quotes they would join lines that are complete rows"),
        ('k,m\na,"Hi, you\nthere"\nc,x\n', (2, 2), "1 record goes over several lines"),
        ('k,m\na,"5"" pipe"\nc,x\n', (2, 2), None),
        ('k,m\na,5" pipe\nc,x\n', (2, 2), None),
        ('k,m\na,"he said \\"hi, you\\""\nc,x\n', (2, 2), None),
        ("a,b,c\n1,2,3\n1,2\n4,5,6\n", (3, 3), "1 line with fewer cells than 3 (the first is line 3)"),
        ("a,b,\n1,2,\n3,4,\n", (2, 2), None),
        ("a,b\n1,2,\n3,4,\n", (2, 2), None),
        ("a,a,,a\n1,2,3,4\n", (1, 4), "Two columns are called 'a'; the later one is called 'a.1'."),
        ("a,b\n\n1,2\n  \n3,4\n\n", (2, 2), None),
        ("a\n1\n\n3\n", (2, 1), "1 blank line between the rows: left out."),
        ('a\n1\n""\n3\n', (3, 1), None),
        ("a,b\r\n1,2\n3,4\r5,6", (3, 2), None),
        ("x\n1,5\n2,5\n", (2, 1), None),
        ("name, first;b\nSmith, J;1\nDoe;2\n", (2, 2), None),
        ("a|b\n1|2\n", (1, 2), None),
        ("1.5,2\n3,4\n", (1, 2), "The first line holds numbers"),
        ("2019,2020\n3,4\n", (1, 2), None),
        ('a,b\n1,"' + "x" * 300_000 + '"\n', (1, 2), None),
    ],
)  # fmt: skip
def test_records_and_names(read, written, shape, note):
    name = "t.tsv" if "\t" in written else "t.csv"
    found = read(written, name)
    assert found.frame.shape == shape
    assert any(note in one for one in found.notes) if note else found.notes == ()
    assert found.frame.columns.is_unique


def test_quotes_are_an_option(read):
    table = 'k\tm\na\t"Hi\nb\tyou"\nc\tx\n'
    assert cells(read(table, "t.tsv", quotes=True).frame, "m") == ["Hi\nb\tyou", "x"]
    assert cells(read('k,m\na,"x"\n', quotes=False).frame, "m") == ['"x"']


@pytest.mark.parametrize("sep", ["(((", "||", "\\t", "§", " ", ";", ".", "^"])
def test_a_separator_is_what_is_written(read, sep):
    mark = sep.replace("\\t", "\t")
    found = read(f'a{mark}b\n1{mark}"x{mark}y"\n', sep=sep)
    assert cells(found.frame, "b") == [f"x{mark}y"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_decides_about_the_encoding(read, encoding):
    assert cells(read("ä,b\n1,é\n".encode(encoding)).frame, "b") == ["é"]


@pytest.mark.parametrize(
    ("written", "name", "options", "sentence"),
    [
        (b"", "t.csv", {}, "is empty"),
        (b"\n \n", "t.csv", {}, "is empty"),
        (b"a,b", "t.csv", {}, "has no rows"),
        (b"a,b\n1,2\n1,2,3,4\n", "t.csv", {}, "line 3 has 4 fields, but the header names 2"),
        (b'"a","b"\n"r1",1,2\n"r2",3,4\n', "t.csv", {}, "every row has 3 fields, but the header names 2"),
        (b'a,b\n1,"x, y\n2,z,3\n', "t.csv", {}, "--no-quotes"),
        (b"a,b\n1,\x002\n", "t.csv", {}, "line 2 holds a NUL byte"),
        ("a,b\n1,é\n".encode("utf-16-le"), "t.csv", {}, "--encoding utf-16"),
        (b"a,b\n1,\xed\xa0\x80\n", "t.csv", {}, "is not text in utf-8 (byte 6)"),
        (b"a,b\n1,2\n", "t.csv", {"sep": "((("}, "'(((' is not in the first line of"),
        (b"a,b\n1,2\n", "t.csv", {"sep": ""}, "--sep must be"),
        (b"a,b\n1,2\n", "t.csv", {"decimal": ".."}, "--decimal must be one character"),
        (b"a,b\n1,2\n", "t.csv", {"decimal": ",", "thousands": ","}, "give different ones"),
        (b"a,b\n1,2\n", "t.csv", {"names": "a,b,c"}, "3 names, but"),
        (b"a,b\n1,2\n", "t.csv", {"encoding": "zlib"}, "there is no encoding"),
        (b"PK\x03\x04xxxx", "t.xlsx", {}, "a spreadsheet"),
        (b"<!DOCTYPE html><html>\n", "t.csv", {}, "a page of HTML"),
        (b"PAR1xxxx", "t.parquet", {}, "can't be read as a table"),
        (b"1\n2\n", "t.jsonl", {}, "record 1 is no object"),
        (b'{"a":1}\n{"a":\n', "t.jsonl", {}, "line 2 is no JSON object"),
        (b"[" * 100_000, "t.json", {}, "nested too deeply"),
        (b'{"a":[1]}\n', "t.jsonl", {}, "holds lists or objects"),
        (b'{"a":"\\ud800"}\n', "t.jsonl", {}, "half a character"),
        (b"[]", "t.json", {}, "has no rows"),
        (gzip.compress(b"a,b\n" + b"abcdefghi" * 99, mtime=0)[:-20], "t.csv.gz", {}, "compressed, and damaged"),
        (bz2.compress(b"a,b\n1,2\n")[:-5], "t.csv", {}, "compressed, and damaged"),
        (lzma.compress(b"a,b\n1,2\n")[:-5], "t.csv", {}, "compressed, and damaged"),
    ],
)  # fmt: skip
def test_what_is_no_table_gets_a_sentence(read, written, name, options, sentence):
    with pytest.raises(CommandError) as error:
        read(written, name, **options)
    assert sentence in str(error.value)


def test_a_gzip_that_is_damaged_inside_exits_with_1(tmp_path, run):
    rows = b"".join(b"%d,%d\n" % (i, i * 7919 % 1000) for i in range(2000))
    data = bytearray(gzip.compress(b"a,b\n" + rows))
    data[200:220] = b"\xff" * 20  # zlib's error, neither an OSError nor a ValueError
    (tmp_path / "t.csv.gz").write_bytes(data)
    code, out, err = run("report", tmp_path / "t.csv.gz")
    assert (code, out) == (1, "")
    assert "is compressed, and damaged" in err


def test_devices_and_endless_files_are_refused(tmp_path, run, monkeypatch):
    code, _, err = run("report", "/dev/zero")
    assert (code, "is a device" in err) == (1, True)
    monkeypatch.setattr(content, "most_bytes", lambda: 1_000_000)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a\n" + b"1\n" * 2_000_000))
    code, _, err = run("report", tmp_path / "bomb.csv.gz")
    assert (code, "holds more than 0.0 GiB" in err) == (1, True)


def test_json_and_parquet_keep_their_types(read, tmp_path):
    found = read('{"a":1,"b":"007","c":true,"d":"2024-12-31"}\n{"a":2.5,"c":false,"d":null}\n', "t.jsonl")
    assert cells(found.frame, "a") == [1, 2.5]
    assert cells(found.frame, "b") == ["007", None]
    assert found.frame["c"].dtype == bool
    assert found.frame["d"].dtype.kind == "M"
    path = tmp_path / "t.parquet"
    pd.DataFrame({"id": ["01", "02"], "x": [1.5, None]}).set_index("id").to_parquet(path)
    found = read_table(str(path))
    assert (list(found.frame.columns), cells(found.frame, "id")) == (["id", "x"], ["01", "02"])
    assert found.read_as == {"id": "text", "x": "numbers"}


@pytest.mark.parametrize("seed", range(40))
def test_tables_that_pandas_writes_come_back(read, seed):
    """Any text, also with quotes, separators and line ends in it, and any numbers, also extreme ones."""
    rng = np.random.default_rng(seed)
    marks = ["a", "B", ",", ";", '"', "\n", " ", "'", "é", "1", "\\", "\t", "="]
    words = ["".join(rng.choice(marks, rng.integers(1, 6))).strip() or "x" for _ in range(30)]
    numbers = rng.normal(size=30) * 10.0 ** rng.integers(-300, 300, 30)
    frame = pd.DataFrame({"w": [f"w{one}w" for one in words], "x": numbers})
    sep = rng.choice([",", ";", "|"])
    found = read(frame.to_csv(index=False, sep=sep))
    assert cells(found.frame, "w") == cells(frame, "w")
    assert cells(found.frame, "x") == cells(frame, "x")


@pytest.mark.parametrize("seed", range(60))
def test_numbers_that_are_read_at_once_are_those_that_are_read_as_text(read, monkeypatch, seed):
    """A column is read as numbers by its first cells; whatever comes later, it is as if all had been read as text."""
    monkeypatch.setattr(parsing, "SAMPLE", 2)
    rng = np.random.default_rng(seed)
    pools = ["1 2 -3", "1.5 2 1e3 .5 5.", "0 0.25", "1 1.234 2.345", "3 NA", "1 inf", "1 007", "1 1e400", "-0 0 0e5"]
    pools += [f"1 {'9' * 19}", f"1 {'9' * 25}", "5 +6", '"5" 6', "2 1_0", "1 True", "1 1d5", "1 1,5", "1 x"]
    columns = [rng.choice([*rng.choice(pools).split(), ""], 12) for _ in range(3)]
    written = "a;b;c\n1;1;1\n1;1;1\n" + "".join(f"{';'.join(row)}\n" for row in zip(*columns, strict=True))
    fast, slow = read(written), read(written, na=MISSING)  # with words of one's own, all is read as text first
    assert (fast.read_as, fast.notes) == (slow.read_as, slow.notes)
    pd.testing.assert_frame_equal(fast.frame, slow.frame)


def test_what_was_decided_is_in_the_report_and_in_json(tmp_path, run):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i % 7},{i * 37 % 11};0{i};{i % 28 + 1:02}.12.2024\n" for i in range(60))
    path.write_text("price;code;day\n" + rows)
    code, out, err = run("report", path, "--json", "-o", tmp_path / "r.html")
    assert code == 0, err
    summary = json.loads(out)
    said = {one["name"]: (one["kind"], one["read_as"]) for one in summary["columns"]}
    assert said["price"][0] == "continuous"
    assert said["price"][1].startswith("numbers with a decimal comma")
    assert said["code"][1] == "text: codes with leading zeros (00)"
    assert said["day"] == ("date", "dates as day.month.year (01.12.2024)")
    assert "codes with leading zeros" in (tmp_path / "r.html").read_text()
    found = json.loads(run("bandwidth", path, "--json")[1])
    assert found["price"]["read_as"] == said["price"][1]
    found = json.loads(run("outliers", path, "--json")[1])
    assert found["read_as"]["day"] == said["day"][1]
    found = json.loads(run("fit", path, "-o", tmp_path / "m", "--json")[1])
    assert found["read_as"]["code"] == said["code"][1]


def test_new_rows_are_read_as_the_models_columns(tmp_path, run):
    rng = np.random.default_rng(0)
    x = rng.normal(1500, 300, 80).round(1)
    code = rng.choice(["007", "1e5", "100"], 80)
    kind = np.where(x > 1500, "a", "b")
    frame = pd.DataFrame({"x": x, "code": code, "kind": kind})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run("fit", tmp_path / "t.csv", "--target", "kind", "-o", tmp_path / "m")[0] == 0
    _, expected, _ = run("predict", tmp_path / "m", tmp_path / "t.csv")
    written = frame.assign(x=[f"{one:,.1f}".translate(str.maketrans(",.", ".,")) for one in x])
    written.to_csv(tmp_path / "new.csv", index=False, sep=";")
    got, out, err = run("predict", tmp_path / "m", tmp_path / "new.csv")
    assert (got, out, err) == (0, expected, "")
    some = frame["code"] != "007"  # without these, the codes of the new table look like numbers
    frame[some].to_csv(tmp_path / "new.csv", index=False)
    got, out, err = run("predict", tmp_path / "m", tmp_path / "new.csv")
    lines = expected.splitlines()
    assert out.splitlines() == [lines[0], *(line for line, keep in zip(lines[1:], some, strict=True) if keep)]
