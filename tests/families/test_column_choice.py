"""Which density a number column gets, and that the choice is made once, on the rows, within classes."""

import numpy as np
import pandas as pd
import pytest

from parzen import (
    AutoColumns,
    DensityEstimator,
    Gaussian,
    Histogram,
    NaiveBayes,
    PointMasses,
    Poisson,
    Transformed,
    load,
    save,
)
from parzen.families.chosen import Chosen

N = 600


def labels(rng, n=N):
    return rng.integers(0, 2, n)


COLUMNS = {
    "gaussian": (lambda rng, y: rng.normal(3.0 * y, 1.0 + y), Gaussian),
    "gaussians far apart": (lambda rng, y: rng.normal(8.0 * y, 1.0), Gaussian),
    "rounded gaussian": (lambda rng, y: np.round(2 * rng.normal(y, 1.0)) / 2, Gaussian),
    "poisson": (lambda rng, y: rng.poisson(2.0 + y), Poisson),
    "amount": (lambda rng, y: rng.lognormal(3.0 + 0.8 * y, 1.0), Transformed),
    "amount with an offset": (lambda rng, y: 1e8 + rng.lognormal(3.0 + 0.8 * y, 1.0), Transformed),
    "tail to the left": (lambda rng, y: -rng.lognormal(3.0 + 0.8 * y, 1.0), Transformed),
    "heavy tails": (lambda rng, y: rng.standard_t(1.5, len(y)) + y, Transformed | Histogram),
    "two modes": (lambda rng, y: rng.normal(10.0 * (rng.random(len(y)) < 0.5) + 5.0 * y, 1.0), Histogram),
    "many zeros": (lambda rng, y: (rng.random(len(y)) < 0.2 + 0.5 * y) * rng.normal(5.0 - 3.0 * y, 1.0), PointMasses),
    "cut at a limit": (lambda rng, y: np.minimum(rng.normal(y, 1.0), 1.0), PointMasses),
    "zeros and counts": (lambda rng, y: np.where(rng.random(len(y)) < 0.7, 0, rng.poisson(4.0 + y)), PointMasses),
}


def chosen(x, y, **options):
    """The family of a column that is alone in its table."""
    model = NaiveBayes(**options).fit(np.asarray(x, dtype=float).reshape(-1, 1), y)
    (family,) = model.family_.blocks.values()
    return family.family if isinstance(family, Chosen) else family


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_gets_the_density_that_fits(name, rng):
    column, expected = COLUMNS[name]
    y = labels(rng)
    assert isinstance(chosen(column(rng, y), y), expected)


def test_what_was_chosen_predicts_better(rng):
    y, fresh = labels(rng), labels(rng, 4000)
    for name in ("amount", "two modes", "many zeros", "heavy tails"):
        column = COLUMNS[name][0]
        x, new = column(rng, y)[:, None], column(rng, fresh)[:, None]
        losses = []
        for columns in ("auto", {0: Gaussian("diag", estimate="bayes")}):
            logs = NaiveBayes(columns).fit(x, y).predict_log_proba(new)
            losses.append(-logs[np.arange(len(fresh)), fresh].mean())
        assert losses[0] < losses[1] - 0.005, name


def test_neither_order_nor_weights_nor_units_matter(rng):
    y = labels(rng)
    order = rng.permutation(N)
    for name in ("amount", "two modes", "many zeros"):
        x = COLUMNS[name][0](rng, y)[:, None]
        plain = NaiveBayes().fit(x, y)
        turned = NaiveBayes().fit(x[order], y[order])
        np.testing.assert_allclose(turned.predict_proba(x), plain.predict_proba(x), rtol=1e-7)
        scaled = NaiveBayes().fit(1e-7 * x, y)
        np.testing.assert_allclose(scaled.predict_proba(1e-7 * x), plain.predict_proba(x), rtol=1e-5)
        weighted = NaiveBayes().fit(x, y, np.full(N, 3.0))
        assert repr(weighted.family_) == repr(plain.family_)


def test_a_table_without_classes_keeps_the_families_of_its_kinds(rng):
    y = labels(rng)
    for name in COLUMNS:
        table = pd.DataFrame({"x": COLUMNS[name][0](rng, y).astype(float), "city": rng.choice(["a", "b"], N)})
        blocks = DensityEstimator(AutoColumns()).fit(table).family_.blocks
        assert isinstance(blocks[(0,)], Gaussian | Poisson)


class TestWhatIsOdd:
    def test_missing_cells_and_single_precision(self, rng):
        y = labels(rng)
        x = COLUMNS["many zeros"][0](rng, y)[:, None]
        x[rng.random(N) < 0.2] = np.nan
        single = x.astype(np.float32)
        model, double = NaiveBayes().fit(single, y), NaiveBayes().fit(single.astype(float), y)
        assert isinstance(model.family_.blocks[(0,)].family, PointMasses)
        np.testing.assert_allclose(model.predict_proba(single), double.predict_proba(single), rtol=1e-6)
        np.testing.assert_allclose(model.predict_proba(np.full((1, 1), np.nan)), model.class_prior_[None])

    def test_constants_few_rows_and_extreme_values(self, rng):
        y = labels(rng)
        X = np.column_stack([np.full(N, 7.0), np.where(y == 0, 3.0, rng.lognormal(size=N)), 1e150 * rng.normal(size=N),
                             1e-300 * rng.lognormal(size=N), rng.choice([2.5, 1e9], N)])  # fmt: skip
        for rows in (slice(None), slice(0, 70), slice(0, 3)):
            model = NaiveBayes().fit(X[rows], np.where(np.arange(len(y[rows])) == 0, 1 - y[1], y[rows]))
            P = model.predict_proba(X)
            np.testing.assert_allclose(P.sum(axis=1), 1.0)

    def test_a_class_that_is_rare_or_yet_to_come(self, rng):
        y = labels(rng)
        x = COLUMNS["many zeros"][0](rng, y)[:, None]
        rare = np.where(np.arange(N) < 3, 2, y)
        assert np.isfinite(NaiveBayes().fit(x, rare).predict_proba(x)).all()
        later = NaiveBayes().partial_fit(x, y, classes=[0, 1, 2])
        assert isinstance(later.family_.blocks[(0,)].family, PointMasses)
        later.partial_fit(x[:50], np.full(50, 2))
        assert np.isfinite(later.predict_proba(x)).all()

    def test_infinite_cells_are_refused_as_before(self, rng):
        x = COLUMNS["amount"][0](rng, labels(rng))[:, None]
        x[5] = np.inf
        with pytest.raises(ValueError, match="infinity"):
            NaiveBayes().fit(x, labels(rng))

    def test_rows_without_a_label_are_learnt_from_by_em(self, rng):
        y = labels(rng)
        x = np.where(rng.random(N) < 0.8 - 0.6 * y, 0.0, rng.lognormal(2.0 + y, 1.0))[:, None]
        some = np.where(rng.random(N) < 0.5, y, -1)
        model = NaiveBayes(unlabelled=-1).fit(x, some)
        assert isinstance(model.family_.blocks[(0,)].family, PointMasses)
        assert (np.diff(model.log_likelihoods_) >= -1e-6 * N).all()
        assert model.score(x, y) > 0.65


class TestLaterRows:
    def test_batches_add_to_the_first_choice_and_values_beyond_are_welcome(self, rng):
        y = labels(rng)
        X = np.column_stack([COLUMNS[name][0](rng, y) for name in ("amount", "two modes", "many zeros")])
        model = NaiveBayes().partial_fit(X[:300], y[:300], classes=[0, 1])
        families = repr(model.family_)
        model.partial_fit(10 * X[300:], y[300:])
        assert repr(model.family_) == families
        whole = NaiveBayes(model.family_.blocks).fit(np.concatenate([X[:300], 10 * X[300:]]), y)
        np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-8)
        assert np.isfinite(model.predict_log_proba(1e6 * X)).all()

    def test_shards_that_chose_differently_merge_with_one_choice_for_both(self, rng):
        y = labels(rng)
        x = COLUMNS["amount"][0](rng, y)[:, None]
        first, second = NaiveBayes().fit(x[:300], y[:300]), NaiveBayes().fit(x[300:], y[300:])
        with pytest.raises(ValueError, match=r"(?s)learnt different families .* family_\.blocks"):
            first.merge(second)
        given = first.family_.blocks
        merged = NaiveBayes(given).fit(x[:300], y[:300]).merge(NaiveBayes(given).fit(x[300:], y[300:]))
        np.testing.assert_allclose(merged.predict_proba(x), NaiveBayes(given).fit(x, y).predict_proba(x), rtol=1e-9)

    def test_files_keep_the_choice_and_its_reason(self, rng, tmp_path):
        y = labels(rng)
        X = np.column_stack([COLUMNS[name][0](rng, y) for name in ("amount", "two modes", "many zeros")])
        model = NaiveBayes().fit(X, y)
        save(model, tmp_path / "naive.parzen")
        again = load(tmp_path / "naive.parzen")
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.explain(X[:1]).text() == model.explain(X[:1]).text()


def test_explanations_say_which_density_was_chosen_and_why(rng):
    y = labels(rng)
    table = pd.DataFrame({
        "wage": COLUMNS["amount"][0](rng, y), "gain": COLUMNS["many zeros"][0](rng, y), "height": rng.normal(y, 1.0),
    })  # fmt: skip
    explanation = NaiveBayes().fit(table, y).explain(table)
    text = explanation.text()
    assert "densities chosen by held-out log-likelihood:" in text
    assert "  wage: power-transformed Gaussian (power " in text
    assert "  gain: point masses at 0; elsewhere Gaussian: +" in text
    assert "nats a row against a Gaussian" in text
    assert "height:" not in text
    assert "chosen" not in NaiveBayes().fit(table[["height"]], y).explain(table[["height"]]).text()
