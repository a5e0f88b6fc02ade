"""Marks for tests that ask a peer for what only its newer versions have: `make test-oldest` runs the others."""

from importlib.metadata import version

import pytest
from sklearn.utils.fixes import parse_version


def has(library: str, oldest: str) -> bool:
    return parse_version(version(library)) >= parse_version(oldest)


def since(library: str, oldest: str, what: str) -> pytest.MarkDecorator:
    """Leaves a test out where the library is older; `what` says what is new in that version."""
    return pytest.mark.skipif(not has(library, oldest), reason=f"since {library} {oldest}, {what}")


one_penalty = since("scikit-learn", "1.8", "l1_ratio alone is the penalty of logistic regression")
warnings_of_penalties = since("scikit-learn", "1.9", "penalties are refused and warned of, and have defaults, as now")
legacy_attributes = since("scikit-learn", "1.8", "LogisticRegressionCV has use_legacy_attributes")
quadratic_solvers = since("scikit-learn", "1.8", "quadratic discriminants have solvers, and refuse singular classes")
scatter_over_n = since("scikit-learn", "1.9", "solver='svd' of discriminants divides by n, not by n - 1 or n - K")
