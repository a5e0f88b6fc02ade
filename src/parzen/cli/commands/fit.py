"""``parzen fit``: a model fitted to a table, in a file."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.output import check_output, place, print_result, write_file
from parzen.cli.table import feature_kinds, labels_of, table_of, target_of
from parzen.estimators.classify.bayes_classifier import BayesClassifier
from parzen.estimators.classify.gaussian_discriminant import GaussianDiscriminant
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.families.categorical import Categorical
from parzen.families.gaussian import Gaussian
from parzen.families.kernel import Kernel
from parzen.families.product import Product
from parzen.storage.files import dumped
from parzen.tables.features import feature_table


def _product(numbers: list[str], categories: list[str]) -> Any:
    blocks: dict[Any, Any] = {name: Gaussian() for name in numbers}
    return DensityEstimator(Product(blocks | ({tuple(categories): Categorical()} if categories else {})))


def _kernel(numbers: list[str], categories: list[str]) -> Any:
    return KernelDensity(bandwidth="isj" if len(numbers) == 1 else "scott")


#: Models by name, made from the names of the numeric and of the categorical columns; the first is the default.
CLASSIFIERS: dict[str, Callable[[list[str], list[str]], Any]] = {
    "naive": lambda numbers, categories: NaiveBayes(),
    "linear": lambda numbers, categories: GaussianDiscriminant(shared=True),
    "quadratic": lambda numbers, categories: GaussianDiscriminant(),
    "kernel-bayes": lambda numbers, categories: BayesClassifier(Kernel()),
    "logistic": lambda numbers, categories: LogisticRegression(),
}
DENSITIES: dict[str, Callable[[list[str], list[str]], Any]] = {
    "product": _product,
    "gaussian": lambda numbers, categories: DensityEstimator(Gaussian()),
    "kernel": _kernel,
    "mixture": lambda numbers, categories: GaussianMixture("auto", random_state=0),
}
#: Models that take categories, and models that take no missing values.
TAKE_CATEGORIES, TAKE_NO_MISSING = ("naive", "product"), ("kernel", "kernel-bayes", "logistic")


def run(args: Namespace) -> None:
    """Fit a model and write it to a file."""
    check_output(args)
    given = table_of(args)
    frame, target = given.frame, target_of(args, given)
    names, kinds = feature_kinds(frame, target, given.kinds)
    X = feature_table(frame, names, kinds)
    model = _model(args.model, X, target)
    if target is None:
        model.fit(X)
    else:
        known, y = labels_of(frame, target)
        if len(set(y)) < 2:
            raise CommandError(f"the column {target!r} holds one class only; a target needs at least two.")
        model.fit(X[known], y)
        model.target_name_ = target
    write_file(args.output, dumped(model))
    left_out = [name for name in kinds if name not in names]
    text = f"{type(model).__name__} of {_count(names, 'column')} and {_count(frame, 'row')} is {place(args.output)}."
    if left_out:
        text += f" Left out: {', '.join(left_out[:6])}{', ...' if len(left_out) > 6 else ''}."
    result = {"model": type(model).__name__, "columns": names, "left_out": left_out, "output": args.output}
    result["read_as"] = dict(given.read_as)
    print_result(args, result, text)


def _model(name: str | None, X: Any, target: str | None) -> Any:
    offered = DENSITIES if target is None else CLASSIFIERS
    name = name or next(iter(offered))
    if name not in offered:
        which = "without a target" if target is None else "with a target"
        raise ArgumentError(f"--model {name} is none of {', '.join(offered)} ({which}).")
    numbers = [one for one in X.columns if X[one].dtype.kind == "f"]
    categories = [one for one in X.columns if one not in numbers]
    if categories and name not in TAKE_CATEGORIES:
        raise CommandError(
            f"--model {name} takes numeric columns only, and {categories[0]!r} is categorical; leave the option out."
        )
    if name in TAKE_NO_MISSING and X.isna().to_numpy().any():
        raise CommandError(f"--model {name} takes no missing values; leave the option out.")
    return offered[name](numbers, categories)


def _count(items: Any, noun: str) -> str:
    return f"{len(items):,} {noun}{'' if len(items) == 1 else 's'}"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    offered = f"with a target: {', '.join(CLASSIFIERS)}; without: {', '.join(DENSITIES)}"
    parser.add_argument("--model", help=f"{offered} (default: the first)")
    parser.add_argument("-o", "--output", required=True, help="file of the model; - for the standard output")


COMMAND = Command(run, ("table", "selection", "target"), add_options)
