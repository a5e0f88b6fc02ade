"""Rows in which the same nodes are known: the network without these nodes."""

import numpy as np
import pytest

from parzen.densities.nets import questions
from tests.densities.nets.examples import random_net


@pytest.mark.parametrize("seed", range(30))
def test_rows_that_know_the_same_nodes_are_answered_as_any_others(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    net = random_net(rng, most=8, numbers=0.0)
    rows = net.sample(np.zeros(40, dtype=int), rng)
    for logs in net.parameters:  # some states become impossible, and so does some evidence
        shares = np.where(np.exp(logs) < 0.15, 0.0, np.exp(logs))
        with np.errstate(divide="ignore"):
            logs[:] = np.log(shares / shares.sum(axis=2, keepdims=True))
    rows[:, rng.random(rows.shape[1]) < 0.5] = np.nan
    nodes = tuple(rng.choice(len(net.sizes), min(2, len(net.sizes)), replace=False).tolist())
    for asked in {nodes, nodes[:1]}:
        plain, log_plain = questions.posterior(net, rows, asked)
        monkeypatch.setattr(questions, "ALIKE", 1)
        alike, log_alike = questions.posterior(net, rows, asked)
        monkeypatch.undo()
        np.testing.assert_allclose(alike, plain, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(log_alike, log_plain, rtol=1e-10, atol=1e-12)


def test_many_rows_that_know_the_same_nodes_need_no_more_than_one_smaller_network(monkeypatch):
    made = []
    of = questions.KnownPattern.of
    monkeypatch.setattr(questions.KnownPattern, "of", lambda *a: made.append(a) or of(*a))
    monkeypatch.setattr(questions, "for_each", lambda function, items: [function(item) for item in items])
    net = random_net(np.random.default_rng(3), most=6, numbers=0.0)
    rows = net.sample(np.zeros(3 * questions.ROWS, dtype=int), np.random.default_rng(0))
    questions.posterior(net, rows, (0,))
    assert len(made) == 1
