"""Rows copied, and rows in an order that keeps neighbours together."""

import numpy as np


def copy_rows(X):
    """A copy, and the least and largest of each column; both NaN where a cell is NaN."""
    return np.array(X), np.min(X, axis=0), np.max(X, axis=0)


def kd_order(X, leaf):
    """Leaves of a k-d tree, as sets of rows from left to right; every leaf but the last is full.

    Rows are halved at the middle of the widest column, the left half rounded up to whole leaves; of equals the first
    rows go left.
    """

    def leaves(rows):
        if len(rows) <= leaf:
            return [set(rows)] if rows else []
        widest = int(np.argmax(np.ptp(X[rows], axis=0)))
        rows = sorted(rows, key=lambda i: (X[i, widest], i))
        left = -(-((len(rows) + 1) // 2) // leaf) * leaf
        return leaves(rows[:left]) + leaves(rows[left:])

    return leaves(list(range(len(X))))
