"""Excel workbooks: sheets by their names, with the types of their cells."""

import io
import zipfile
from datetime import date

import numpy as np
import pytest

from parzen.cli.errors import CommandError
from parzen.cli.files import read_table
from parzen.cli.reading.result import TextFormat


@pytest.fixture
def book(tmp_path):
    """A workbook with a sheet of several types, and one with another table."""
    openpyxl = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "sales 2024"
    rows = [
        [None, None, None, None, None, None],
        ["day", "price", "label", "euro", None, "label"],
        [date(2024, 1, 31), 1.5, "=1+1", "1.234,50", None, "<b>x</b>"],
        [date(2024, 2, 1), 2, "b", "12,00", None, True],
        [None, None, None, None, None, None],
        [date(2024, 2, 2), None, "n/a", "3.000,25", None, None],
    ]
    for row in rows:
        sheet.append(row)
    made.create_sheet("other").append(["x"])
    for value in (3, 4, 5):
        made["other"].append([value])
    path = tmp_path / "book.xlsx"
    made.save(path)
    return path


def test_a_sheet_is_read_with_the_types_of_its_cells(book):
    found = read_table(f"{book}:sales 2024")
    assert list(found.frame) == ["day", "price", "label", "euro", "label.1"]
    assert found.frame["day"].dt.day.tolist() == [31, 1, 2]
    assert found.frame["price"].tolist()[:2] == [1.5, 2.0]
    assert np.isnan(found.frame["price"][2])
    assert found.frame["euro"].tolist() == [1234.5, 12.0, 3000.25]
    assert "decimal comma" in found.read_as["euro"]
    # A formula is not computed: the value that was saved counts, and here there is none.
    assert found.frame["label"].isna().tolist() == [True, False, True]
    assert any("the later one is called 'label.1'" in note for note in found.notes)


def test_sheets_are_chosen_by_their_names(book):
    assert read_table(f"{book}:other").frame["x"].tolist() == [3, 4, 5]
    assert read_table(str(book), TextFormat(table="other")).frame["x"].tolist() == [3, 4, 5]
    with pytest.raises(CommandError, match="holds 2 sheets: 'sales 2024', 'other'; choose one"):
        read_table(str(book))
    with pytest.raises(CommandError, match="has no sheet 'otter'; did you mean 'other'"):
        read_table(f"{book}:otter")


def test_archives_that_are_no_workbooks_or_would_fill_the_memory(tmp_path, monkeypatch):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", "a,b\n")
    (tmp_path / "t.zip").write_bytes(held.getvalue())
    with pytest.raises(CommandError, match="a zip archive, and no Excel workbook"):
        read_table(str(tmp_path / "t.zip"))
    (tmp_path / "t.xlsx").write_bytes(held.getvalue()[:-30])
    with pytest.raises(CommandError, match="damaged"):
        read_table(str(tmp_path / "t.xlsx"))
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", " " * 3_000_000)
    (tmp_path / "bomb.xlsx").write_bytes(bomb.getvalue())
    monkeypatch.setattr("parzen.cli.reading.workbook.most_bytes", lambda: 1 << 20)
    with pytest.raises(CommandError, match="holds more than"):
        read_table(str(tmp_path / "bomb.xlsx"))


def test_without_openpyxl_the_error_says_what_to_install(tmp_path, monkeypatch):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / "t.xlsx").write_bytes(held.getvalue())
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(CommandError, match=r"pip install 'parzen\[excel\]'"):
        read_table(str(tmp_path / "t.xlsx"))
