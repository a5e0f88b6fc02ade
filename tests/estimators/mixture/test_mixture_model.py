"""Mixtures of any family: bits, counts, categories, mixed tables, and noise."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from parzen import (
    Bernoulli,
    Categorical,
    Gaussian,
    MixtureModel,
    Multinomial,
    Poisson,
    Product,
    Uniform,
)


class TestMixtureModel:
    def test_bits_counts_and_codes(self, rng):
        z = rng.integers(2, size=600)
        bits = (rng.random((600, 8)) < np.where(z[:, None], 0.85, 0.15)).astype(float)
        assert adjusted_rand_score(MixtureModel(Bernoulli(), 2, random_state=0).fit_predict(bits), z) > 0.95
        assert (
            adjusted_rand_score(MixtureModel(Bernoulli(), 2, random_state=0).fit_predict(sparse.csr_array(bits)), z)
            > 0.95
        )
        words = rng.poisson(np.where(z[:, None], [1, 5, 9, 2], [8, 1, 2, 6])).astype(float)
        assert adjusted_rand_score(MixtureModel(Poisson(), 2, random_state=0).fit_predict(words), z) > 0.95
        assert adjusted_rand_score(MixtureModel(Multinomial(), 2, random_state=0).fit_predict(words), z) > 0.95
        codes = rng.integers(0, 3, (600, 6)) // (1 + (rng.random((600, 6)) < np.where(z[:, None], 0.9, 0.1)))
        assert adjusted_rand_score(MixtureModel(Categorical(), 2, random_state=0).fit_predict(codes), z) > 0.3

    def test_a_table_of_many_kinds_with_gaps(self, rng):
        pd = pytest.importorskip("pandas")
        z = rng.integers(2, size=400)
        frame = pd.DataFrame(
            {
                "age": np.where(rng.random(400) < 0.2, np.nan, rng.normal(30 + 20 * z, 5)),
                "city": np.where(rng.random(400) < np.where(z, 0.9, 0.2), "Oslo", "Lund"),
                "visits": rng.poisson(1 + 6 * z),
            }
        )
        model = MixtureModel(
            Product({"age": Gaussian(), "city": Categorical(), "visits": Poisson()}), 2, random_state=0
        )
        assert adjusted_rand_score(model.fit_predict(frame), z) > 0.95
        drawn, _ = model.sample(50, random_state=0)
        assert list(drawn.columns) == ["age", "city", "visits"]
        assert set(drawn["city"]) <= {"Oslo", "Lund"}
        assert np.isfinite(model.bic(frame))
        assert model.n_parameters_ == 2 * (2 + 1 + 1) + 1

    def test_noise_is_a_component(self, rng):
        X = np.concatenate([rng.normal(0, 0.3, (300, 2)), rng.normal(4, 0.3, (300, 2)), rng.uniform(-8, 12, (60, 2))])
        model = MixtureModel([Gaussian(), Gaussian(), Uniform()], random_state=0).fit(X)
        assert model.weights_[2] == pytest.approx(60 / 660, abs=0.02)
        assert (model.predict(X[600:]) == 2).mean() > 0.9
        assert (model.predict(X[:600]) != 2).mean() > 0.99
