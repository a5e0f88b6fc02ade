"""Generative classifiers: a prior and a density for each class, and all that follows from them."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.boundary import Boundary
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.per_group import PerGroupDensity
from parzen.densities.polynomials import quadratic_form
from parzen.densities.posterior import compare, log_evidence
from parzen.densities.softmax import Softmax
from parzen.estimators.base.estimator import BaseFamilyEstimator
from parzen.estimators.base.fitted import forget
from parzen.estimators.base.results import over_sources
from parzen.estimators.base.sources import SourceTable, takes_sources
from parzen.estimators.base.validation import (
    check_fitted,
    drop_zero_weight,
    finite,
    generator,
    row_count,
    transactional,
    weights,
)
from parzen.estimators.classify.class_priors import log_of, read_class_prior
from parzen.estimators.classify.classifier import BaseClassifier
from parzen.estimators.classify.criteria import JointCriteria
from parzen.estimators.classify.labels import (
    ClassCodes,
    check_several,
    check_weights,
    class_counts,
    codes_among,
    declared_classes,
    read_labels,
    tally_labels,
)
from parzen.families.checks import same_parameters
from parzen.families.per_group import PerGroup
from parzen.families.semi_supervised import SemiSupervised, SemiSupervisedDensity
from parzen.statistics.accumulate import Evaluated, evaluate
from parzen.statistics.batches import Batches
from parzen.statistics.messages import naming_groups
from parzen.tables.schema import bare_schema
from parzen.tables.sources.source import Source


class GenerativeClassifier(JointCriteria, BaseFamilyEstimator, BaseClassifier):
    """Prior times density, class by class.

    Attributes
    ----------
    classes_ : array of shape (K,)
    class_count_ : array of shape (K,)
        Weight of the rows of each class.
    class_prior_ : array of shape (K,)
    density_ : Density
        The K densities of the classes.
    """

    class_count_: Array
    class_prior_: Array

    class_prior: Any = None
    #: Whether y must hold several classes, each with weight. scikit-learn's naive Bayes and linear discriminant fit a
    #: single class, which they always predict, and classes of weight zero, which they never predict.
    _several_classes: ClassVar[bool] = True
    #: Fitted attributes that make a density (`_density_of`), where they may be set.
    _made_of: ClassVar[tuple[str, ...]] = ()
    #: Whether the rows that were fitted first are float32: scikit-learn shows parameters as it was given rows.
    _single: bool = False
    #: What marks a row without a label, besides None and NaN.
    unlabelled: Any = None

    def _given_class_prior(self) -> Any:
        """Priors that the parameters give; None where they are learnt."""
        return self.class_prior

    @takes_sources
    @transactional
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Fit a density to the rows of each class.

        Parameters
        ----------
        X : table of shape (n, d): array, CSR where the family takes it, pandas or polars; or a source: ``fit(source,
            target="y", weight="w")``, see `parzen.scan`
        y : array of shape (n,)
            Label of each row. Rows without a label (None, NaN, `unlabelled`) are learnt from as well, by EM: their
            class posteriors under the current densities are the responsibilities.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        self._forget()
        rows, R, known = self._labelled_source(X) if isinstance(X, Source) else self._labelled(X, y, sample_weight)
        self._single = rows.dtype == np.float32
        with self._naming_classes(self.class_count_):
            if known is None:
                self._fit_some_labels(rows, R)
            else:
                self._check_rows(known, rows.shape[1])
                found = self._fit_family(self.family_, rows, R, **self._seeded())
                self._warn(found)
                self._keep(found.density, found.statistic, found)
        if isinstance(rows, Batches):
            self._finish()
        else:
            self._finish(rows, R)

    def _labelled(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Any, Labels | None, NDArray[np.int64] | None]:
        """Rows of a table and their classes; and how many each class has, where all labels are known."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        n = _num_samples(X)
        if n == 0:
            raise ValueError("Found array with 0 sample(s), while a minimum of 1 is required: X has no rows.")
        self.classes_, codes, counts = read_labels(y, n, self.unlabelled)
        K = len(check_several(self.classes_) if self._several_classes else self.classes_)
        X = self._first_table(X)
        w = weights(sample_weight, X)
        if w is not None:
            counts = class_counts(codes, w, K)
            if self._several_classes:
                check_weights(counts, self.classes_)
        X, w, codes = drop_zero_weight(X, w, codes)
        R = Labels.sound(codes, w, K)
        rows = self._bind(X, R)
        self._settle(counts)
        if codes.min() < 0:
            return rows, R, None
        return rows, R, (counts if w is None else class_counts(codes, None, K)).astype(np.int64)

    def _labelled_source(self, source: Source) -> tuple[Batches, None, NDArray[np.int64] | None]:
        """Rows of a source, which bring their classes; and how many each class has, where all labels are known."""
        if source.target is None:
            raise ValueError(f"{type(self).__name__} requires a target: fit(source, target='the column to predict').")
        self.classes_, tally = tally_labels(source, self.unlabelled)
        assert tally.counts is not None
        assert tally.members is not None
        if self._several_classes:
            check_several(self.classes_)
        code = ClassCodes(self.classes_, self.unlabelled)
        rows = self._bind(self._first_table(SourceTable(source, tally, code)))
        self._settle(tally.counts)
        return rows, None, None if tally.members.sum() < tally.rows else tally.members

    def _check_rows(self, members: NDArray[np.int64], d: int) -> None:
        """Raise where a concrete classifier needs more rows of a class than there are."""

    def _fit_some_labels(self, rows: Any, R: Labels | None) -> None:
        """Fit to rows of which some have no label: EM over the labels."""
        given = None if self._given_class_prior() is None else log_of(self.class_prior_)
        found = self._fit_family(SemiSupervised(self.family_, given), rows, R, **self._seeded())
        self._warn(found)
        joint: Any = found.statistic
        assert isinstance(found.density, SemiSupervisedDensity)
        self._keep(found.density.density, joint.parts[1], found)
        self.class_prior_, self.class_count_ = np.exp(found.density.log_class_prior), joint.parts[0].weight[:, 0]
        self.log_likelihoods_ = found.log_likelihoods

    def _forget(self) -> None:
        """Remove what an earlier fit has left."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

    @transactional
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> None:
        """Learn from more rows; what was learnt before stays, and the result equals `fit` on all rows together.

        With missing cells in a full covariance both are found by EM and agree to its tolerance; classes that are
        mixtures take one step of incremental EM instead. See `DensityEstimator.partial_fit`.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : array of shape (K,)
            All classes, at the first call; later ones may leave it out. A class that has not come yet has prior zero.
        """
        begun = hasattr(self, "density_")
        if not begun and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if classes is not None:
            named = declared_classes(classes, 2 if self._several_classes else 1)
            if begun and not np.array_equal(named, self.classes_):
                raise ValueError(
                    f"classes={named.tolist()} is not the same as on last call to partial_fit, which was "
                    f"{self.classes_.tolist()}; leave classes out, or call fit."
                )
            self.classes_ = named
        if begun:
            self._check_fitted_to_rows()
            self._check_same_family()
            if hasattr(self, "log_likelihoods_"):
                raise ValueError("statistics of rows without labels were found by EM, and don't add; fit on all rows.")
        X = self._later_table(X) if begun else self._first_table(X)
        codes = codes_among(y, X.shape[0], self.classes_, self.unlabelled)
        X, w, codes = drop_zero_weight(X, weights(sample_weight, X), codes)
        K = len(self.classes_)
        R = Labels.sound(codes, w, K)
        rows = self._encoded(X, grow=True) if begun else self._bind(X, R)
        self._single = self._single if begun else rows.dtype == np.float32
        counts = class_counts(codes, w, K) + (self.class_count_ if begun else 0.0)
        if isinstance(self.family_, PerGroup) and not counts.all():
            lacking = self.classes_[counts == 0].tolist()
            raise ValueError(
                f"the classes {lacking} have no rows yet, and where each class has a family of its own it learns from "
                "its own rows alone; give a first batch with rows of every class."
            )
        with self._naming_classes(counts):
            self._add(rows, R, begun)
        self._settle(counts)
        self._finish()

    @contextmanager
    def _naming_classes(self, counts: Array) -> Iterator[None]:
        """Name the classes in messages; that one has no weight (it is yet to come, or weighs zero) is known."""
        with warnings.catch_warnings() if not counts.all() else nullcontext():
            if not counts.all():
                warnings.filterwarnings("ignore", message="classes .* have no weight")
            with naming_groups("classes", self.classes_.tolist()):
                yield

    def merge(self, other: Any) -> Self:
        """A new classifier, as if it had been fitted to the rows of both.

        Both must know the same classes (name them with ``partial_fit(..., classes=)`` where a shard may lack one).
        """
        if type(other) is not type(self):
            raise TypeError(f"only a {type(self).__name__} can be merged, got {type(other).__name__}.")
        check_fitted(self, "density_")
        check_fitted(other, "density_")
        if not np.array_equal(self.classes_, other.classes_):
            raise ValueError(
                f"the two classifiers know the classes {self.classes_.tolist()} and {other.classes_.tolist()}; "
                "fit both with partial_fit(X, y, classes=...)."
            )
        if not same_parameters(self._given_class_prior(), other._given_class_prior()):
            raise ValueError("the two classifiers were given different priors; give both the same.")
        merged = self._merged(other)
        merged.classes_ = self.classes_
        merged._settle(self.class_count_ + other.class_count_)
        merged._finish()
        return merged

    def _settle(self, counts: Array) -> None:
        """Weights of the classes, and their priors."""
        forget(self)
        self.class_count_ = counts
        given = self._given_class_prior()
        self.class_prior_ = counts / counts.sum() if given is None else read_class_prior(given, self.classes_)

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        """What else a concrete classifier keeps of its fit: to these rows, or (None) to batches and shards."""

    def _density_of(self, *parameters: Any) -> Any:
        """The density that the attributes of `_made_of` make."""
        raise NotImplementedError

    def _adopt(self, name: str) -> None:
        """Decide by fitted attributes that were set: by the density that they make, once all of it is there."""
        self._given_by_hand |= {one: getattr(self, one) for one in self._made_of if hasattr(self, one)}
        for lost in {"density_", "statistic_"} & set(vars(self)):
            delattr(self, lost)
        parameters: list[Any] = [self._given_by_hand.get(one) for one in self._made_of]
        if any(one is None for one in parameters) or len({len(one) for one in parameters}) > 1:
            return
        self.density_ = self._density_of(*parameters)
        self._read_numbers(self.density_.shape[1])

    def _read_numbers(self, d: int) -> None:
        """Read rows of d numbers, where no table has been fitted that says otherwise."""
        if not hasattr(self, "given_"):
            self.n_features_in_ = d
            self.given_ = self.family_ = self._family()
            self.schema_ = bare_schema(np.empty((0, d)))

    def _shown(self, values: Array) -> Array:
        """Parameters in the precision of the rows that were fitted."""
        return values.astype(np.float32) if self._single else values

    def log_joint(self, X: Any, class_prior: Any = None) -> Array:
        """Log of prior times density of each class at each row, (n, K)."""
        check_fitted(self, "density_")
        rows = self._later(X)
        values: Array = self._reading(rows, evaluate, self.density_, rows)
        values += self._log_prior() if class_prior is None else log_of(read_class_prior(class_prior, self.classes_))
        if not np.isfinite(values.sum()):
            finite(rows)
        return values

    def mahalanobis(self, X: Any) -> Array:
        """Mahalanobis distance of each row from the mean of each class, (n, K), where their densities are Gaussian."""
        check_fitted(self, "density_")
        rows = self._later(X)
        density = self.density_
        parts: tuple[Any, ...] = density.parts if isinstance(density, PerGroupDensity) else (density,)
        if not all(isinstance(part, GaussianDensity) for part in parts):
            raise TypeError(
                f"distances are from the means of Gaussians, but these densities are {type(parts[0]).__name__}."
            )
        return np.concatenate([part.mahalanobis(rows) for part in parts], axis=1)

    def predict_joint_log_proba(self, X: Any) -> Array:
        """Log of prior times density, (n, K), as scikit-learn has it: without terms that all classes have in common."""
        values: Array = self._compared(compare, X, None)[0]
        return values

    @over_sources
    def score_samples(self, X: Any, class_prior: Any = None) -> Array:
        """Log-density of each row, whatever its class, (n,): low where a row resembles no class."""
        check_fitted(self, "density_")
        rows = self._later(X)
        log_prior = self._log_prior() if class_prior is None else log_of(read_class_prior(class_prior, self.classes_))
        values, odd = self._reading(rows, log_evidence, self.density_, log_prior, rows)
        if odd:
            finite(rows)
        return values

    def sample(self, n_samples: int = 1, label: Any = None, random_state: Any = None) -> Any:
        """Draw rows, of one class or of all by their priors, as a table of the kind that was fitted.

        Parameters
        ----------
        n_samples : int
        label : a class, or an array of shape (n_samples,) of them, optional

        Returns
        -------
        rows, and their labels unless these were given
        """
        check_fitted(self, "density_")
        rng = generator(random_state)
        n = row_count(n_samples)
        if label is None:
            codes = rng.choice(len(self.classes_), size=n, p=self.class_prior_ / self.class_prior_.sum())
        else:
            asked = label if np.ndim(label) else [label] * n
            if len(asked) != n:
                raise ValueError(f"label must be one class, or {n} of them, got {len(asked)}.")
            codes = np.array([self._code(one) for one in asked], dtype=np.intp)
        rows = self.schema_.decode(self.density_.sample(np.ascontiguousarray(codes), rng))
        return rows if label is not None else (rows, self.classes_[codes])

    def decision_boundary(self, first: Any = None, second: Any = None) -> Boundary:
        """Where two classes are equally likely, as a polynomial: x'Ax + b'x + c, above zero where `second` is likelier.

        Parameters
        ----------
        first, second : classes, optional
            By default the two that there are.
        """
        check_fitted(self, "density_")
        a, b = self._pair(first, second)
        return quadratic_form(self._scores()).boundary(self._prior_in_scores(), a, b, self.schema_.names)

    def as_linear(self) -> Softmax:
        """The softmax of affine functions that gives the same posteriors, where the model is linear.

        Bernoulli, multinomial and Poisson features, and Gaussians whose covariance the classes share, are linear.
        """
        check_fitted(self, "density_")
        return quadratic_form(self._scores()).softmax(self._prior_in_scores(), self.classes_, self.schema_.names)

    def _scores(self) -> Evaluated:
        return self.density_

    def _log_prior(self) -> Array:
        return log_of(self.class_prior_)
