"""Generative and discriminative learning curves, compared."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from parzen import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    compare_learning,
)


class TestLearning:
    def test_where_the_gaussian_assumption_holds_the_generative_model_learns_faster(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 2000)
        X = rng.normal(size=(2000, 8)) @ (np.eye(8) + rng.normal(size=(8, 8)) / 2) + 0.5 * y[:, None]
        models = LinearDiscriminantAnalysis(), LogisticRegression(C=np.inf)
        found = compare_learning(*models, X, y, sizes=[40, 160, 1000], repeats=8, random_state=0)
        means = found.error.mean(axis=2)
        assert (means[0, :2] < means[1, :2]).all()
        gap = found.log_loss.mean(axis=2)
        assert gap[1, 0] - gap[0, 0] > 10 * abs(gap[1, 2] - gap[0, 2])

    def test_where_it_does_not_the_discriminative_model_overtakes(self):
        rng = np.random.default_rng(1)
        X = np.exp(rng.normal(size=(3000, 5)))
        X[:, 1] = X[:, 0]  # a column twice misleads naive Bayes
        y = (np.log(X) @ [1, 0, 1, -1, 0.5] + rng.logistic(size=3000) > 0).astype(int)
        found = compare_learning(
            GaussianNB(), LogisticRegression(), X, y, sizes=[10, 30, 300, 2000], repeats=8, random_state=0
        )
        assert found.crossing("log_loss") is not None
        assert found.log_loss[1, -1].mean() < found.log_loss[0, -1].mean()

    def test_table_text_and_picture(self):
        import matplotlib

        matplotlib.use("Agg")
        X, y = load_iris(return_X_y=True, as_frame=True)
        found = compare_learning(
            GaussianNB(), LogisticRegression(), X, y, repeats=2, random_state=0, names=("$a$", "b")
        )
        assert set(pd.DataFrame(found.table())["rows"]) == set(found.sizes)
        assert "log loss" in str(found)
        axes = found.plot()
        assert len(axes) == 2
        assert axes[0].get_legend().get_texts()[0].get_text() == r"\$a\$"
        with pytest.raises(ValueError, match="measure must be"):
            found.crossing("speed")

    @pytest.mark.parametrize(
        ("options", "message"),
        [({"sizes": [1]}, "sizes must lie"), ({"repeats": 0}, "repeats must"), ({"test_size": 2}, "test_size must")],
    )
    def test_bad_options(self, options, message):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match=message):
            compare_learning(GaussianNB(), LogisticRegression(), X, y, **options)
        with pytest.raises(ValueError, match="one class only"):
            compare_learning(GaussianNB(), LogisticRegression(), X, np.zeros(150))
