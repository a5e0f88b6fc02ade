"""Conjugate priors: other ways to read the same statistics.

A prior of a model's parameters, its posterior after data, the posterior's mode (MAP), mean and intervals, the
predictive density of the next row, and the evidence. Families take them as ``prior=``; here they stand alone.

Examples
--------
>>> from parzen.conjugate import Beta
>>> prior = Beta(2, 2)
>>> posterior = prior.posterior([1] * 55 + [0] * 45)
>>> prior.maximum_likelihood([1] * 55 + [0] * 45), round(posterior.mode(), 4), round(posterior.mean(), 4)
(0.55, 0.549, 0.5481)
>>> round(prior.log_evidence([1] * 55 + [0] * 45), 4)
-70.5171
"""

from parzen.conjugate.base import Conjugate, NormalParameters
from parzen.conjugate.discrete import Beta, Dirichlet, Gamma
from parzen.conjugate.normal import NormalInverseGamma, NormalInverseWishart, NormalMean

__all__ = [
    "Beta",
    "Conjugate",
    "Dirichlet",
    "Gamma",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalMean",
    "NormalParameters",
]
