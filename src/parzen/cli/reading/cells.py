"""The cells of a column of text: which are missing, and the different ones among the others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli.reading.result import quoted, several

#: Words that stand for a missing value, unless others are given; an empty cell always does.
MISSING = (
    "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>", "#N/A", "#NA", "#N/A N/A",
    "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
)  # fmt: skip
#: A column holds numbers or dates if so large a part of its known cells does, and so few other words occur.
MOST, WORDS = 0.9, 5


@dataclass(frozen=True)
class ColumnRead:
    """The values of a column, a sentence on how it was read, and what must be said aloud."""

    values: Any
    read_as: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Cells:
    """A column of text: its different known cells, how often each occurs, and which one each row holds.

    Attributes
    ----------
    name : str
    words : list of str
        The different cells that are not missing, without spaces around them, in the order in which they first occur.
    counts : array, one for each word
    codes : array, one for each row
        Position of the row's cell in `words`; -1 where it is missing.
    dropped : dict from words to counts
        Words that were taken for missing values.
    """

    name: str
    words: list[str]
    counts: NDArray[np.int64]
    codes: NDArray[np.intp]
    dropped: dict[str, int]

    @property
    def complete(self) -> bool:
        """Whether no cell is missing."""
        return int(self.counts.sum()) == len(self.codes)

    @property
    def gaps(self) -> str:
        """What stood for missing values, at the end of a sentence."""
        return gaps_of(self.dropped)

    def spread(self, values: NDArray[Any], missing: Any) -> NDArray[Any]:
        """A value for each word as a value for each row."""
        if self.complete:
            return values[self.codes]
        known = self.codes >= 0
        out = np.full(len(self.codes), missing, dtype=values.dtype)
        out[known] = values[self.codes[known]]
        return out

    def nearly_all(self, read: NDArray[np.bool_]) -> bool:
        """Whether nearly all cells could be read, and only a few words could not."""
        share = self.counts[read].sum() / max(int(self.counts.sum()), 1)
        return bool(share >= MOST and (~read).sum() <= WORDS)

    def losses(self, read: NDArray[np.bool_], what: str) -> tuple[str, ...]:
        """A sentence about cells that could not be read, and are missing from now on."""
        lost = int(self.counts[~read].sum())
        if not lost:
            return ()
        few = np.flatnonzero(~read)[:3].tolist()
        more = ", ..." if (~read).sum() > 3 else ""
        examples = ", ".join(quoted(self.words[i]) for i in few) + more
        verb, count = ("is", "it counts") if lost == 1 else ("are", "they count")
        return (f"{several(lost, 'cell')} of {self.name!r} {verb} no {what} ({examples}); {count} as missing.",)


def gaps_of(dropped: Mapping[str, int]) -> str:
    """Words that stood for missing values, and how often, at the end of a sentence."""
    listed = ", ".join(f"{quoted(word)} {count:,}" for word, count in dropped.items())
    return f"; missing: {listed}" if listed else ""


def missing_words(na: Collection[str] | None) -> set[str]:
    """What stands for a missing value: an empty cell, and the usual words or those that are given."""
    return {"", *(MISSING if na is None else na)}


def cells_of(name: str, raw: NDArray[Any], na: Collection[str] | None) -> Cells:
    """A column of text, its missing cells found: empty ones, and words that stand for a missing value."""
    import pandas as pd

    codes, found = pd.factorize(raw)
    written = found.tolist()
    words = [word.strip() for word in written]
    gone = missing_words(na)
    counts = np.bincount(codes, minlength=len(words))
    if words == written and gone.isdisjoint(words):
        return Cells(name, words, counts, codes, {})
    kept = {word: place for place, word in enumerate(word for word in dict.fromkeys(words) if word not in gone)}
    dropped: dict[str, int] = {}
    for word, count in zip(words, counts.tolist(), strict=True):
        if word and word in gone:
            dropped[word] = dropped.get(word, 0) + count
    codes = np.array([kept.get(word, -1) for word in words], dtype=np.intp)[codes]
    counts = np.bincount(codes[codes >= 0], minlength=len(kept))
    return Cells(name, list(kept), counts, codes, dropped)
