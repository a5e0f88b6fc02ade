"""The order of a Markov chain, by BIC or by the log-likelihood of held-out sequences."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.estimators.markov.context_table import ContextTable, with_unseen
from parzen.estimators.markov.counting import TooManyContexts, count_sequences
from parzen.families.markov import Markov
from parzen.tables.alphabet import Alphabet
from parzen.tables.sequence_weights import hold_out
from parzen.tables.sequences import Symbols

CRITERIA = ("bic", "heldout")


def order_criteria(
    criterion: str, most: Any, found: Symbols, w: Array | None, prior: float | None, estimate: str, symbols: Any
) -> dict[int, float]:
    """The criterion of each order up to `most`; the lowest is best.

    Parameters
    ----------
    criterion : "bic" or "heldout"
        The Bayesian information criterion, or minus the log-likelihood of held-out sequences (of a single sequence, of
        its last fifth, given the rest).
    found, w : the sequences, and their weights
    prior, estimate, symbols : see `parzen.MarkovChain`
    """
    choose("order", criterion, CRITERIA)
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or not 0 <= most <= 16:
        raise ValueError(f"max_order must be a whole number from 0 to 16, got {most!r}.")
    criteria: dict[int, float] = {}
    held_out = criterion == "heldout"
    train, test, train_weight, test_weight = hold_out(found, w) if held_out else (found, found, w, w)
    if held_out and symbols is None:
        symbols = Alphabet.of(found).symbols.tolist()
    for order in range(most + 1):
        family = Markov(order, prior, estimate)
        try:
            alphabet, counts = count_sequences(train, train_weight, order, symbols)
        except TooManyContexts:
            if order:
                break
            raise
        family.check()
        table = ContextTable(alphabet, with_unseen(counts, family))
        log_likelihood = float(np.sum(table.log_prob(test) * (1.0 if test_weight is None else test_weight)))
        if held_out:
            known = float(table.log_prob(train)[0]) if len(found.lengths) == 1 else 0.0
            criteria[order] = known - log_likelihood
        else:
            C, S = counts.shape
            criteria[order] = C * (S - 1) * float(np.log(max(float(counts.sum()), 1.0))) - 2.0 * log_likelihood
    if not np.isfinite(list(criteria.values())).any():
        raise ValueError("the held-out sequences have probability 0 for every order; use a prior: estimate='bayes'.")
    return criteria
