"""Which Gaussian mixtures are compared: shapes of covariances and numbers of components."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from parzen.compute.checks import choose
from parzen.estimators.base.covariances import SHAPES
from parzen.families.fit import Fit
from parzen.families.mixture import Mixture
from parzen.statistics.messages import Collapse


@dataclass(frozen=True)
class Trial:
    """A candidate that was fitted, and its criterion; infinite where it must not be chosen."""

    value: float
    shape: str
    size: int
    family: Mixture
    found: Any  # a Fit, or None where there is none

    def entry(self, criterion: str) -> dict[str, Any]:
        """The candidate as `selection_` lists it."""
        return {"covariance_type": self.shape, "n_components": self.size, criterion: self.value}


@dataclass(frozen=True)
class Candidates:
    """Pairs of a covariance type and a number of components.

    Attributes
    ----------
    pairs : tuple of (str, int)
    several : bool
        Whether they are to be compared, rather than one be fitted.
    """

    pairs: tuple[tuple[str, int], ...]
    several: bool

    @classmethod
    def of(cls, n_components: Any, covariance_type: Any) -> "Candidates":
        """The candidates that the parameters of a mixture ask for, or an error."""
        sizes, shapes = _sizes(n_components), _shapes(covariance_type)
        one = isinstance(n_components, Integral) and isinstance(covariance_type, str | None) and len(shapes) == 1
        return cls(tuple((shape, C) for shape in shapes for C in sizes), not one)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def most(self) -> int:
        """The largest number of components."""
        return max(C for _, C in self.pairs)

    def fitting(self, codes: Any, n: int) -> Iterator[tuple[str, int]]:
        """The candidates that n rows can be fitted by, with all components that rows are known to come from."""
        for shape, C in self.pairs:
            if (codes is None or codes.max() < C) and (n >= C or not self.several):
                yield shape, C

    def best(self, tried: Sequence[Trial], n: int) -> Trial:
        """The trial with the least criterion, or an error where none can be chosen."""
        if not tried:
            least = min(C for _, C in self.pairs)
            raise ValueError(
                f"Expected n_samples >= n_components, but got n_components = {least} at least, and n_samples = {n}; "
                "ask for fewer components."
            )
        best = min(tried, key=lambda trial: trial.value)
        if not isinstance(best.found, Fit):
            raise Collapse("no number of components gives a mixture without a collapsed component; use a prior.")
        return best


def _sizes(given: Any) -> list[int]:
    several = range(1, 10) if isinstance(given, str) else given
    if isinstance(given, str) and given != "auto":
        raise ValueError(f"n_components must be a whole number, several, or 'auto', got {given!r}.")
    sizes = list(several) if isinstance(several, Sequence | np.ndarray) else [several]
    for C in sizes or [None]:
        if not isinstance(C, Integral) or isinstance(C, bool) or C < 1:
            raise ValueError(f"n_components must be whole numbers, at least 1, or 'auto', got {given!r}.")
    return [int(C) for C in sizes]


def _shapes(given: Any) -> list[str]:
    several = tuple(SHAPES) if isinstance(given, str) and given == "auto" else given
    shapes = [several] if isinstance(several, str) or not isinstance(several, Iterable) else list(several)
    for shape in shapes or [None]:
        choose("covariance_type", shape, tuple(SHAPES) if len(shapes) > 1 else (*SHAPES, "auto"))
    return shapes
