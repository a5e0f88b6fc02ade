"""Parameters of a mixture's Gaussians in scikit-learn's shapes: read, and set to build a model by hand."""

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from parzen.compute.arrays import Array
from parzen.compute.checks import choose, probabilities
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.covariances import (
    SHAPES,
    covariances_of,
    factors_of,
    lower_factors_of,
    means_of,
    precisions_of,
    upper_factors_of,
)
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.mixture.base import BaseMixture
from parzen.tables.first_table import learn

#: What describes the components' spread: of several that are set, the last one counts.
SPREADS = ("covariances_", "precisions_", "precisions_cholesky_")


class BaseGaussianMixture(BaseMixture):
    """An estimator whose density is a mixture of Gaussians: it has their weights, means and covariances.

    Each can be set, as plain attributes can. A model that has weights, means and one of the three forms of covariances
    predicts, scores and draws with them; while one of them lacks, or their shapes disagree, it is not fitted.
    """

    covariance_type: Any

    @Fitted
    def weights_(self) -> Array:
        """Weights of the components, (C,)."""
        return self._shown(self._weights())

    @Fitted
    def means_(self) -> Array:
        """Means of the components, (C, d)."""
        return self._shown(self._gaussians.mean)

    @Fitted
    def covariances_(self) -> Array:
        """Covariances, in scikit-learn's shapes; of a posterior, inverses of the expected precisions."""
        return self._shown(covariances_of(self._gaussians.factor, self._shape()))

    @Fitted
    def precisions_(self) -> Array:
        """Inverses of the covariances."""
        return self._shown(precisions_of(self._gaussians.factor, self._shape()))

    @Fitted
    def precisions_cholesky_(self) -> Array:
        """Upper triangular factors of the precisions; one over the deviations where columns are independent."""
        return self._shown(upper_factors_of(self._gaussians.factor, self._shape()))

    def mahalanobis(self, X: Any) -> Array:
        """Mahalanobis distance of each row from the mean of each component, (n, C)."""
        gaussians = self._gaussians
        return gaussians.mahalanobis(self._later(X))

    @property
    def _gaussians(self) -> GaussianDensity:
        components = self._mixture_density().components
        assert isinstance(components, GaussianDensity)
        return components

    def _weights(self) -> Array:
        """Weights of the components of the current density, which sum to one."""
        return self._mixture_density().weight

    def _mixture_density(self) -> MixtureDensity:
        if not hasattr(self, "density_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet; call 'fit', or set weights_, means_ and "
                "covariances_."
            )
        return self.density_

    def _shown(self, values: Array) -> Array:
        """Parameters in the precision of the rows that were fitted."""
        return values.astype(self._parameter_dtype(), copy=False)

    def _adopt(self, name: str) -> None:
        """Decide by parameters that were set, once a mixture can be made of them; else the model is not fitted."""
        given, value = dict(self._given_by_hand), np.asarray(self._given_by_hand[name])
        if "density_" in vars(self):
            components = self._gaussians
            given = {"weights_": self._weights(), "means_": components.mean, "factor": components.factor}
        if name in SPREADS:
            given = {one: known for one, known in given.items() if one in ("weights_", "means_")}
        given[name] = np.array(value, dtype=np.result_type(np.float32, value.dtype))
        density = self._assembled(given)
        for lost in ("statistic_", "density_", "given_", "_given_by_hand"):
            self.__dict__.pop(lost, None)
        if density is None:
            self._given_by_hand = given
        else:
            self._become(density, given[name].dtype)

    def _assembled(self, given: dict[str, Array]) -> MixtureDensity | None:
        """The mixture of given parameters; None while one of them lacks, or their shapes disagree."""
        weights, mean = given.get("weights_"), given.get("means_")
        if weights is not None:
            weights = probabilities(weights, weights.shape[:1], "weights_")
        mean = None if mean is None else means_of(mean)
        names = [name for name in given if name not in ("weights_", "means_")]
        if weights is None or mean is None or not names or len(weights) != len(mean):
            return None
        (C, d), shape, name = mean.shape, self._shape(), names[0]
        if name == "factor":
            factor = given[name] if given[name].shape[1] == d and len(given[name]) in (1, C) else None
        else:
            wanted = {"full": (C, d, d), "tied": (d, d), "diag": (C, d), "spherical": (C,)}[shape]
            if given[name].shape != wanted:
                return None
            read = lower_factors_of if name == "precisions_cholesky_" else factors_of
            factor = read(given[name], shape, C, d, name)
        if factor is None:
            return None
        with np.errstate(divide="ignore"):
            return MixtureDensity(GaussianDensity(mean, factor), np.log(weights / weights.sum()))

    def _become(self, density: MixtureDensity, dtype: Any) -> None:
        """Become the estimator of a density that is given, over columns of numbers."""
        C, d = density.size, density.shape[1]
        self.density_ = density
        self.n_components_, self.covariance_type_ = C, self._shape()
        self.given_ = self._family()
        if getattr(self, "n_features_in_", None) != d or not hasattr(self, "schema_"):
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = d
            self.schema_ = learn(self.given_, np.zeros((1, d), dtype=dtype))[1]
        self.family_ = self.given_
        if not hasattr(self, "n_iter_"):
            self.n_iter_, self.converged_ = 0, True

    def _shape(self) -> str:
        """The name of the covariances' shape."""
        shape: str = getattr(self, "covariance_type_", self.covariance_type)
        choose("covariance_type", shape, tuple(SHAPES))
        return shape
