"""Hidden Markov models: the forward-backward and Viterbi recursions in logarithms, and the sum over all paths.

Bishop (2006), sections 13.2.2 to 13.2.5; in extended precision. Rows hold log-densities (n, K) in each state.
"""

import itertools

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy


def sequences(rows, lengths):
    """The rows of each sequence."""
    ends = np.cumsum([0, *lengths])
    return [np.asarray(rows[begin:end], dtype=np.longdouble) for begin, end in itertools.pairwise(ends)]


def log(values):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(values, dtype=np.longdouble))


def forward(rows, log_start, log_transition):
    """log alpha (n, K): log-density of the rows so far together with each state."""
    alpha = np.empty_like(rows)
    for t, row in enumerate(rows):
        before = log_start if t == 0 else np.logaddexp.reduce(alpha[t - 1, :, None] + log_transition, axis=0)
        alpha[t] = before + row
    return alpha


def backward(rows, log_transition):
    """log beta (n, K): log-density of the rows to come given each state."""
    beta = np.zeros_like(rows)
    for t in range(len(rows) - 2, -1, -1):
        beta[t] = np.logaddexp.reduce(log_transition + rows[t + 1] + beta[t + 1], axis=1)
    return beta


def hidden_smooth(rows, lengths, start, transition, weights=None):
    """Posterior (n, K), weights of first states (K,) and of transitions (K, K), log-likelihoods (m,).

    A sequence that is impossible has posterior NaN and adds nothing.
    """
    K = len(start)
    posterior, first, pairs, likelihoods = [], np.zeros(K), np.zeros((K, K)), []
    for s, part in enumerate(sequences(rows, lengths)):
        weight = 1.0 if weights is None else weights[s]
        alpha, beta = forward(part, log(start), log(transition)), backward(part, log(transition))
        total = np.logaddexp.reduce(alpha[-1]) if len(part) else np.longdouble(0)
        likelihoods.append(total)
        if np.isneginf(total):
            posterior.append(np.full(part.shape, np.nan))
            continue
        gamma = np.exp(alpha + beta - total)
        posterior.append(gamma)
        first += weight * gamma[:1].sum(axis=0)
        for t in range(1, len(part)):
            pairs += weight * np.exp(alpha[t - 1, :, None] + log(transition) + part[t] + beta[t] - total)
    return np.concatenate(posterior).astype(float), first, pairs, np.array(likelihoods, dtype=float)


def mode(counts, prior, allowed):
    """Mode of a Dirichlet posterior over what is allowed; uniform there without any weight."""
    raised = np.where(allowed, np.maximum(counts + prior - 1.0, 0.0), 0.0)
    total = raised.sum(axis=-1, keepdims=True)
    return np.where(total > 0, raised / np.where(total > 0, total, 1.0), allowed / allowed.sum(axis=-1, keepdims=True))


def hidden_counts(kind, X, lengths, chain, parameter, priors, params, steps, tol):
    """Baum-Welch with states that emit counts: start, transition, parameters (K, d), log-likelihood at each E-step."""
    (start, transition), first = chain, parameter
    initial, history = (start > 0, transition > 0), []
    factorials = gammaln(X + 1.0).sum(axis=1)
    base = -factorials if kind == "poisson" else gammaln(X.sum(axis=1) + 1.0) - factorials
    for _ in range(steps):
        rows = base[:, None] + xlogy(X[:, None], parameter).sum(axis=2)
        rows -= parameter.sum(axis=1) if kind == "poisson" else 0.0
        posterior, begun, pairs, likelihoods = hidden_smooth(rows, lengths, start, transition)
        history.append(likelihoods.sum())
        if "s" in params:
            start = mode(begun, priors[0], initial[0])
        if "t" in params:
            transition = mode(pairs, priors[1], initial[1])
        if "e" in params:
            parameter = emitted(kind, posterior.sum(axis=0)[:, None], posterior.T @ X, first, *priors[2:])
        if len(history) > 1 and history[-1] - history[-2] < tol:
            break
    return start, transition, parameter, np.array(history)


def emitted(kind, weight, totals, first, shape, rate):
    """hmmlearn's estimates of the probabilities or rates of each state."""
    if kind == "symbols":
        return mode(totals, shape, np.ones(totals.shape, dtype=bool))
    whole = totals.sum(axis=1, keepdims=True) if kind == "multinomial" else weight
    mean = np.where(whole > 0, totals / np.where(whole > 0, whole, 1.0), first)
    return mean if kind == "multinomial" else (shape + weight.sum() * mean) / (rate + weight.sum())


def hidden_filter(rows, lengths, start, transition):
    """Probability of each state given the rows so far (n, K), log-density of each row given those before it (n,).

    From an impossible row on, states are zero and log-densities minus infinity.
    """
    states, steps = [], []
    for part in sequences(rows, lengths):
        one, many = _filtered(part, log(start), log(transition))
        steps.append(one)
        states.append(np.exp(many))
    return np.concatenate(states).astype(float), np.concatenate(steps).astype(float)


def hidden_follow(rows, log_next, transition):
    """One sequence continued: log-density of each row given those before (n,), log-probabilities of the last states."""
    steps, states = _filtered(np.asarray(rows, dtype=np.longdouble), log_next, log(transition))
    return steps.astype(float), states[-1].astype(float)


def _filtered(rows, log_start, log_transition):
    alpha = forward(rows, log_start, log_transition)
    sums = np.logaddexp.reduce(alpha, axis=1) if len(rows) else np.zeros(0, np.longdouble)
    possible = ~np.isneginf(sums)
    states = np.where(possible[:, None], alpha - np.where(possible, sums, 0)[:, None], -np.inf)
    before = np.concatenate([[0], sums[:-1]])[: len(sums)]
    return np.where(possible, sums - np.where(possible, before, 0), -np.inf), states


def hidden_path(rows, lengths, log_start, log_transition):
    """The likeliest path of each sequence (n,), of equals the first state, and its log-density with the rows (m,)."""
    path, best = [], []
    for part in sequences(rows, lengths):
        if not len(part):
            best.append(0.0)
            continue
        top, origin = log_start + part[0], []
        for row in part[1:]:
            ways = top[:, None] + log_transition
            origin.append(ways.argmax(axis=0))
            top = ways.max(axis=0) + row
        states = [int(top.argmax())]
        for before in reversed(origin):
            states.append(int(before[states[-1]]))
        path += reversed(states)
        best.append(float(top.max()))
    return np.array(path, dtype=int), np.array(best)


def over_all_paths(rows, start, transition):
    """Log-likelihood, posterior, transitions, likeliest path and its log-density, of one sequence, by enumeration."""
    n, K = rows.shape
    paths = list(itertools.product(range(K), repeat=n))
    with np.errstate(divide="ignore"):
        first, then = np.log(start), np.log(transition)
    logs = np.array(
        [
            first[states[0]]
            + sum(rows[t, state] for t, state in enumerate(states))
            + sum(then[pair] for pair in itertools.pairwise(states))
            for states in paths
        ]
    )
    total = logsumexp(logs)
    posterior, pairs = np.zeros((n, K)), np.zeros((K, K))
    for states, p in zip(paths, np.exp(logs - total), strict=True):
        for t, state in enumerate(states):
            posterior[t, state] += p
        for pair in itertools.pairwise(states):
            pairs[pair] += p
    return total, posterior, pairs, paths[int(logs.argmax())], logs.max()
