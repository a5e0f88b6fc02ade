"""Statistics: what a family remembers of its rows. They add.

Every field has the K groups on its leading axis. ``+`` is associative and commutative up to rounding, a statistic of no
rows adds nothing, ``decay * statistic`` forgets.
"""

from parzen.statistics.counts import Counts
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.moments import Moments
from parzen.statistics.pattern_moments import PatternMoments
from parzen.statistics.range import Range
from parzen.statistics.sample import Sample
from parzen.statistics.statistic import Statistic
from parzen.statistics.sums import Sums

__all__ = ["Counts", "ExpectedStatistic", "Joint", "Moments", "PatternMoments", "Range", "Sample", "Statistic", "Sums"]
