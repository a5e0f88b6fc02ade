"""Decisions by a loss, from probabilities on a device."""

import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces


def least_risk(posterior: DeviceArray, loss: Array | None) -> DeviceArray:
    """The action (n,) of least expected loss of each row, the first of equals; the likeliest class without a loss.

    Parameters
    ----------
    posterior : probabilities (n, K)
    loss : array of shape (A, K), or None
    """
    P = posterior.tensor
    if not bool(torch.isfinite(P).all()):
        raise ValueError("posterior must hold probabilities, but one is NaN or infinite; look at such rows first.")
    if loss is None:
        return DeviceArray(P.argmax(dim=1))
    table = torch.tensor(loss.T.copy(), dtype=torch.float64, device=P.device)
    out = torch.empty(len(P), dtype=torch.int64, device=P.device)
    for part in pieces(P, 2 * (P.shape[1] + len(loss))):
        out[part] = (P[part].double() @ table).argmin(dim=1)
    return DeviceArray(out)
