"""What each column alone tells about the class: informative columns first, and noise that says nothing."""

import numpy as np
import pandas as pd

from parzen.report.information import information


def table(rng, n=1500):
    y = rng.integers(0, 2, n)
    zeros = rng.random(n) < 0.9 - 0.3 * y
    X = pd.DataFrame({
        "noise": rng.lognormal(0.0, 2.0, n),
        "heavy noise": rng.standard_t(1.0, n),
        "noise with zeros": np.where(rng.random(n) < 0.7, 0.0, rng.exponential(1.0, n)),
        "amount": rng.lognormal(3.0 + 1.2 * y, 1.5),
        "gain": np.where(zeros, 0.0, rng.lognormal(8.0, 2.0, n)),
        "size": rng.normal(0.6 * y, 1.0),
    })  # fmt: skip
    return X, y


def test_skewed_and_zero_inflated_columns_tell_what_they_know(rng):
    """With a Gaussian for every number the amount and the gain came last, below zero."""
    X, y = table(rng)
    found = information(X, y, list(X.columns), ["no", "yes"])
    assert {one["column"] for one in found[:3]} == {"amount", "gain", "size"}
    told = {one["column"]: one["information"] for one in found}
    # A shift of d deviations tells about d^2 / 8 nats.
    assert abs(told["size"]["value"] - 0.6**2 / 8) < 0.02
    assert abs(told["amount"]["value"] - 0.8**2 / 8) < 0.025
    assert told["gain"]["low"] > 0.03
    values = [one["information"]["value"] for one in found]
    assert values == sorted(values, reverse=True)


def test_noise_tells_nothing_and_is_never_below_its_interval(rng):
    X, y = table(rng)
    told = {one["column"]: one["information"] for one in information(X, y, list(X.columns), ["no", "yes"])}
    for name in ("noise", "heavy noise", "noise with zeros"):
        assert told[name]["low"] <= 0 <= told[name]["high"], name
