"""What every mixture offers: components, clusters, criteria; and the mixture of any family."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.density import Density
from parzen.densities.mixture import MixtureDensity
from parzen.densities.posterior import decide, posterior
from parzen.estimators.base.estimator import generator, row_count
from parzen.estimators.base.progress import CallbackSupportMixin, Watch, watching, with_callbacks
from parzen.estimators.base.validation import drop_zero_weight, finite, table, transactional, weights
from parzen.estimators.density.density import BaseDensityEstimator
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.families.mixture import Mixture, SemiSupervisedMixture
from parzen.statistics.accumulate import accumulate, for_blocks


class BaseMixture(CallbackSupportMixin, BaseDensityEstimator):
    """A density estimator whose density is a mixture: it knows its components, and which of them a row comes from.

    Attributes
    ----------
    weights_ : array of shape (C,)
    converged_ : bool
    lower_bound_ : float
        Log-likelihood of a row (on average) at the last step.
    lower_bounds_ : list of float
        The same at each step.
    trace_ : list of (float, float)
        With ``trace=True``: the log-likelihood of a row at each step, and the lower bound that the step raised it by.
    """

    density_: MixtureDensity
    lower_bounds_: list[float]
    max_iter: int
    tol: float
    warm_start: bool = False
    trace: bool = False
    accelerate: bool = True
    forgetting: Any = None

    @abstractmethod
    def _family(self) -> Mixture:
        """The mixture that the parameters ask for."""

    def _given_start(self, rows: Any, w: Array | None, rng: np.random.Generator) -> Density | None:
        """Where EM begins, if the parameters say so."""
        return None

    @with_callbacks
    @transactional
    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> None:
        """Fit the mixture to rows.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR where the family takes it, pandas or polars
        y : ignored
        sample_weight : array of shape (n,), optional
        labels : array of shape (n,), optional
            Component of each row where it is known, 0 to C - 1; -1 where it is not.

        Returns
        -------
        self
        """
        before = getattr(self, "density_", None) if self.warm_start else None
        every = X = table(self, X, reset=True, sparse=self._takes_sparse())
        codes = self._codes(labels, X.shape[0])
        X, w, *kept = drop_zero_weight(X, weights(sample_weight, X), *([] if codes is None else [codes]))
        rows = finite(self._bind(X))
        weight = float(rows.shape[0] if w is None else w.sum())
        with watching(self, rows, self._candidates() * self.max_iter, weight) as callback:
            self._fit_rows(rows, w, kept[0] if kept else None, before, callback)
        self._label(rows if every is X else self._encoded(every, grow=False))

    def _label(self, rows: Any) -> None:
        """Keep what is asked of the rows themselves."""

    def _candidates(self) -> int:
        """How many mixtures are fitted, to be compared."""
        return 1

    def _fit_rows(self, rows: Any, w: Array | None, codes: Any, before: Density | None, callback: Watch) -> None:
        """Fit the family that the parameters ask for, and keep what is found."""
        assert isinstance(self.family_, Mixture)
        found = self._found(self.family_, rows, w, codes, before, callback)
        self._keep_mixture(found, rows.shape[0] if w is None else float(w.sum()))

    def _found(
        self, family: Mixture, rows: Any, w: Array | None, codes: Any, before: Density | None, callback: Watch
    ) -> Fit:
        C = family.size()
        if rows.shape[0] < C:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {C}, n_samples = {rows.shape[0]}; ask for "
                "fewer components."
            )
        if codes is not None and self.trace:
            raise ValueError(
                "trace=True keeps the bound of rows whose component is not known; leave out labels or trace."
            )
        if self.forgetting is not None and not 0 <= self.forgetting < 1:
            raise ValueError(f"forgetting must lie in [0, 1), got {self.forgetting!r}.")
        rng = generator(self.random_state)
        start: Any = before
        if not isinstance(before, MixtureDensity) or (before.shape[1], before.size) != (rows.shape[1], C):
            start = self._given_start(rows, w, rng)
        options = {"max_iter": self.max_iter, "tol": self.tol, "trace": self.trace, "accelerate": self.accelerate}
        whole: Family = family if codes is None else SemiSupervisedMixture(family)
        R = w if codes is None else Labels(codes, w, groups=C)
        found: Fit = self._reading(rows, fit, whole, rows, R, start=start, rng=rng, callback=callback, **options)
        self._check_statistic(found.statistic, rows)
        return found

    def _keep_mixture(self, found: Fit, weight: float) -> None:
        self._warn(found)
        self._keep(found.density, found.statistic, found)
        scores = [score / weight for score in found.log_likelihoods]
        self.lower_bounds_ = scores[: len(scores) - self.trace]
        self.lower_bound_, self.converged_ = self.lower_bounds_[-1], found.outcome == "converged"
        if self.trace:
            self.trace_ = [(low, bound / weight) for low, bound in zip(scores, found.bounds, strict=False)]
        self.n_batches_ = 1

    @transactional
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> None:
        """Learn from more rows: stepwise EM (Cappé & Moulines 2009).

        The first batch is fitted; of each later one, the statistic under the current density replaces a part of what is
        known: by default ``t ** -0.7`` of it at batch t (of batches of its size), which forgets early batches, when
        little was known; or the share that `forgetting` says.
        """
        begun = hasattr(self, "density_")
        if not begun:
            self.fit(X, sample_weight=sample_weight)
            return
        self._check_learnt()
        self._check_same_family()
        X = table(self, X, reset=False, sparse=self._takes_sparse())
        X, w = drop_zero_weight(X, weights(sample_weight, X))
        rows = finite(self._encoded(X, grow=True))
        expected = self._reading(rows, accumulate, self.family_, rows, w, at=self.density_)
        self.statistic_ = self._stepped(expected.statistic, float(expected.weight.sum()))
        self.density_ = self._naming(self.family_.maximise, self.statistic_)
        self.n_batches_ += 1
        self.n_iter_ += 1
        self.lower_bounds_ = [*self.lower_bounds_, float(expected.log_likelihood.sum() / expected.weight.sum())]
        self.lower_bound_ = self.lower_bounds_[-1]
        self._label(rows)

    def _stepped(self, new: Any, weight: float) -> Any:
        if self.forgetting is not None:
            return (1.0 - self.forgetting) * self.statistic_ + new
        old = float(sum(part.parts[0].weight.sum() for part in self.statistic_.parts))  # type: ignore[attr-defined]
        total = old + weight
        step = (total / weight) ** -0.7
        return ((1 - step) * total / old) * self.statistic_ + (step * total / weight) * new

    @property
    def weights_(self) -> Array:
        """Weights of the components."""
        check_is_fitted(self, "density_")
        return self.density_.weight

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The likeliest component of each row, (n,)."""
        rows = self._later(X)
        codes, odd = self._reading(rows, decide, self.density_.components, self.density_.log_weight, rows)
        if odd:
            finite(rows)
        return np.asarray(codes)

    def predict_proba(self, X: Any) -> Array:
        """Probability of each component given the row, (n, C)."""
        rows = self._later(X)
        values, odd = self._reading(rows, posterior, self.density_.components, self.density_.log_weight, rows, False)
        if odd:
            finite(rows)
        return np.asarray(values)

    def fit_predict(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        """Fit, then give the likeliest component of each row."""
        return self.fit(X, sample_weight=sample_weight, labels=labels).predict(X)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows from the mixture: a table of the kind that it was fitted to, and the component of each row."""
        check_is_fitted(self, "density_")
        rng = generator(self.random_state if random_state is None else random_state)
        rows, labels = self.density_.draw(row_count(n_samples), rng)
        return self.schema_.decode(rows), labels

    def icl(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Integrated completed likelihood: BIC where every row's likeliest component is known. Low is good.

        It asks for clusters that keep apart, where BIC asks for a density (Biernacki, Celeux & Govaert 2000).
        """
        rows = self._later(X)
        w = weights(sample_weight, rows)
        doubt: list[float] = []

        def read(begin_: int, block: Any) -> None:
            each = -np.log(self.density_.posterior(block).max(axis=1))
            doubt.append(float(each.sum() if w is None else each @ w[begin_ : begin_ + len(each)]))

        for_blocks(self.density_.components, rows, read)
        return self.bic(X, sample_weight) + 2.0 * sum(doubt)

    def _most(self) -> int:
        """The largest number of components that the parameters ask for."""
        return self._family().size()

    def _codes(self, labels: Any, n: int) -> NDArray[np.int32] | None:
        if labels is None:
            return None
        C = self._most()
        codes = np.asarray(labels)
        if codes.shape != (n,) or codes.dtype.kind not in "biuf" or not np.array_equal(codes, np.floor(codes)):
            raise ValueError(
                f"labels must be {n} whole numbers, the component of each row or -1, got shape {codes.shape} of "
                f"{codes.dtype}."
            )
        codes = codes.astype(np.int64)
        if codes.max(initial=-1) >= C or codes.min(initial=0) < -1:
            raise ValueError(
                f"labels must lie between -1 and {C - 1}, for {C} components, got {codes.min()} to {codes.max()}."
            )
        return codes.astype(np.int32)


class MixtureModel(ClusterMixin, BaseMixture):
    """A mixture of any family: clusters of counts, of categories, of tables with columns of many kinds.

    Parameters
    ----------
    family : Family or list of families, optional
        What the components are: see `parzen.Mixture`; by default ``Gaussian()``.
    n_components : int, optional
        By default 2, or the length of the list.
    weight_concentration : float
        Of a Dirichlet prior of the weights; 1 is none.
    init : "auto", "kmeans", "k-means++", "random" or "random_from_data"
    n_init : int
        How many times more starts are tried.
    max_iter, tol : int, float
        Most steps, and least change of the log-likelihood of a row.
    forgetting : float, optional
        Share of what is known that `partial_fit` forgets at each batch; by default it falls from batch to batch.
    random_state : int, RandomState instance or None
    warm_start : bool
        Whether `fit` goes on from the last one.
    trace : bool
        Whether each step's lower bound is kept (`trace_`), at the cost of more looks at the rows.
    accelerate : bool
        Whether EM may leap ahead (see `parzen.fit`).
    verbose, verbose_interval : int
        Whether, and at which steps, to say how far the fit is.

    Attributes
    ----------
    density_ : MixtureDensity
    weights_ : array of shape (C,)
    labels_ : array of shape (n,)
        The likeliest component of each row of the last `fit`, or of the last batch of `partial_fit`.
    n_iter_, converged_, lower_bound_, lower_bounds_ : how the fit went

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import Categorical, MixtureModel, Poisson, Product
    >>> table = pd.DataFrame({"pet": ["cat", "cat", "dog", "dog", "dog", "cat"] * 5, "walks": [0, 1, 6, 5, 7, 0] * 5})
    >>> model = MixtureModel(Product({"pet": Categorical(), "walks": Poisson()}), 2, random_state=0).fit(table)
    >>> groups = model.predict(table.head(4))
    >>> bool(groups[0] == groups[1] != groups[2] == groups[3])
    True
    """

    _holds_families = True

    def __init__(
        self,
        family: Any = None,
        n_components: int | None = None,
        *,
        weight_concentration: float = 1.0,
        init: str = "auto",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-6,
        forgetting: float | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        trace: bool = False,
        accelerate: bool = True,
        verbose: int = 0,
        verbose_interval: int = 10,
    ) -> None:
        self.family = family
        self.n_components = n_components
        self.weight_concentration = weight_concentration
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.forgetting = forgetting
        self.random_state = random_state
        self.warm_start = warm_start
        self.trace = trace
        self.accelerate = accelerate
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    def _family(self) -> Mixture:
        return Mixture(self.family, self.n_components, self.weight_concentration, self.init, self.n_init)

    def _label(self, rows: Any) -> None:
        self.labels_ = decide(self.density_.components, self.density_.log_weight, rows)[0]
