"""Sequences as counts of transitions: the features of classifiers of sequences."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.markov import context_count
from parzen.estimators.base.validation import transactional
from parzen.families.markov import Markov
from parzen.storage.files import SaveMixin
from parzen.tables.alphabet import Alphabet
from parzen.tables.sequences import read


class TransitionCounts(SaveMixin, TransformerMixin, BaseEstimator):
    """Transform sequences into counts of the symbols that follow each context: the rows of the family `parzen.Markov`.

    Parameters
    ----------
    order : int
        Number of symbols in a context.
    symbols : sequence, optional
        The alphabet, where the first sequences may lack some of it.

    Attributes
    ----------
    symbols_ : array of shape (S,)
        The alphabet; one more symbol stands for all unseen ones.

    Examples
    --------
    >>> from parzen import TransitionCounts
    >>> TransitionCounts().fit_transform(["aba", "bb"]).toarray()[:, :6]
    array([[1., 0., 0., 0., 1., 0.],
           [0., 1., 0., 0., 0., 0.]])
    """

    def __init__(self, order: int = 1, *, symbols: Any = None) -> None:
        self.order = order
        self.symbols = symbols

    @transactional
    def fit(self, X: Any, y: Any = None) -> None:
        """Learn the alphabet of sequences."""
        Markov(self.order).check()
        found = read(X)
        self.alphabet_ = Alphabet.of(found) if self.symbols is None else Alphabet.declared(self.symbols, found.text)
        self.order_ = int(self.order)

    @property
    def symbols_(self) -> NDArray[Any]:
        """The alphabet."""
        check_is_fitted(self, "alphabet_")
        return self.alphabet_.symbols

    def transform(self, X: Any) -> Any:
        """Counts of the transitions of each sequence, CSR (m, contexts * (S + 1))."""
        check_is_fitted(self, "alphabet_")
        found = read(X, empty=True)
        codes, S, order = self.alphabet_.encode(found), self.alphabet_.size + 1, self.order_
        width = context_count(S, order) * S
        if width > 2**31 - 1:
            raise ValueError(f"contexts of {order} of {S} symbols are too many to count; use a lower order.")
        position = np.arange(len(codes)) - np.repeat(np.cumsum(found.lengths) - found.lengths, found.lengths)
        context, offset = np.zeros(len(codes), dtype=np.int64), 0
        for length in range(order + 1):
            rows = position >= length if length == order else position == length
            before = np.zeros(int(rows.sum()), dtype=np.int64)
            at = np.flatnonzero(rows)
            for back in range(length, 0, -1):
                before = before * S + codes[at - back]
            context[at] = offset + before
            offset += S**length
        cells = context * S + codes
        rows = np.repeat(np.arange(len(found.lengths)), found.lengths)
        shape = (len(found.lengths), width)
        return sparse.csr_matrix((np.ones(len(codes)), (rows, cells)), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns: the context, an arrow, the symbol; "?" stands for unseen symbols."""
        names = [*(str(symbol) for symbol in self.symbols_.tolist()), "?"]
        before = [" ".join(one) for length in range(self.order_ + 1) for one in product(names, repeat=length)]
        return np.array([f"{one}→{name}" for one in before for name in names], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = False, True
        return tags
