"""Chains of symbols: every symbol after the last few before it, one at a time."""

import itertools

import numpy as np


def contexts(S, order):
    """Every context of at most `order` symbols, the shorter first, and in the order of their digits: its number."""
    every = itertools.chain.from_iterable(itertools.product(range(S), repeat=length) for length in range(order + 1))
    return {context: number for number, context in enumerate(every)}


def steps(codes, lengths, S, order):
    """(sequence, number of the context, symbol) of each symbol of each sequence."""
    numbers = contexts(S, order)
    at = 0
    for s, n in enumerate(lengths):
        sequence = [int(code) for code in codes[at : at + n]]
        for t, symbol in enumerate(sequence):
            yield s, numbers[tuple(sequence[max(0, t - order) : t])], symbol
        at += n


def chain_count(codes, lengths, S, order, weights=None):
    """Weight of each symbol after each context, (contexts, S)."""
    counts = np.zeros((len(contexts(S, order)), S))
    for s, context, symbol in steps(codes, lengths, S, order):
        counts[context, symbol] += 1.0 if weights is None else weights[s]
    return counts


def chain_score(codes, lengths, log_transition, order):
    """Log-probability of each sequence."""
    out = np.zeros(len(lengths))
    for s, context, symbol in steps(codes, lengths, log_transition.shape[1], order):
        out[s] += log_transition[context, symbol]
    return out
