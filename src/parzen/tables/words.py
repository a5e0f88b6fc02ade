"""Texts as counts of words."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from parzen.tables.cells import is_missing

_WORD = re.compile(r"\w+")


def words_of(text: Any) -> list[str]:
    """The words of a text, in lower case: runs of letters, digits and underscores; none where it is missing."""
    return [] if is_missing(text) else _WORD.findall(str(text).lower())


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words that are counted, whose positions are their columns.

    Attributes
    ----------
    words : array of str
        Sorted.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(["To be, or not to be", None])
    >>> vocabulary.words
    array(['be', 'not', 'or', 'to'], dtype=object)
    >>> vocabulary.count(["Be that as it may", "not to be"]).toarray()
    array([[1., 0., 0., 0.],
           [1., 1., 0., 1.]])
    """

    words: NDArray[Any]

    @classmethod
    def of(cls, texts: Iterable[Any], most: int | None = None) -> "Vocabulary":
        """The words of texts; at most so many, the most frequent ones (of equally frequent ones the first)."""
        counts = Counter(word for text in texts for word in words_of(text))
        kept = sorted(counts, key=lambda word: (-counts[word], word))[:most]
        out = np.empty(len(kept), dtype=object)
        out[:] = sorted(kept)
        return cls(out)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self.words.tolist())}

    def count(self, texts: Iterable[Any]) -> Any:
        """How often each word comes in each text, as a CSR matrix; words that are not in the vocabulary don't count."""
        known, columns, counts, ends = self._columns, [], [], [0]
        for text in texts:
            found = Counter(known[word] for word in words_of(text) if word in known)
            columns += sorted(found)
            counts += [found[column] for column in sorted(found)]
            ends.append(len(columns))
        shape = (len(ends) - 1, len(self.words))
        return sparse.csr_matrix((np.array(counts, dtype=np.float64), np.array(columns, dtype=np.int64), ends), shape)
