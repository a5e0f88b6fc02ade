"""Memberships R: the group or groups of each row, and its weight in them.

One argument for class labels, sample weights, responsibilities of a mixture and state posteriors of a hidden chain.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.device.array import is_device

#: Most groups whose rows are counted by a comparison for each.
COMPARED = 8


@dataclass(frozen=True)
class Labels:
    """Memberships in which each row belongs to one group: a one-hot matrix as n numbers instead of n x K.

    Parameters
    ----------
    codes : array of shape (n,)
        Group of each row, 0 to K - 1; negative where it belongs to none.
    weights : array of shape (n,), optional
        Weight of each row; one if not given.
    groups : int, optional
        K, by default one more than the largest code.

    Examples
    --------
    >>> Labels([0, 2, -1], weights=[1.0, 0.5, 1.0]).dense()
    array([[1. , 0. , 0. ],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """

    codes: Any
    weights: Any = None
    groups: int = -1

    def __post_init__(self) -> None:
        given = np.asarray(self.codes)
        with np.errstate(invalid="ignore"):
            # A copy that nobody else can change: compiled routines index by codes that are checked here.
            codes = np.array(given, dtype=np.int32, order="C")
        largest = int(codes.max(initial=-1))
        whole = given.dtype.kind in "biu" or (given.dtype.kind == "f" and np.array_equal(codes, given))
        if given.size and not (whole and given.max() == largest and given.min() == codes.min()):
            raise ValueError("codes must be whole numbers, the group of each row, or negative where it has none.")
        groups = max(largest + 1, 1) if self.groups < 0 else int(self.groups)
        if codes.ndim != 1:
            raise ValueError(f"codes must have one dimension, got shape {codes.shape}.")
        if largest >= groups:
            raise ValueError(f"codes hold {largest}, but there are {groups} groups, 0 to {groups - 1}.")
        if groups < 1:
            raise ValueError(f"groups must be at least 1, got {groups}.")
        weights = None if self.weights is None else np.array(self.weights, dtype=np.float64, order="C")
        if weights is not None and weights.shape != codes.shape:
            raise ValueError(f"weights must have shape {codes.shape} as codes have, got {weights.shape}.")
        for field, value in (("codes", codes), ("weights", weights), ("groups", groups)):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, field, value)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> "Labels":
        codes = self.codes[rows]
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[rows])
        return Labels.sound(codes if is_device(codes) else np.ascontiguousarray(codes), weights, self.groups)

    @classmethod
    def sound(cls, codes: NDArray[np.int32], weights: NDArray[np.float64] | None, groups: int) -> "Labels":
        """Labels without a check, of codes and weights that are known to be valid and that nobody else will change."""
        labels = object.__new__(cls)
        for field, value in (("codes", codes), ("weights", weights), ("groups", groups)):
            object.__setattr__(labels, field, value)
        return labels

    def dense(self) -> NDArray[np.float64]:
        """The same memberships as an (n, K) matrix."""
        R = np.zeros((len(self), self.groups))
        inside = np.flatnonzero(self.codes >= 0)
        R[inside, self.codes[inside]] = 1.0 if self.weights is None else self.weights[inside]
        return R


#: None (all rows in one group), weights (n,) of one group, responsibilities (n, K), or `Labels`.
Memberships: TypeAlias = NDArray[np.float64] | Labels | None


def group_count(R: Memberships) -> int:
    """K, the number of groups."""
    if isinstance(R, Labels):
        return R.groups
    return 1 if R is None or R.ndim == 1 else R.shape[1]


def group_counts(codes: NDArray[np.int32], weights: NDArray[np.float64] | None, groups: int) -> NDArray[np.float64]:
    """Weight of the rows of each group, of codes 0 to K - 1."""
    if weights is None and groups <= COMPARED:  # comparisons of a few codes take less than counting by them
        return np.array([np.count_nonzero(codes == k) for k in range(groups)], dtype=np.float64)
    return np.bincount(codes, weights, groups).astype(np.float64)


def take(R: Memberships, rows: Any) -> Memberships:
    """Memberships of some of the rows."""
    return None if R is None else R[rows]


def members_on_host(R: Memberships) -> Memberships:
    """The same memberships in the host's memory."""
    if isinstance(R, Labels):
        return Labels.sound(R.codes.host(), R.weights, R.groups) if is_device(R.codes) else R
    return R.host() if is_device(R) else R  # type: ignore[union-attr]


def only_group(R: Memberships, k: int) -> Memberships:
    """Memberships in group k alone: K = 1."""
    if R is None:
        return None
    if isinstance(R, Labels):
        return Labels.sound(np.where(R.codes == k, 0, -1).astype(np.int32), R.weights, 1)
    return np.ascontiguousarray(R if R.ndim == 1 else R[:, k])


def check_memberships(R: Any, n: int) -> Memberships:
    """Memberships of n rows as the compiled routines read them, or an error."""
    if R is None:
        return None
    if is_device(R):
        return R  # responsibilities that were computed there
    if not isinstance(R, Labels):
        R = np.ascontiguousarray(R, dtype=np.float64)
        if R.ndim not in (1, 2) or (R.ndim == 2 and R.shape[1] == 0):
            raise ValueError(
                f"memberships must be weights (n,), a matrix (n, K), K > 0, or Labels, got shape {R.shape}."
            )
    if len(R) != n:
        raise ValueError(f"there are {n} rows, but memberships of {len(R)}; give one for each row.")
    weights = R.weights if isinstance(R, Labels) else R
    if weights is not None and not (np.isfinite(weights).all() and (weights >= 0).all()):
        bad = weights[~(np.isfinite(weights) & (weights >= 0))].flat[0]
        raise ValueError(f"weights must be finite and not negative, but one is {bad}; leave rows out by weight 0.")
    return R


def pointers(R: Memberships, n: int) -> tuple[int | None, int | None, int | None, int]:
    """Arguments (codes, weights, dense, groups) of every compiled routine that takes memberships."""
    if R is None:
        return None, None, None, 1
    if isinstance(R, Labels):
        weights = None if R.weights is None else native.pointer(R.weights, native.F64, (n,), "weights")
        return native.pointer(R.codes, native.I32, (n,), "codes"), weights, None, R.groups
    if R.ndim == 2 and R.shape[1] == 0:
        raise ValueError("memberships must have at least one group.")
    if R.ndim == 1:
        return None, native.pointer(R, native.F64, (n,), "weights"), None, 1
    return None, None, native.pointer(R, native.F64, (n, R.shape[1]), "memberships"), R.shape[1]
