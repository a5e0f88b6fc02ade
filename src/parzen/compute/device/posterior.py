"""Decisions and posterior probabilities from log-densities on a device; see `parzen.compute.posterior`."""

import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces


def largest(values: DeviceArray, prior: Array, codes: DeviceArray) -> int:
    """Write the class with the largest ``values + prior``; how many rows have none that is finite."""
    at = torch.from_numpy(prior).to(values.tensor.device)
    best, place = (values.tensor + at).max(dim=1)
    odd = ~torch.isfinite(best)
    place[odd] = int(prior.argmax())
    codes.tensor.copy_(place)
    return int(odd.sum())


def normalise(values: DeviceArray, prior: Array, form: str, sums: DeviceArray | None = None) -> int:
    """Turn log-densities into posteriors, or sums of them; how many rows have no finite one."""
    odd = 0
    for part in pieces(values.tensor, 4 * values.shape[1]):
        odd += _normalise(values.tensor[part], prior, form, None if sums is None else sums[part])
    return odd


def _normalise(joint: torch.Tensor, prior: Array, form: str, sums: DeviceArray | None) -> int:
    at = torch.from_numpy(prior).to(joint.device)
    joint += at
    total = torch.logsumexp(joint, dim=1)
    odd = ~torch.isfinite(joint.max(dim=1).values)
    if form == "sums":
        assert sums is not None
        sums.tensor.copy_(total)
        return int(odd.sum())
    joint -= total[:, None]
    nowhere = torch.isneginf(total)
    if bool(nowhere.any()):
        joint[nowhere] = torch.log_softmax(at, dim=0)
    if form == "plain":
        joint.exp_()
    return int(odd.sum())
