"""The models that a report compares and that the command line fits: one table of them, by name."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from parzen.estimators.classify.aode import AODE
from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.bernoulli_nb import BernoulliNB
from parzen.estimators.classify.complement_nb import ComplementNB
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.multinomial_nb import MultinomialNB
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.estimators.classify.text import TextClassifier
from parzen.estimators.classify.tree_augmented_nb import TreeAugmentedNB
from parzen.families.categorical import Categorical
from parzen.families.gaussian import Gaussian
from parzen.families.kernel import Kernel
from parzen.families.mixture import Mixture
from parzen.families.product import Product

#: Most rows and numeric columns of a joint kernel density, most terms of a quadratic logistic regression.
KERNEL_ROWS, KERNEL_COLUMNS, TERMS = 5_000, 6, 700
#: Most columns of models with a table for every pair of them.
PAIRED_COLUMNS = 60
#: Mixtures of more numeric columns than this have diagonal covariances: full ones of every component and class would
#: have more numbers than most tables determine, and take the cube of the columns' number to compute.
FULL_COLUMNS = 30


class Named(Protocol):
    """What has a name in a report, and a short one."""

    @property
    def name(self) -> str:
        """Its name in a report."""

    @property
    def short(self) -> str:
        """Its name for the command line."""


M = TypeVar("M", bound=Named)


@dataclass(frozen=True)
class Model:
    """A model of a table, or of a column of texts.

    Attributes
    ----------
    name : str
        What a report calls it.
    short : str
        What the command line calls it.
    kind : "generative" or "discriminative"
    make : function of the names of the numeric and of the categorical columns
        A new estimator that a model file can hold.
    numeric : bool
        Whether it needs a numeric column.
    """

    name: str
    short: str
    kind: str
    make: Callable[[Sequence[str], Sequence[str]], Any]
    numeric: bool = False


def _joint(family: Any) -> Callable[[Sequence[str], Sequence[str]], Any]:
    """A Bayes classifier: one density of all numeric columns, and independent categories given the class."""

    def make(numbers: Sequence[str], categories: Sequence[str]) -> Any:
        if not categories:
            return BayesClassifier(family, random_state=0)
        return BayesClassifier(Product({tuple(numbers): family, tuple(categories): Categorical()}), random_state=0)

    return make


def _mixtures(numbers: Sequence[str], categories: Sequence[str]) -> Any:
    """A Bayes classifier whose density of the numeric columns is a mixture of two Gaussians, from one start of EM."""
    shape = "full" if len(numbers) <= FULL_COLUMNS else "diag"
    return _joint(Mixture(Gaussian(shape), 2, init="kmeans"))(numbers, categories)


def _words(classifier: Any) -> Callable[[Sequence[str], Sequence[str]], Any]:
    return lambda numbers, categories: TextClassifier(classifier)


TABLE_MODELS = (
    Model("naive Bayes", "naive", "generative", lambda numbers, categories: NaiveBayes()),
    Model("tree-augmented naive Bayes", "tree", "generative", lambda numbers, categories: TreeAugmentedNB()),
    Model("averaged one-dependence", "aode", "generative", lambda numbers, categories: AODE()),
    Model("linear discriminant", "linear", "generative", _joint(Gaussian(shared=True)), numeric=True),
    Model("quadratic discriminant", "quadratic", "generative", _joint(Gaussian()), numeric=True),
    Model("mixture discriminant", "mixture", "generative", _mixtures, numeric=True),
    Model("kernel Bayes", "kernel-bayes", "generative", _joint(Kernel(incomplete="drop")), numeric=True),
    Model(
        "logistic, linear", "logistic", "discriminative",
        lambda numbers, categories: LogisticRegression(standardise=True),
    ),
    Model(
        "logistic, quadratic", "logistic-quadratic", "discriminative",
        lambda numbers, categories: LogisticRegression(degree=2, standardise=True),
    ),
)  # fmt: skip
TEXT_MODELS = (
    Model("multinomial naive Bayes", "multinomial", "generative", _words(MultinomialNB())),
    Model("Bernoulli naive Bayes", "bernoulli", "generative", _words(BernoulliNB())),
    Model("complement naive Bayes", "complement", "generative", _words(ComplementNB())),
    Model("logistic, linear", "logistic", "discriminative", _words(LogisticRegression(max_iter=300))),
)


def find_model(name: str, offered: Sequence[M]) -> M | None:
    """A model by its name in a report or by its short one, in any case and punctuation; None where there is none."""
    return next((one for one in offered if _plain(name) in (_plain(one.name), _plain(one.short))), None)


def nearest_name(name: str, names: Sequence[str]) -> str | None:
    """The name that is most like another, if one is."""
    from difflib import get_close_matches

    near = get_close_matches(_plain(name), {_plain(one): one for one in names}, n=1)
    return next((one for one in names if near and _plain(one) == near[0]), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def candidates(
    X: Any, numbers: Sequence[str], categories: Sequence[str]
) -> tuple[dict[str, tuple[str, Any]], list[str]]:
    """Models for a table: whether each is generative or discriminative, and the model, by name; notes on others."""
    reasons = _reasons(X, numbers, categories)
    found = {
        one.name: (one.kind, one.make(numbers, categories))
        for one in TABLE_MODELS
        if one.name not in reasons and (numbers or not one.numeric)
    }
    notes = [f"{name[0].upper()}{name[1:]} is left out: {why}" for name, why in reasons.items()]
    if len(numbers) > FULL_COLUMNS:
        notes.append(
            f"The mixture discriminant has diagonal covariances: {len(numbers)} numeric columns are more than "
            f"{FULL_COLUMNS}."
        )
    if not numbers:
        notes.insert(0, "Discriminant analysis and kernel Bayes are left out: they need numeric columns.")
    return found, notes


def _reasons(X: Any, numbers: Sequence[str], categories: Sequence[str]) -> dict[str, str]:
    """Why models are left out that this table is too large for."""
    out, n, d = {}, len(X), len(numbers)
    if d > KERNEL_COLUMNS:
        out["kernel Bayes"] = f"{d} numeric columns are too many for a joint kernel density (at most {KERNEL_COLUMNS})."
    elif d and n > KERNEL_ROWS:
        out["kernel Bayes"] = f"it keeps all rows, and {n:,} are more than {KERNEL_ROWS:,}."
    if d + len(categories) > PAIRED_COLUMNS:
        why = f"{d + len(categories)} columns have too many pairs (at most {PAIRED_COLUMNS} columns)."
        out |= {"tree-augmented naive Bayes": why, "averaged one-dependence": why}
    width = d + sum(int(X[name].nunique()) for name in categories)
    if width * (width + 3) // 2 > TERMS:
        out["logistic, quadratic"] = f"{width:,} columns of numbers and categories have too many products."
    return out
