"""What the parameters of a logistic regression say: its penalty, and which of scikit-learn's rules they break."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.estimators.classify.labels import class_counts
from parzen.families.logistic.penalty import Penalty
from parzen.statistics.messages import caller_stacklevel, plain

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
PENALTIES = ("l1", "l2", "elasticnet")


@dataclass(frozen=True)
class Kind:
    """A kind of penalty, for any weight of the likelihood.

    Attributes
    ----------
    name : "l1", "l2", "elasticnet" or None
    intercept_scaling : float or None
        Of the column of ones whose weight is the intercept, where that is penalised as all others are (liblinear's
        objective); None where the intercept is free.
    """

    name: str | None
    intercept_scaling: float | None

    @classmethod
    def of(cls, estimator: Any, name: str | None) -> "Kind":
        """The kind of penalty of a name with an estimator's solver, or scikit-learn's error that they don't agree."""
        _check_solver(estimator.solver, name, estimator.dual)
        return cls(name, float(estimator.intercept_scaling) if estimator.solver == "liblinear" else None)

    def ratio(self, l1_ratio: float | None) -> float:
        """The share of l1 in the penalty: by its name, or as it was given for an elastic net."""
        return float({"l1": 1.0, "l2": 0.0, None: 0.0}.get(self.name, l1_ratio))  # type: ignore[arg-type]

    def penalty(self, C: float, l1_ratio: float | None) -> Penalty:
        """The penalty for a weight of the likelihood."""
        if self.name is None or np.isinf(C):
            return Penalty()
        share = self.ratio(l1_ratio)
        l1, l2 = share / C, (1.0 - share) / C
        if self.intercept_scaling is None:
            return Penalty(l1, l2)
        return Penalty(l1, l2, l1 / self.intercept_scaling, l2 / self.intercept_scaling**2)


def read_kind(estimator: Any) -> Kind:
    """The kind of penalty that `penalty`, `l1_ratio` and `C` name, with scikit-learn's warnings of old spellings."""
    given, ratio = estimator.penalty, estimator.l1_ratio
    old = not (isinstance(given, str) and given == "deprecated")
    if old:
        name = given
        warn(
            "'penalty' was deprecated in scikit-learn 1.8, which will remove it in 1.10; leave it out and give "
            "l1_ratio or C: l1_ratio=0 for 'l2', 1 for 'l1', a share between them for 'elasticnet', C=inf for None.",
            FutureWarning,
        )
    else:
        name = None if np.isinf(estimator.C) else name_of(ratio)
        if ratio is None:
            warn("'l1_ratio=None' was deprecated in scikit-learn 1.8; give a share from 0 to 1.", FutureWarning)
    kind = Kind.of(estimator, name)
    if name != "elasticnet" and ratio is not None and 0 < ratio < 1:
        warn(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={name})")
    if old and name in ("l1", "l2") and ratio != kind.ratio(None):
        warn(f"Inconsistent values: penalty={name} with l1_ratio={ratio}. {name} is used; leave penalty out.")
    if name == "elasticnet" and ratio is None:
        raise ValueError("l1_ratio must be a number from 0 to 1 where penalty is 'elasticnet', got None.")
    if given is None and estimator.C != 1.0:
        warn("Setting penalty=None will ignore the C and l1_ratio parameters")
    return kind


def name_of(l1_ratio: Any) -> str:
    """What a penalty is called by the share (or shares) of l1 in it."""
    shares = np.asarray(0.0 if l1_ratio is None else l1_ratio, dtype=np.float64)
    if (shares == 0).all():
        return "l2"
    return "l1" if (shares == 1).all() else "elasticnet"


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Warn the caller of the library."""
    warnings.warn(text, kind, stacklevel=caller_stacklevel())


def check_parameters(estimator: Any) -> None:
    """Raise where a parameter that the logistic regressions share is out of its range."""
    choose("solver", estimator.solver, SOLVERS)
    for name in ("fit_intercept", "standardise", "dual"):
        choose(name, getattr(estimator, name), (True, False))
    if estimator.penalty is not None:
        choose("penalty", estimator.penalty, (*PENALTIES, "deprecated"))
    if isinstance(estimator.degree, bool) or estimator.degree not in (1, 2):
        raise ValueError(f"degree must be 1 or 2, got {estimator.degree!r}.")
    if not isinstance(estimator.tol, Real) or not 0 <= float(estimator.tol) < np.inf:
        raise ValueError(f"tol must be a number, not negative, got {estimator.tol!r}.")
    if not isinstance(estimator.max_iter, Integral) or estimator.max_iter < 0:
        raise ValueError(f"max_iter must be a whole number of steps, not negative, got {estimator.max_iter!r}.")
    if not isinstance(estimator.intercept_scaling, Real) or not 0 < float(estimator.intercept_scaling) < np.inf:
        raise ValueError(f"intercept_scaling must be a number above 0, got {estimator.intercept_scaling!r}.")
    if not isinstance(estimator.verbose, Integral | np.bool_) or estimator.verbose < 0:
        raise ValueError(f"verbose must be a whole number, not negative, got {estimator.verbose!r}.")


def check_share(name: str, share: Any) -> None:
    """Raise where a share of l1 is no number from 0 to 1."""
    if not isinstance(share, Real) or not 0 <= float(share) <= 1:
        raise ValueError(f"{name} must be a number from 0 (l2) to 1 (l1), got {share!r}.")


def check_C(name: str, C: Any) -> None:
    """Raise where a weight of the likelihood is no number above zero."""
    if not isinstance(C, Real) or not float(C) > 0:
        raise ValueError(f"{name} must be a number above 0 (inf for no penalty), got {C!r}.")


def check_classes(solver: str, classes: NDArray[Any]) -> None:
    """Raise where a solver stands for an objective that is of two classes only."""
    if solver == "liblinear" and len(classes) > 2:
        raise ValueError(
            f"The 'liblinear' solver does not support multiclass classification, and y holds {len(classes)} classes: "
            "its objective, which penalises the intercept, is of two. Use another solver, or OneVsRestClassifier."
        )


def _check_solver(solver: str, name: str | None, dual: bool) -> None:
    if name == "elasticnet" and solver == "liblinear":
        raise ValueError(f"Only 'saga' solver supports elasticnet penalty, got solver={solver}.")
    if name in ("l1", "elasticnet") and solver not in ("liblinear", "saga"):
        raise ValueError(
            f"Solver {solver} supports only 'l2' or None penalties, got {name}; as in scikit-learn, give "
            f"solver='saga'{' or liblinear' if name == 'l1' else ''}."
        )
    if dual and solver != "liblinear":
        raise ValueError(f"Solver {solver} supports only dual=False, got dual=True.")
    if dual and name == "l1":
        raise ValueError("dual=True goes with the l2 penalty only, got l1; leave dual out.")
    if solver == "liblinear" and name is None:
        raise ValueError("C=np.inf as well as penalty=None is not supported for the liblinear solver; give another.")


def class_weights(class_weight: Any, classes: NDArray[Any], codes: NDArray[np.int32], w: Array | None) -> Array | None:
    """Weight of each class, (K,), or None where all weigh one."""
    if class_weight is None:
        return None
    if isinstance(class_weight, dict):
        known = classes.tolist()
        bare, strange = [one for one in known if one not in class_weight], set(class_weight) - set(known)
        if bare and strange:
            raise ValueError(
                f"class_weight names {plain(strange)}, which is no class, and has no weight for {bare}; the classes "
                f"are {known}."
            )
        by_class = np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)
    else:
        choose("class_weight", class_weight, ("balanced",))
        counts = class_counts(codes, w, len(classes))
        by_class = counts.sum() / (len(classes) * np.where(counts > 0, counts, 1.0))
    if not (np.isfinite(by_class) & (by_class >= 0)).all() or not by_class.any():
        raise ValueError(f"class_weight must be finite, not negative and not all zero, got {class_weight!r}.")
    return by_class
