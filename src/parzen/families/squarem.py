"""EM accelerated by SQUAREM: an extrapolation of three plain steps."""

import numpy as np

from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.statistics.messages import without_floor_warnings
from parzen.statistics.statistic import Statistic


class Squarem:
    """Squared extrapolation of EM (Varadhan & Roland 2008), over sufficient statistics of any family.

    Statistics add, so that an extrapolated step is an affine combination of three of them. Near its end EM converges
    linearly at a rate r, and the rises of the objective shrink by r^2: the length of the step, 1 / (1 - r), follows
    from three objectives that are known anyway, and depends on no units. An extrapolation after which the objective is
    lower is undone: the objectives that are kept never fall because of it.
    """

    def __init__(self, wanted: bool, reached: float | None = None) -> None:
        self.wanted, self.longest = wanted, 4.0
        self.reached = reached  # the objective of a unit of weight before the first step, where one was taken before
        self.plain: list[tuple[Statistic, float]] = []  # the last plain steps
        self.fallback: Density | None = None

    def rejected(self, objective: float, least: float) -> Density | None:
        """The density of the last plain step, if an extrapolation from it has led below `least`."""
        fallback, self.fallback = self.fallback, None
        if fallback is None or objective >= least:
            return None
        self.longest, self.plain = max(self.longest / 4, 2.0), []
        return fallback

    def change(self, objective: float, weight: float) -> float:
        """By how much a plain step has changed the objective; infinite at first and after an extrapolation."""
        reached, self.reached = self.reached, None
        if reached is not None:
            return abs(objective - reached * weight)
        return abs(objective - self.plain[-1][1]) if self.plain else np.inf

    def following(self, family: Family, statistic: Statistic, objective: float, found: Density) -> Density:
        """The next density: that of the plain step, or an extrapolation after three of them."""
        self.plain = [*(self.plain if self.wanted else ()), (statistic, objective)]
        if len(self.plain) < 3:
            return found
        (first, a), (second, b), (third, c) = self.plain
        self.plain = self.plain[1:]
        if not 0 < c - b < b - a:
            return found
        length = min(1 / (1 - float(np.sqrt((c - b) / (b - a)))), self.longest)
        if length <= 1.5:
            return found
        ahead = (1 - length) ** 2 * first + (2 * length * (1 - length)) * second + length**2 * third
        if not ahead.is_possible():
            return found
        try:
            with without_floor_warnings():
                density = family.maximise(ahead)
        except (ValueError, FloatingPointError, np.linalg.LinAlgError):
            return found
        if length == self.longest:
            self.longest *= 4
        self.fallback, self.plain = found, []
        return density
