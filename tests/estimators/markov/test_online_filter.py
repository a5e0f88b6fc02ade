"""Following a hidden Markov model row by row: filtering, prediction, tables, and rows that cannot come."""

import numpy as np
import pytest

from parzen import Gaussian, GaussianHMM, HiddenMarkov, Labels, Product, fit


def test_following_row_by_row_is_filtering(rows, rng):
    X, _, _ = rows
    model = HiddenMarkov(Gaussian(), 3, random_state=0).fit(X)
    following = model.online_filter()
    np.testing.assert_allclose(following.ahead(), model.start_)
    steps, states = [], []
    for row in X[:60]:
        steps.append(following.update(row[None])[0])
        states.append(following.states)
    np.testing.assert_allclose(steps, model.score_samples(X[:60]), atol=1e-9)
    np.testing.assert_allclose(states, model.filter(X[:60]), atol=1e-12)
    np.testing.assert_allclose(following.ahead(3), model.ahead(X[:60], 3)[-1], atol=1e-12)
    assert following.log_likelihood == pytest.approx(model.score(X[:60]))
    # One step ahead: the density of the next row, before it is taken.
    told = following.score(X[60:61])
    np.testing.assert_allclose(told, following.update(X[60:61]), atol=1e-9)
    np.testing.assert_allclose(following.mean(), following.ahead() @ model.density_.emission.mean)
    drawn, _ = following.sample(20_000, random_state=0)
    long_run = model.density_.emission.mean.T @ np.linalg.matrix_power(model.transition_, 2_000)[0]
    assert drawn.shape == (20_000, 2)
    assert abs(drawn[:, 1].mean() - long_run[1]) < 0.3
    with pytest.raises(ValueError, match="steps must be"):
        following.ahead(0)
    peer = GaussianHMM(3, random_state=0).fit(X)
    np.testing.assert_allclose(peer.online_filter(X[:50]).states, peer.filter(X[:50])[-1], atol=1e-12)


def test_a_row_that_cannot_come_is_not_taken():
    from parzen import Categorical

    seen = fit(Categorical(estimate="ml", unseen="error"), np.array([[0], [1]]), Labels([0, 1])).density
    model = HiddenMarkov.from_parameters([1.0, 0.0], np.eye(2), seen)
    following = model.online_filter([[0]])
    with pytest.raises(ValueError, match="row 1 is impossible"):
        following.update([[1]])
    assert following.seen == 1
    np.testing.assert_array_equal(following.states, [1.0, 0.0])


def test_tables_are_followed_too(rng):
    import pandas as pd

    frame = pd.DataFrame({"a": np.repeat([0.0, 9.0], 40) + rng.normal(size=80), "b": rng.normal(size=80)})
    model = HiddenMarkov(Product({"a": Gaussian(), "b": Gaussian()}), 2, random_state=0).fit(frame)
    following = model.online_filter(frame[:50])
    assert list(following.sample(3, random_state=0)[0].columns) == ["a", "b"]
    assert following.score(frame[50:52]).shape == (2,)


def test_an_online_filter_never_loses_a_state():
    seen = fit(Gaussian(), np.array([[-1.0], [1.0], [49.0], [51.0]]), Labels([0, 0, 1, 1])).density
    model = HiddenMarkov.from_parameters([0.5, 0.5], np.eye(2), seen)
    rows = np.array([[0.0], [50.0], [50.0]])
    following = model.online_filter()
    for row in rows:
        following.update(row[None])
    np.testing.assert_allclose(following.states, [0.0, 1.0])
    assert following.log_likelihood == pytest.approx(model.score(rows))
