"""Rows of three clusters."""

import pytest
from sklearn.datasets import make_blobs


@pytest.fixture
def X():
    return make_blobs(300, 3, centers=3, cluster_std=1.5, random_state=0)[0]
