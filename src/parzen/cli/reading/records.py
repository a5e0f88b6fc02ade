"""Records of a text file: what separates cells, whether quotation marks quote, and how many fields each record has.

A dialect is right where it makes the file consistent: every record has as many fields as the first, and quotation marks
quote whole cells. Between tabs, quotation marks that would join lines which are complete rows by themselves are text.
"""

import csv
from dataclasses import dataclass
from io import StringIO

import numpy as np
from numpy.typing import NDArray

#: Separators that are looked for, and lines that are compared to find one.
MARKS, SAMPLE = (",", ";", "\t", "|"), 100
#: Stands for a separator of several characters; no text holds it.
ONE = "\x1f"


@dataclass(frozen=True)
class Dialect:
    """A separator of one character, and how cells are quoted: "doubled" (RFC 4180), "backslash" or "none"."""

    sep: str
    quotes: str


@dataclass(frozen=True, eq=False)
class Shape:
    """The records of a file under a dialect, blank lines left out.

    Attributes
    ----------
    fields, lines : arrays of shape (n,)
        How many fields each record has, and the number of the line in which it ends, from 1.
    joined : int
        How many records go over several lines.
    problem : str
        What is wrong with the quotation marks, else nothing.
    """

    fields: NDArray[np.int64]
    lines: NDArray[np.int64]
    joined: int = 0
    problem: str = ""

    @property
    def consistent(self) -> bool:
        """Whether all records have the same number of fields, and quotation marks are in order."""
        return not self.problem and bool((self.fields == self.fields[0]).all())


def find_separator(text: str, ending: str) -> str:
    """The mark of the first line that divides the first lines into equally many cells; `ONE` where there is none."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    lines = [line for line in text[: 1 << 18].split("\n")[: SAMPLE + 1] if line.strip()]
    lines = lines[:-1] if len(lines) > 2 and len(text) > 1 << 18 else lines
    present = [mark for mark in (("\t", *MARKS) if ending == "tsv" else MARKS) if mark in lines[0]]
    if not present:
        return ONE
    if ending == "tsv" and present[0] == "\t":
        return "\t"
    for divide in (_quoted_counts, _plain_counts):
        equal = {mark: counts[0] for mark in present if len(set(counts := divide(lines, mark))) == 1}
        if equal:
            return max(equal, key=lambda mark: (equal[mark], -present.index(mark)))
    return present[0]


def _quoted_counts(lines: list[str], mark: str) -> list[int]:
    return [len(row) for row in csv.reader(lines, delimiter=mark)]


def _plain_counts(lines: list[str], mark: str) -> list[int]:
    return [line.count(mark) for line in lines]


def find_dialect(text: str, sep: str, quotes: bool | None) -> tuple[Dialect, Shape, list[str]]:
    """How the cells are quoted, the records under that dialect, and what is to be said about it."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    plain = _lines_as_records(text, sep)
    if quotes is False or '"' not in text:
        return Dialect(sep, "none"), plain, []
    doubled = _quoted_records(text, sep, "doubled")
    if quotes is True:
        return Dialect(sep, "doubled"), doubled, _said(doubled)
    rows = sep == "\t" and plain.consistent and plain.fields[0] > 1
    for way in ("doubled", "backslash"):
        if way == "backslash" and '\\"' not in text:
            continue
        shape = doubled if way == "doubled" else _quoted_records(text, sep, way)
        if shape.consistent and not (shape.joined and rows):
            return Dialect(sep, way), shape, _said(shape)
    if plain.consistent:
        why = doubled.problem or "as quotes they would join lines that are complete rows"
        return Dialect(sep, "none"), plain, [f"Quotation marks are read as text: {why}; --quotes pairs them."]
    return Dialect(sep, "doubled"), doubled, _said(doubled)


def _said(shape: Shape) -> list[str]:
    if not shape.joined:
        return []
    many = "1 record goes" if shape.joined == 1 else f"{shape.joined:,} records go"
    return [f"{many} over several lines, within quotation marks."]


def _lines_as_records(text: str, sep: str) -> Shape:
    """Every line that is not blank as a record: fields are counted by the positions of separators."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    if data[-1] != ord("\n"):
        ends = np.append(ends, len(data))
    counts = np.diff(np.searchsorted(np.flatnonzero(data == ord(sep)), ends), prepend=0) + 1
    full = counts > 1
    if not full.all():  # a line without a separator may be blank
        begins = np.concatenate([[0], ends[:-1] + 1])
        whole = data.tobytes()
        for i in np.flatnonzero(~full).tolist():
            full[i] = bool(whole[begins[i] : ends[i]].strip(b" \t"))
    return Shape(counts[full], np.flatnonzero(full) + 1)


def _quoted_records(text: str, sep: str, way: str) -> Shape:
    fields, lines, joined, before = [], [], 0, 0
    rows = csv.reader(
        StringIO(text, newline="\n"), delimiter=sep, strict=True, doublequote=way == "doubled",
        escapechar=None if way == "doubled" else "\\",
    )  # fmt: skip
    problem = ""
    try:
        for row in rows:
            if row and (len(row) > 1 or row[0] == "" or row[0].strip(" \t")):  # an empty cell alone was quoted
                fields.append(len(row))
                lines.append(rows.line_num)
                joined += rows.line_num > before + 1
            before = rows.line_num
    except csv.Error:
        problem = f"one in line {rows.line_num:,} does not quote a whole cell"
    return Shape(np.array(fields or [0]), np.array(lines or [1]), joined, problem)
