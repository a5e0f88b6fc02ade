"""Bayes nets by brute force: the sum over all configurations of the discrete nodes."""

import itertools

import numpy as np
from scipy.stats import multivariate_normal


def configurations(net, row):
    """All configurations of the discrete nodes that agree with a row."""
    choices = [
        (None,) if not size else range(size) if np.isnan(cell) else (int(cell),)
        for size, cell in zip(net.sizes, row, strict=True)
    ]
    return itertools.product(*choices)


def joint(net, states, row, k=0):
    """Probability of a configuration of net k times the density of the row's numbers given it."""
    at = {
        node: int(
            np.ravel_multi_index([states[p] for p in own if net.sizes[p]], [net.sizes[p] for p in own if net.sizes[p]])
        )
        if any(net.sizes[p] for p in own)
        else 0
        for node, own in enumerate(net.parents)
    }
    value = 1.0
    numbers = [node for node, size in enumerate(net.sizes) if not size]
    for node, size in enumerate(net.sizes):
        if size:
            value *= np.exp(net.parameters[node][k, at[node], states[node]])
    if not numbers:
        return value
    m = len(numbers)
    b, B, V = np.zeros(m), np.zeros((m, m)), np.zeros(m)
    for i, node in enumerate(numbers):
        line = net.parameters[node][k, at[node]]
        b[i], V[i] = line[0], line[-1]
        for slope, parent in zip(line[1:-1], [p for p in net.parents[node] if not net.sizes[p]], strict=True):
            B[i, numbers.index(parent)] = slope
    A = np.linalg.inv(np.eye(m) - B)
    mean, covariance = A @ b, A @ np.diag(V) @ A.T
    seen = [i for i, node in enumerate(numbers) if not np.isnan(row[node])]
    if seen:
        cells = row[[numbers[i] for i in seen]]
        value *= multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)]).pdf(cells)
    return value


def log_density(net, row, k=0):
    """Log-density of a row whose missing cells are summed over."""
    return float(np.log(sum(joint(net, states, row, k) for states in configurations(net, row))))


def posterior(net, row, node, k=0):
    """Posterior of a discrete node given the other cells of a row."""
    row = np.where(np.arange(len(row)) == node, np.nan, row)
    found = np.zeros(net.sizes[node])
    for states in configurations(net, row):
        found[states[node]] += joint(net, states, row, k)
    return found / found.sum()


def most_probable(net, row, k=0):
    """The most probable configuration of the discrete nodes."""
    return max(configurations(net, row), key=lambda states: joint(net, states, row, k))


def pairs(state, states, column, size, weights):
    """Weight of each pair of a code and a state, (size, states)."""
    found = np.zeros((size, states))
    for one, code, w in zip(state, column, weights, strict=True):
        found[code, one] += w
    return found


def bitmaps(columns, sizes):
    """Whether each row has each code of each column: rows of bits, packed from the lowest bit of each word on."""
    flags = np.array([column == code for column, size in zip(columns, sizes, strict=True) for code in range(size)])
    padded = np.pad(flags, ((0, 0), (0, -flags.shape[1] % 64)))
    return np.packbits(padded, axis=1, bitorder="little").view("<u8")


def family_likelihoods(columns, sizes, node, parents, more, weights):
    """Log-likelihood of a node with its parents, and with each of `more` columns as one more."""
    found = []
    for family in (list(parents), *([*parents, one] for one in more)):
        counts = np.zeros([sizes[one] for one in (*family, node)])
        np.add.at(counts, tuple(columns[[*family, node]]), weights)
        share = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1e-300)
        found.append(float((counts[counts > 0] * np.log(share[counts > 0])).sum()))
    return np.array(found)


def best_change(add, cut, edges, room, marks, mark, seen):
    """Gain, kind, parent and child of the best change of an edge, by trying them all."""
    changes = []
    for i, j in np.argwhere(~np.eye(len(edges), dtype=bool)).tolist():
        if edges[i, j]:
            changes.append((cut[i, j], "cut", i, j, [(i, j)]))
            if room[i]:
                changes.append((cut[i, j] + add[j, i], "turn", i, j, [(i, j), (j, i)]))
        else:
            changes.append((add[i, j], "add", i, j, [(i, j)]))
    best = (-np.inf, "add", 0, 0)
    for gain, kind, i, j, flips in changes:
        after, new = edges.copy(), np.uint64(mark)
        for pair in flips:
            after[pair] ^= True
            new ^= marks[pair]
        cycle = np.linalg.matrix_power(after.astype(float) + np.eye(len(after)), len(after)).trace() > len(after)
        if gain > best[0] and not cycle and new not in seen:
            best = (gain, kind, i, j)
    return best


def propagate(program, base, codes, factors):
    """Log-probability of each row's evidence and posterior of each output cell, by a sum over all clique cells.

    A joint state is one cell of each clique such that a clique and its parent agree on what they share.
    """
    C = len(program.needed)
    above = {program.child[i]: (c, program.map[i]) for c in range(C) for i in range(*program.inputs[c : c + 2])}
    log_evidence, outputs = np.empty(len(codes)), np.zeros((len(codes), program.out_slots))
    for row, known in enumerate(codes):
        signals = [
            float(code in (-1, state))
            for code, size in zip(known, np.diff(program.states), strict=True)
            for state in range(size)
        ]
        signals += factors[row].tolist()
        total = 0.0
        for cells in itertools.product(*(range(n) for n in np.diff(program.cells))):
            agree = all(
                program.maps[program.up[1, c] + cells[c]] == program.maps[above[c][1] + cells[above[c][0]]]
                for c in range(C)
                if c in above
            )
            if not agree:
                continue
            value = 1.0
            for c, cell in enumerate(cells):
                value *= base[program.cells[c] + cell]
                for i in range(*program.inputs[c : c + 2]):
                    if program.child[i] < 0:
                        value *= signals[program.slot[i] + program.maps[program.map[i] + cell]]
            total += value
            for c, cell in enumerate(cells):
                for o in range(*program.outputs[c : c + 2]):
                    outputs[row, program.output[0, o] + program.maps[program.output[1, o] + cell]] += value
        log_evidence[row] = np.log(total)
        outputs[row] /= total
    return log_evidence, outputs
