"""Decisions by a loss: thresholds, abstention, losses by name, and names of actions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen import (
    Decision,
    expected_cost,
)


class TestDecision:
    def test_the_loss_gives_the_threshold(self, rng):
        for _ in range(50):
            loss = rng.random((2, 2)) + 1 - np.eye(2)
            decision = Decision(loss)
            t = decision.threshold()
            gain, pain = loss[1, 0] - loss[0, 0], loss[0, 1] - loss[1, 1]
            assert t == pytest.approx(gain / (gain + pain))
            p = rng.random(200)
            np.testing.assert_array_equal(decision.act(p), (p > t).astype(int))

    def test_abstaining_has_two_thresholds(self):
        decision = Decision("zero_one", abstain=0.2, abstention="ask")
        np.testing.assert_allclose(decision.threshold(), [0.2, 0.8])
        assert decision.act([0.1, 0.5, 0.9]).tolist() == [0, "ask", 1]
        assert Decision([[0, 1], [5, 0]]).threshold() == pytest.approx(5 / 6)
        assert Decision([[0, 0], [1, 1]]).threshold() == np.inf  # the first action, whatever comes
        assert Decision([[1, 1], [0, 0]]).threshold() == -np.inf

    @given(st.integers(0, 10_000))
    def test_no_action_loses_less(self, seed):
        rng = np.random.default_rng(seed)
        A, K = rng.integers(1, 6), rng.integers(2, 6)
        decision, P = Decision(rng.normal(size=(A, K))), rng.dirichlet(np.ones(K), 40)
        risk = decision.risk(P)
        np.testing.assert_allclose(risk, P @ decision.matrix(K).T)
        taken = decision.act(P)
        codes = {name: k for k, name in enumerate(decision.action_names(K).tolist())}
        chosen = np.array([codes[one] for one in taken.tolist()])
        np.testing.assert_allclose(risk[np.arange(40), chosen], risk.min(axis=1))

    def test_losses_by_name(self, rng):
        classes = [1.0, 2.0, 5.0, 9.0]
        P = rng.dirichlet(np.ones(4), 30)
        grid = np.linspace(0, 10, 4001)
        off = np.asarray(classes) - grid[:, None]
        costs = {
            "squared": off**2,
            "absolute": np.abs(off),
            "quantile": np.where(off > 0, 0.8 * off, -0.2 * off),
        }
        for name, cost in costs.items():
            decision = Decision(name, classes=classes, level=0.8)
            best = P @ cost.T
            np.testing.assert_allclose(decision.risk(P), best.min(axis=1), atol=5e-3)
            own = np.array([np.interp(a, grid, row) for a, row in zip(decision.act(P), best, strict=True)])
            np.testing.assert_allclose(own, best.min(axis=1), atol=5e-3)
        np.testing.assert_array_equal(Decision("log").act(P), P)
        np.testing.assert_allclose(Decision("log").risk(P), -(P * np.log(P)).sum(axis=1))

    def test_every_row_may_have_its_loss(self, rng):
        P, loss = rng.dirichlet(np.ones(3), 20), rng.random((20, 2, 3))
        decision = Decision(np.zeros((2, 3)), actions=["a", "b"])
        found = decision.act(P, loss)
        for i in range(20):
            assert found[i] == ["a", "b"][int((loss[i] @ P[i]).argmin())]

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: Decision(np.eye(2), classes=["a", "b", "c"]).act(np.full((1, 3), 1 / 3)), "one column per class"),
            (lambda: Decision([[0, np.nan]]), "finite"),
            (lambda: Decision([0, 1]), "two dimensions"),
            (lambda: Decision("x"), "zero_one"),
            (lambda: Decision(abstain=-1), "abstain"),
            (lambda: Decision("squared", abstain=1), "abstain"),
            (lambda: Decision().act([[0.5, 0.6]]), "sum to 1"),
            (lambda: Decision().act([[1.5, -0.5]]), "not negative, got -0.5"),
            (lambda: Decision().act([[np.nan, 1.0]]), "finite and not negative, got nan"),
            (lambda: Decision(actions=["a"]).act([[0.5, 0.5]]), "actions"),
            (lambda: Decision(classes=["a"]).act([[0.5, 0.5]]), "classes"),
            (lambda: Decision("squared", classes=["a", "b"]).act([[0.5, 0.5]]), "numbers"),
            (lambda: Decision("squared").threshold(), "threshold"),
            (lambda: Decision("quantile", level=1.0), "level"),
            (lambda: Decision().act([[0.5, 0.5]], np.ones((1, 2, 3))), "rows, actions, classes"),
        ],
    )
    def test_bad_input_is_named(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()

    def test_names_of_actions(self):
        with pytest.raises(ValueError, match="different names"):
            Decision(abstain=0.2, classes=[-1, 1], abstention=-1).act([0.1])
        mixed = Decision([[0, 1], [1, 0], [0.3, 0.3]], actions=[0, 1, "ask"])
        assert mixed.act([0.1, 0.5]).tolist() == [0, "ask"]
        assert expected_cost([0, 1], [0, "abstain"], Decision(abstain=0.3, classes=[0, 1])) == pytest.approx(0.15)
        with pytest.raises(ValueError, match="order of the classes"):
            Decision([[1, 0], [0, 1]]).threshold()
