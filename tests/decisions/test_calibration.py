"""Calibration maps: against scikit-learn's, the ranking, weights, and scores of any scale."""

import numpy as np
import pytest
from scipy.special import expit, log_expit, logit
from sklearn import calibration as theirs
from sklearn.isotonic import IsotonicRegression

from parzen import (
    score_probabilities,
)
from parzen.decisions.calibration import METHODS, VennAbers, calibrate, fit_binary, fit_temperature
from parzen.decisions.log_odds import log_odds
from tests.decisions.problems import overconfident


class TestCalibration:
    @pytest.mark.parametrize("method", METHODS)
    def test_overconfident_probabilities_are_calibrated(self, method, rng):
        z, y = overconfident(rng)
        fresh, label = overconfident(rng, 20_000)
        before = score_probabilities(label.astype(int), expit(fresh)).calibration_error().expected
        after = score_probabilities(label.astype(int), fit_binary(method, z, y)(fresh)).calibration_error().expected
        assert before > 0.1
        assert after < 0.035

    def test_sigmoid_is_scikit_learn_s(self, rng):
        z, y = overconfident(rng)
        w = rng.random(len(z))
        for weight in (None, w):
            ours = fit_binary("sigmoid", z, y, weight)
            a, b = theirs._sigmoid_calibration(z, y.astype(int), sample_weight=weight)
            assert ours.a == pytest.approx(-a, rel=1e-3)
            assert ours.b == pytest.approx(-b, abs=1e-3)

    def test_isotonic_is_scikit_learn_s(self, rng):
        z, y = overconfident(rng)
        w = rng.random(len(z))
        peer = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(z, y, sample_weight=w)
        fresh = rng.normal(0, 8, 500)
        ours = fit_binary("isotonic", z, y, w)
        np.testing.assert_allclose(ours(fresh), peer.predict(fresh), atol=1e-12)
        assert len(ours.log_odds) <= 2 * len(np.unique(ours.probability)) < len(z)  # runs are kept as their ends

    def test_temperature_is_scikit_learn_s(self, rng):
        logits = rng.normal(size=(3000, 4)) * 3
        y = (logits / 3 + rng.gumbel(size=logits.shape)).argmax(axis=1)
        T = fit_temperature(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), y)
        if hasattr(theirs, "_TemperatureScaling"):
            assert pytest.approx(theirs._TemperatureScaling().fit(logits, y).beta_, rel=1e-5) == 1 / T
        assert pytest.approx(3, rel=0.1) == T

    def test_a_temperature_does_change_something(self, rng):
        z, y = overconfident(rng)
        logs = np.column_stack([log_expit(-z), log_expit(z)])
        assert abs(fit_temperature(logs, y.astype(int)) - 1) > 1

    @pytest.mark.parametrize("method", ["sigmoid", "temperature", "beta", "isotonic"])
    def test_keeps_the_ranking(self, method, rng):
        z, y = overconfident(rng)
        p = fit_binary(method, z, y)(np.sort(z))
        assert (np.diff(p) >= -1e-12).all()

    def test_log_odds_beyond_the_precision_of_probabilities_are_calibrated(self, rng):
        """Posteriors of 1 - 1e-30 and of 1 - 1e-20 are the same number, and different log-odds."""
        z = np.concatenate([rng.normal(60, 3, 500), rng.normal(90, 3, 500)])
        y = rng.random(1000) < np.repeat([0.6, 0.95], 500)
        assert expit(z).min() == 1.0
        for method in ("sigmoid", "isotonic", "beta", "histogram", "venn_abers"):
            p = fit_binary(method, z, y)(np.array([60.0, 90.0]))
            np.testing.assert_allclose(p, [0.6, 0.95], atol=0.12)

    def test_venn_abers_holds_both_labels(self, rng):
        z, y = overconfident(rng, 300)
        found = fit_binary("venn_abers", z, y)
        assert isinstance(found, VennAbers)
        for at in (-3.0, 0.1, z[7]):
            ends = found.interval(np.array([at]))
            for label, end in zip((0.0, 1.0), ends, strict=True):
                peer = IsotonicRegression(out_of_bounds="clip").fit(np.append(z, at), np.append(y, label))
                assert end[0] == pytest.approx(peer.predict([at])[0], abs=1e-12)
            assert ends[0][0] <= found(np.array([at]))[0] <= ends[1][0]

    @pytest.mark.parametrize("signal", [-1.0, 0.0, 1.0])
    @pytest.mark.parametrize("ties", [False, True])
    def test_venn_abers_is_isotonic_regression_at_each_point_and_between_them(self, ties, signal, rng):
        z, w = rng.normal(size=30), 10.0 ** rng.uniform(-3, 3, 30)
        z = np.round(z, 1) if ties else z
        y = rng.random(30) < expit(3 * signal * z)
        found, points = fit_binary("venn_abers", z, y, w), np.unique(z)
        for at in np.concatenate([points, 0.5 * (points[1:] + points[:-1]), [-9.0, 9.0]]):
            for label, end in zip((0.0, 1.0), found.interval(np.array([at])), strict=True):
                peer = IsotonicRegression().fit(np.append(z, at), np.append(y, label), np.append(w, 1.0))
                assert end[0] == pytest.approx(peer.predict([at])[0], abs=1e-12)

    def test_beta_is_the_identity_on_what_is_calibrated(self, rng):
        z = rng.normal(0, 2, 50_000)
        found = fit_binary("beta", z, rng.random(50_000) < expit(z))
        np.testing.assert_allclose([found.a, found.b, found.c], [1, 1, 0], atol=0.06)

    @pytest.mark.parametrize("method", METHODS)
    def test_weights_are_repetitions(self, method, rng):
        z, y = overconfident(rng, 400)
        w = rng.integers(0, 4, 400)
        weighted = fit_binary(method, z[w > 0], y[w > 0], w[w > 0].astype(float))
        repeated = fit_binary(method, np.repeat(z, w), np.repeat(y, w))
        fresh = np.linspace(-8, 8, 50)
        np.testing.assert_allclose(weighted(fresh), repeated(fresh), atol=1e-5)

    def test_several_classes_sum_to_one(self, rng):
        logits = rng.normal(size=(600, 3)) * 4
        y = (logits / 4 + rng.gumbel(size=logits.shape)).argmax(axis=1)
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        for method in METHODS:
            P = calibrate(method, logs, y)(logs)
            np.testing.assert_allclose(P.sum(axis=1), 1)
            assert score_probabilities(y, P).mean_log_loss < score_probabilities(y, np.exp(logs)).mean_log_loss

    def test_one_class_is_refused(self):
        with pytest.raises(ValueError, match="both classes"):
            fit_binary("sigmoid", np.zeros(5), np.ones(5, dtype=bool))

    def test_log_odds_of_several_classes(self, rng):
        P = rng.dirichlet(np.ones(4), 20)
        np.testing.assert_allclose(log_odds(np.log(P), 2), logit(P[:, 2]))

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("scale", [1e-4, 1e4])
    def test_scores_may_have_any_scale(self, method, scale, rng):
        truth = rng.normal(0, 1.5, 3000)
        y = (rng.random(3000) < expit(truth)).astype(int)
        near, far = ([log_expit(-z), log_expit(z)] for z in (truth, truth * scale))
        p, q = (calibrate(method, np.column_stack(logs), y)(np.column_stack(logs)) for logs in (near, far))
        tolerance = 0.05 if method == "beta" else 1e-3  # beta's two slopes are one where log-odds are small
        np.testing.assert_allclose(p, q, atol=tolerance)
