"""The models that a report compares, with the preparation of columns that each of them needs."""

from collections.abc import Sequence
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.families.categorical import Categorical
from parzen.families.gaussian import Gaussian
from parzen.families.kernel import Kernel
from parzen.families.mixture import Mixture
from parzen.families.product import Product

#: Most rows and numeric columns of a joint kernel density, most terms of a quadratic logistic regression.
KERNEL_ROWS, KERNEL_COLUMNS, TERMS = 5_000, 6, 700


def candidates(
    X: Any, numbers: Sequence[str], categories: Sequence[str]
) -> tuple[dict[str, tuple[str, Any]], list[str]]:
    """Models for a table: whether each is generative or discriminative, and the model, by name; notes on others."""
    found: dict[str, tuple[str, Any]] = {"naive Bayes": ("generative", NaiveBayes())}
    notes: list[str] = []
    if numbers:
        found |= _joint_models(numbers, categories)
        note = _no_kernels(len(X), len(numbers))
        if note is None:
            model = imputed(_joint(Kernel(), numbers, categories), numbers, categories)
            found["kernel Bayes"] = ("generative", model)
        else:
            notes.append(note)
    else:
        notes.append("Discriminant analysis is left out: it needs numeric columns.")
    width = len(numbers) + sum(min(int(X[name].nunique()), 20) for name in categories)
    found["logistic, linear"] = ("discriminative", one_hot(LogisticRegression(), numbers, categories))
    if width * (width + 3) // 2 <= TERMS:
        found["logistic, quadratic"] = ("discriminative", one_hot(LogisticRegression(degree=2), numbers, categories))
    else:
        notes.append(f"Quadratic logistic regression is left out: {width} encoded columns have too many products.")
    return found, notes


def _joint_models(numbers: Sequence[str], categories: Sequence[str]) -> dict[str, tuple[str, Any]]:
    families = {
        "linear discriminant": Gaussian(shared=True),
        "quadratic discriminant": Gaussian(),
        "mixture discriminant": Mixture(Gaussian(), 2),
    }
    return {name: ("generative", _joint(family, numbers, categories)) for name, family in families.items()}


def _joint(family: Any, numbers: Sequence[str], categories: Sequence[str]) -> Any:
    """A Bayes classifier: one density of all numeric columns, and independent categories given the class."""
    if categories:
        family = Product({tuple(numbers): family, tuple(categories): Categorical()})
    return BayesClassifier(family, random_state=0)


def _no_kernels(n: int, d: int) -> str | None:
    """Why there is no joint kernel density; None where there can be one."""
    if d > KERNEL_COLUMNS:
        return (
            f"Kernel Bayes is left out: {d} numeric columns are too many for a joint kernel density "
            f"(at most {KERNEL_COLUMNS})."
        )
    if n > KERNEL_ROWS:
        return f"Kernel Bayes is left out: it keeps all rows, and {n:,} are more than {KERNEL_ROWS:,}."
    return None


def one_hot(model: Any, numbers: Sequence[str], categories: Sequence[str]) -> Any:
    """A model of numbers alone: missing numbers replaced by the median and scaled, categories one-hot encoded."""
    steps: list[Any] = []
    if numbers:
        steps.append(("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), list(numbers)))
    if categories:
        fill = SimpleImputer(strategy="constant", fill_value="(missing)", missing_values=None)
        encode = OneHotEncoder(handle_unknown="ignore", max_categories=20, sparse_output=False)
        steps.append(("categories", make_pipeline(fill, encode), list(categories)))
    return make_pipeline(ColumnTransformer(steps), model)


def imputed(model: Any, numbers: Sequence[str], categories: Sequence[str]) -> Any:
    """A model that takes no missing numbers: they are replaced by the median."""
    fill = SimpleImputer(strategy="median").set_output(transform="pandas")
    steps: list[Any] = [("numbers", fill, list(numbers))]
    if categories:
        steps.append(("categories", "passthrough", list(categories)))
    whole = ColumnTransformer(steps, verbose_feature_names_out=False).set_output(transform="pandas")
    return make_pipeline(whole, model)
