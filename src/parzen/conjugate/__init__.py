"""Conjugate priors: a prior and a sufficient statistic give a posterior of the same form.

Of each: the posterior given data, its mode (MAP), mean and credible intervals, the predictive density of the next row,
and the evidence. Families take them as ``prior=``; they can also be used on their own.

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

from parzen.conjugate.base import Conjugate
from parzen.conjugate.beta import Beta
from parzen.conjugate.dirichlet import Dirichlet
from parzen.conjugate.gamma import Gamma
from parzen.conjugate.normal import NormalParameters
from parzen.conjugate.normal_inverse_gamma import NormalInverseGamma
from parzen.conjugate.normal_inverse_wishart import NormalInverseWishart
from parzen.conjugate.normal_mean import NormalMean

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
