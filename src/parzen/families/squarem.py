"""EM, accelerated by SQUAREM."""

import numpy as np

from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.statistics.messages import without_floor_warnings
from parzen.statistics.statistic import Statistic


class Squarem:
    """EM, accelerated: after three plain steps a long one, in the direction and at the rate of these.

    Statistics add, so that a step is an affine combination of them, as in SQUAREM (Varadhan & Roland 2008), whatever
    the family. Near its end EM approaches by a constant factor r at each step, and the likelihood's rises by r^2: the
    length of the leap, 1 / (1 - r), comes from three likelihoods that are known anyway, and knows no units. Where a
    leap lands lower than it left, it is taken back: the likelihoods that are kept never fall because of it.
    """

    def __init__(self, wanted: bool) -> None:
        self.wanted, self.reach = wanted, 4.0
        self.plain: list[tuple[Statistic, float]] = []
        self.behind: Density | None = None

    def landed(self, score: float, least: float) -> Density | None:
        """Where to go back to, if a leap has led to a worse place than `least`."""
        behind, self.behind = self.behind, None
        if behind is None or score >= least:
            return None
        self.reach, self.plain = max(self.reach / 4, 2.0), []
        return behind

    def change(self, score: float) -> float:
        """By how much a plain step has changed the likelihood; infinite, where the last step was none."""
        return abs(score - self.plain[-1][1]) if self.plain else np.inf

    def onward(self, family: Family, statistic: Statistic, score: float, found: Density) -> Density:
        """The next density: that of a plain step, or of a leap after three of them."""
        self.plain.append((statistic, score))
        if not self.wanted or len(self.plain) < 3:
            return found
        (first, a), (second, b), (third, c) = self.plain
        self.plain = self.plain[1:]
        if not 0 < c - b < b - a:
            return found
        length = min(1 / (1 - float(np.sqrt((c - b) / (b - a)))), self.reach)
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
        if length == self.reach:
            self.reach *= 4
        self.behind, self.plain = found, []
        return density
