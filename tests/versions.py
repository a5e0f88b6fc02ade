"""Marks for tests that ask a peer for what only its newer versions have: `make test-oldest` runs the others."""

from importlib.metadata import version

import pytest
from sklearn.utils.fixes import parse_version

#: From this version on scikit-learn divides the scatter of discriminants by n - 1, keeps float32 in what is fitted,
#: and has one logistic regression whose penalty is `l1_ratio`.
NEW_SKLEARN = "1.8"


def has(library: str, oldest: str) -> bool:
    return parse_version(version(library)) >= parse_version(oldest)


def since(library: str, oldest: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not has(library, oldest), reason=f"compares with {library} {oldest} or newer")


since_new_sklearn = since("scikit-learn", NEW_SKLEARN)
