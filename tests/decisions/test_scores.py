"""Scores of predicted probabilities: against scikit-learn's, decompositions, intervals, risk and coverage."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import brier_score_loss, log_loss

from parzen import (
    Decision,
    expected_cost,
    load,
    risk_coverage,
    score_probabilities,
)
from parzen.decisions.calibration import Calibrator, IsotonicCalibrator, VennAbers
from parzen.decisions.p_values import NullDistribution
from parzen.decisions.scores import ProbabilityScores, RiskCoverage, brier_scores
from parzen.storage.registry import upgraded
from tests.decisions.problems import overconfident


class TestScores:
    def test_are_scikit_learn_s(self, rng):
        P, y, w = rng.dirichlet(np.ones(3), 500), rng.integers(3, size=500), rng.random(500)
        found = score_probabilities(y, P, sample_weight=w)
        assert found.mean_log_loss == pytest.approx(log_loss(y, P, sample_weight=w))
        p, b = rng.random(500), rng.integers(2, size=500)
        assert score_probabilities(b, p, sample_weight=w).brier().score == pytest.approx(
            brier_score_loss(b, p, sample_weight=w)
        )

    @pytest.mark.parametrize("K", [2, 4])
    def test_add_and_decompose(self, K, rng):
        P = rng.dirichlet(np.ones(K), 900)
        y = (rng.random((900, 1)) > np.cumsum(P, axis=1)).sum(axis=1)
        whole, parts = (
            score_probabilities(y, P),
            sum(score_probabilities(y[i::3], P[i::3], classes=range(K)) for i in range(3)),
        )
        for name in ("log_loss", "squared_error", "bin_weight", "predicted", "observed"):
            np.testing.assert_allclose(getattr(parts, name), getattr(whole, name))
        b = whole.brier()
        assert b.score == pytest.approx(b.reliability - b.resolution + b.uncertainty + b.within)
        assert b.reliability < 0.02
        assert b.resolution > 0
        assert abs(b.within) < 0.01

    @pytest.mark.parametrize("K", [2, 3])
    def test_brier_scores_of_rows_average_to_the_score(self, K, rng):
        P, y = rng.dirichlet(np.ones(K), 400), rng.integers(K, size=400)
        assert brier_scores(P, y).mean() == pytest.approx(score_probabilities(y, P, range(K)).brier().score)

    @pytest.mark.parametrize("names", [["b", "c", "a"], [3, 1, 2], [2.5, 0.5, 1.0], [1, "a", None]])
    def test_classes_have_any_order_and_type(self, names, rng):
        P, codes = rng.dirichlet(np.ones(3), 60), rng.integers(3, size=60)
        classes = np.array(names, dtype=object if None in names else None)
        found, plain = score_probabilities(classes[codes], P, classes), score_probabilities(codes, P, range(3))
        np.testing.assert_array_equal(found.observed, plain.observed)

    def test_are_saved_and_loaded(self, rng, tmp_path):
        P, y = rng.dirichlet(np.ones(2), 100), rng.integers(2, size=100)
        for scores in (score_probabilities(y, P), risk_coverage(y, P)):
            scores.save(tmp_path / "scores.parzen")
            loaded = load(tmp_path / "scores.parzen")
            for one in fields(scores):
                np.testing.assert_array_equal(getattr(loaded, one.name), getattr(scores, one.name))

    @pytest.mark.parametrize(
        ("tag", "attributes", "kind"),
        [
            ("Verification", "weight log_loss squares bins said came spread classes", ProbabilityScores),
            ("RiskCoverage", "weight lost expected", RiskCoverage),
            ("Null", "scores below threshold scale shape", NullDistribution),
            ("Steps", "at value lines", IsotonicCalibrator),
            ("VennAbers", "at low high", VennAbers),
            ("Calibrator", "method maps power least", Calibrator),
        ],
    )
    def test_attributes_of_version_1_files_have_their_present_names(self, tag, attributes, kind):
        now, state = upgraded(tag, dict.fromkeys(attributes.split(), 0))
        assert now == kind.__name__
        assert list(state) == [one.name for one in fields(kind)]

    def test_the_calibration_error_is_debiased(self, rng):
        """Calibrated probabilities have a gap by chance; debiased, less of one, and the interval holds zero's side."""
        errors = []
        for _ in range(60):
            p = rng.random(300)
            errors.append(score_probabilities((rng.random(300) < p).astype(int), p).calibration_error())
        assert np.mean([e.expected for e in errors]) > 2 * np.mean([e.debiased for e in errors])
        assert all(e.low <= e.expected and e.maximum >= e.expected for e in errors)
        z, y = overconfident(rng, 20_000)
        far = score_probabilities(y.astype(int), expit(z)).calibration_error()
        assert far.low < far.debiased < far.high
        assert far.low > 0.15

    def test_expected_cost(self, rng):
        decision = Decision(rng.random((3, 2)), actions=["a", "b", "c"], classes=[0, 1])
        y, actions = rng.integers(2, size=200), rng.choice(["a", "b", "c"], 200)
        costs = decision.matrix(2)[["abc".index(a) for a in actions], y]
        assert expected_cost(y, actions, decision) == pytest.approx(costs.mean())
        with pytest.raises(ValueError, match="none of"):
            expected_cost([0], ["z"], decision)
        with pytest.raises(ValueError, match="classes"):
            expected_cost([0], [0], Decision())

    def test_risk_and_coverage(self, rng):
        z, y = overconfident(rng, 5000)
        P = np.column_stack([expit(-z), expit(z)])
        curve = risk_coverage(y.astype(int), P)
        assert curve.risk[-1] == pytest.approx(((z > 0) != y).mean())
        assert curve.risk[len(curve.risk) // 4] < curve.risk[-1]
        assert curve.coverage[-1] == 1
        assert 0 < curve.area < curve.risk[-1]
        parts = sum(risk_coverage(y[i::3].astype(int), P[i::3]) for i in range(3))
        np.testing.assert_allclose(parts.risk, curve.risk)
        order = np.argsort(-np.abs(z))
        wrong = ((z > 0) != y)[order]
        half = np.searchsorted(curve.coverage, 0.5)
        exact = wrong[: int(curve.coverage[half] * 5000)].mean()
        assert curve.risk[half] == pytest.approx(exact, abs=1e-3)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: score_probabilities([0, 1], [[0.5, 0.5]]), "one for each row"),
            (lambda: score_probabilities([0, 2], [[0.5, 0.5]] * 2, classes=[0, 1]), "none of the classes"),
            (lambda: score_probabilities([0, 1], np.full((2, 3), 1 / 3)), "3 columns"),
            (lambda: score_probabilities([0, 1], [0.1, 0.9], sample_weight=[-1, 1]), "sample_weight"),
            (
                lambda: score_probabilities([0, 1], [0.1, 0.9]).reliability(pos_label="x"),
                "pos_label must be one of the classes",
            ),
        ],
    )
    def test_bad_input_is_named(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()

    def test_the_interval_of_a_calibrated_forecast_holds_zero(self, rng):
        inside = 0
        for _ in range(200):
            p = rng.random(1000)
            error = score_probabilities((rng.random(1000) < p).astype(int), p).calibration_error()
            inside += error.low == 0
            assert error.low <= error.expected <= error.high
        assert inside >= 0.9 * 200

    @pytest.mark.parametrize("factor", [1.0, 1.3, 2.0])
    def test_the_interval_of_the_calibration_error_holds_it_as_often_as_it_says(self, rng, factor):
        """The error of the bins is known where probabilities are: the mean gap between them and the predicted ones."""
        z = rng.normal(0, 2, 1_000_000)
        bins = np.minimum((15 * expit(factor * z)).astype(int), 14)
        true = np.abs(np.bincount(bins, expit(z) - expit(factor * z), minlength=15)).sum() / len(z)
        inside = 0
        for _ in range(100):
            z = rng.normal(0, 2, 2000)
            error = score_probabilities(
                (rng.random(2000) < expit(z)).astype(int), expit(factor * z)
            ).calibration_error()
            inside += error.low <= true <= error.high
            assert error.low <= error.expected <= error.high
        assert inside >= 90

    def test_overconfident_rows_are_ranked_by_their_log_odds(self, rng):
        z, y = overconfident(rng, 4000, factor=30.0)
        P = np.column_stack([expit(-z), expit(z)])
        curve = risk_coverage(y.astype(int), P)
        order = np.argsort(-np.abs(z), kind="stable")
        exact = np.cumsum(((z > 0) != y)[order]) / np.arange(1, 4001)
        assert curve.coverage[0] < 0.2
        for share in (0.3, 0.6, 0.9):
            at = np.searchsorted(curve.coverage, share)
            assert curve.risk[at] == pytest.approx(exact[int(curve.coverage[at] * 4000) - 1], abs=0.01)

    def test_weights_have_no_unit(self, rng):
        z, y = overconfident(rng, 1000)
        plain = score_probabilities(y.astype(int), expit(z)).calibration_error()
        for scale in (1e-3, 1e3):
            scaled = score_probabilities(
                y.astype(int), expit(z), sample_weight=np.full(1000, scale)
            ).calibration_error()
            np.testing.assert_allclose(scaled, plain, rtol=1e-9)
