"""Decisions by a loss and calibration, against a limit of time and against scikit-learn.

The error of decisions is the proportion that differs from decisions in extended precision.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn import calibration as theirs
from sklearn.isotonic import IsotonicRegression

from benchmarks.harness import Row, race, within
from parzen import Decision
from parzen.decisions.calibration import fit_binary


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    P, loss = rng.dirichlet(np.ones(10), 1_000_000), rng.random((12, 10))
    decision = Decision(loss)
    exact = (P[:1000].astype(np.longdouble) @ loss.T).argmin(axis=1)
    for what, one in (("12 actions", decision), ("zero-one loss", Decision())):
        best = exact if one is decision else P[:1000].argmax(axis=1)

        def wrong(actions: Any, best: Any = best) -> float:
            return float((actions[:1000] != best).mean())

        def act(one: Any = one) -> Any:
            return one.act(P)

        yield within(f"decisions on 1,000,000 x 10 posteriors, {what}", 0.2, act, wrong)
    z = rng.normal(0, 6, 200_000)
    y = rng.random(200_000) < expit(z / 4)
    yield race(
        "sigmoid calibration, 200,000 rows (error: of the slope, whose true value is 1/4)",
        "scikit-learn _sigmoid_calibration",
        lambda: fit_binary("sigmoid", z, y).a, lambda: -theirs._sigmoid_calibration(z, y.astype(int))[0],  # type: ignore[attr-defined]
        lambda slope: abs(float(slope) - 0.25), repeat=5,
    )  # fmt: skip
    yield race(
        "isotonic calibration, 200,000 rows", "scikit-learn IsotonicRegression",
        lambda: fit_binary("isotonic", z, y)(z),
        lambda: IsotonicRegression(out_of_bounds="clip").fit(z, y).predict(z), repeat=3,
    )  # fmt: skip
