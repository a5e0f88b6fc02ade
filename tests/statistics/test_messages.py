"""Messages show values as users wrote them: 'yes', not np.str_('yes')."""

import numpy as np
import pandas as pd
import pytest

from parzen import (
    BayesClassifier,
    DecisionClassifier,
    DensityEstimator,
    Gaussian,
    HiddenMarkov,
    KernelRegressor,
    LogisticRegression,
    NaiveBayes,
    score_probabilities,
)
from parzen.statistics.messages import named_groups, naming_groups, plain

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")
ODD = {np.str_("maybe"): 0.5, np.str_("perhaps"): 0.5}


def test_groups_are_named_plainly():
    with naming_groups("classes", np.array(["no", "yes"])):
        assert named_groups([1]) == "classes ['yes']"
    with naming_groups("classes", np.array([3, 4])):
        assert named_groups(np.array([0, 1])) == "classes [3, 4]"


def test_plain_values_are_pythons_own():
    assert repr(plain([np.float64(0.5), (np.int64(1), "a"), None])) == "[0.5, [1, 'a'], None]"
    assert plain(ODD) == ["maybe", "perhaps"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: score_probabilities(np.full(20, "maybe"), np.full((20, 2), 0.5), np.array(["no", "yes"])),
        lambda: NaiveBayes(class_prior=ODD).fit(X, Y),
        lambda: BayesClassifier({name: Gaussian() for name in ODD}).fit(X, Y),
        lambda: LogisticRegression(class_weight=ODD).fit(X, Y),
        lambda: NaiveBayes().fit(X, Y).partial_fit(X, np.full(20, "maybe")),
        lambda: KernelRegressor().fit(X, Y),
        lambda: DecisionClassifier(NaiveBayes(), calibration="sigmoid").fit(
            X, np.where(np.arange(20) < 3, "no", "yes")
        ),
        lambda: HiddenMarkov(Gaussian(), 2).fit(X, labels=Y),
        lambda: DensityEstimator(Gaussian()).fit(pd.DataFrame({"x": pd.Series([np.str_("yes")] * 20, dtype=object)})),
    ],
)
def test_errors_show_plain_values(call):
    with pytest.raises((ValueError, TypeError), match=r"'maybe'|'yes'|'no'") as error:
        call()
    assert "np." not in str(error.value)
