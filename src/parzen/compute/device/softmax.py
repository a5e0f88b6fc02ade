"""The log-likelihood of labels under a softmax, its slope and its curvature, on a device; see `parzen.compute.softmax`.

Everything is in float64, a block of rows at a time, by products of matrices: two runs give the same bits.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces


def softmax_sums(
    X: DeviceArray, labels: Any, table: Array, offset: Array, origin: Array | None = None, least: float | None = None
) -> Array:
    """Weight, log-likelihood, gradient, slope and, with a least share, sums of w p_k p_l y y' for each two classes."""
    rows = X.tensor
    here, (n, d), K = rows.device, rows.shape, len(offset)
    coef, at = _there(table, here), _there(offset, here)
    away = None if origin is None else _there(origin, here)
    codes = labels.codes.tensor if isinstance(labels.codes, DeviceArray) else _there(labels.codes, here)
    weights = None if labels.weights is None else _there(labels.weights, here)
    log_likelihood = torch.zeros((), dtype=torch.float64, device=here)
    slopes = torch.zeros(d + 1, K, dtype=torch.float64, device=here)
    couples = [(k, m) for k in range(K) for m in range(k + 1, K)] if least is not None else []
    pairs = torch.zeros(len(couples), d + 1, d + 1, dtype=torch.float64, device=here)
    for part in pieces(rows, 2 * (3 * (d + 1) + 6 * K)):
        y = torch.ones(part.stop - part.start, d + 1, dtype=torch.float64, device=here)
        y[:, :d] = rows[part].double() if away is None else rows[part].double() - away
        logs, proba, residual = _shares(torch.addmm(at, y[:, :d], coef), codes[part].long())
        w = None if weights is None else weights[part]
        log_likelihood += logs.sum() if w is None else w @ logs
        slopes += y.T @ (residual if w is None else w[:, None] * residual)
        for place, (k, m) in enumerate(couples):
            share = proba[:, k] * proba[:, m] if w is None else w * proba[:, k] * proba[:, m]
            share = torch.where(share > least, share, 0.0)
            pairs[place] += (y * share[:, None]).T @ y
    whole = float(n) if weights is None else float(weights.sum())
    found: Array = torch.cat([log_likelihood[None], slopes.ravel(), pairs.ravel()]).cpu().numpy()
    return np.concatenate([[whole], found])


def _shares(scores: torch.Tensor, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Log-probability of each row's class, probabilities of all, and these less one for that class.

    Scores are taken relative to that of the row's class, so that what is left of it near one keeps its digits.
    """
    own = codes[:, None] == torch.arange(scores.shape[1], device=scores.device)
    ahead = scores - scores.gather(1, codes[:, None])
    most = ahead.max(dim=1, keepdim=True).values  # zero, or what the largest other class is ahead by
    others = torch.exp(ahead - most).masked_fill(own, 0.0)
    mine, rest = torch.exp(-most), others.sum(1, keepdim=True)
    logs = torch.where(most > 0.0, -most - torch.log(mine + rest), -torch.log1p(rest))[:, 0]
    residual = others / (mine + rest)
    proba = torch.where(own, mine / (mine + rest), residual)
    return logs, proba, torch.where(own, -residual.sum(1, keepdim=True), residual)


def _there(values: Any, device: torch.device) -> torch.Tensor:
    return torch.tensor(np.ascontiguousarray(values), device=device)
