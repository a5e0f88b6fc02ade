"""Iris, with names of classes."""

import numpy as np
import pytest
from sklearn.datasets import load_iris


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["se", "ve", "vi"])[y]
