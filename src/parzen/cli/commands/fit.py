"""``parzen fit``: a model fitted to a table, in a file."""

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from parzen.cli.budget import add_budget
from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.folders import Folder, steady_kinds
from parzen.cli.output import check_output, place, print_result, write_file
from parzen.cli.progress import ProgressLine
from parzen.cli.table import Input, check_column, feature_kinds, labels_of, table_of, target_of
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.families.categorical import Categorical
from parzen.families.gaussian import Gaussian
from parzen.families.product import Product
from parzen.report.best import Best, best_model
from parzen.report.models import TABLE_MODELS, TEXT_MODELS, Model, find_model, nearest_name
from parzen.report.task import CLASSES, predictor_table, predictors
from parzen.storage.files import dumped
from parzen.tables.features import as_labels, column_kinds, feature_table, parse_dates


def _product(numbers: list[str], categories: list[str]) -> Any:
    blocks: dict[Any, Any] = {name: Gaussian() for name in numbers}
    return DensityEstimator(Product(blocks | ({tuple(categories): Categorical()} if categories else {})))


def _kernel(numbers: list[str], categories: list[str]) -> Any:
    return KernelDensity(bandwidth="isj" if len(numbers) == 1 else "scott")


#: Densities by name, made from the names of the numeric and of the categorical columns; the first is the default.
DENSITIES: dict[str, Callable[[list[str], list[str]], Any]] = {
    "product": _product,
    "gaussian": lambda numbers, categories: DensityEstimator(Gaussian()),
    "kernel": _kernel,
    "mixture": lambda numbers, categories: GaussianMixture("auto", random_state=0),
}
#: Densities that take categories, and densities that take no missing values.
TAKE_CATEGORIES, TAKE_NO_MISSING = ("product",), ("kernel",)
#: The name that stands for the model of lowest log loss in a report.
BEST = "best"


class Fitted(NamedTuple):
    """A fitted model, what it is called, its columns, those that were left out, and what else to say of it."""

    model: Any
    name: str
    columns: list[str]
    left_out: list[str]
    best: Best | None = None


def run(args: Namespace) -> None:
    """Fit a model and write it to a file."""
    check_output(args)
    given = table_of(args, every_row=True)
    frame, target = given.frame, target_of(args, given)
    if args.text is not None and target is None:
        raise ArgumentError("--text needs --target, the column to predict.")
    if args.text is not None:
        check_column(args.text, frame)
        if given.folder is not None:
            raise ArgumentError("--text is for one table; of a folder some rows may be drawn: --rows N.")
    found = _density(args.model, given) if target is None else _classifier(args, given, target)
    write_file(args.output, dumped(found.model))
    rows = range(len(frame) if given.folder is None else given.folder.rows)
    of = f"{_count(found.columns, 'column')} and {_count(rows, 'row')}"
    text = f"{_sentence(found.name)} of {of} is {place(args.output)}."
    if found.left_out:
        text += f" Left out: {', '.join(found.left_out[:6])}{', ...' if len(found.left_out) > 6 else ''}."
    result = {
        "model": type(found.model).__name__, "name": found.name, "columns": found.columns, "left_out": found.left_out,
        "output": args.output, "read_as": dict(given.read_as),
    }  # fmt: skip
    if found.best is not None:
        result |= {"held_out": found.best.scores, "notes": found.best.notes}
        print_result(args, result, _said(found.best), *(f"Comparison: {note}" for note in found.best.notes), text)
    else:
        print_result(args, result, text)


def _said(best: Best) -> str:
    log_loss, accuracy = best.scores["log_loss"]["value"], best.scores["accuracy"]["value"]
    return (
        f"{_sentence(best.model.name)} has the lowest log loss on held-out rows: {log_loss:.4g}, "
        f"with an accuracy of {accuracy:.1%}. It is fitted to all rows."
    )


def _classifier(args: Namespace, given: Input, target: str) -> Fitted:
    """A model of the table that reports compare, fitted to the rows with a class."""
    frame = given.frame
    known, y = labels_of(frame, target)
    if len(set(y)) < 2:
        raise CommandError(f"the column {target!r} holds one class only; a target needs at least two.")
    frame = parse_dates(frame.reset_index(drop=True))
    kinds = column_kinds(frame, given.kinds)
    if kinds[target] == "continuous" and len(set(y)) > CLASSES:
        raise CommandError(
            f"the column {target!r} holds {len(set(y)):,} different numbers, and fit makes classifiers; parzen report "
            f"--target {target} compares regressions, and --kinds {target}=categorical takes the numbers for classes."
        )
    chosen = _chosen(args.model, TABLE_MODELS if args.text is None else TEXT_MODELS, "with a target")
    best = None
    with (
        ProgressLine(args.quiet or chosen is not None) as progress,
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        if not args.warnings:
            warnings.simplefilter("ignore")
        if chosen is None:
            best = best_model(
                frame, kinds, target, args.text, random_state=args.seed, progress=progress, budget=args.budget
            )
            chosen = best.model
        progress(chosen.name)
        X, model = (
            _text_rows(args.text, chosen, frame) if args.text is not None else _rows(chosen, frame, kinds, target)
        )
        if given.folder is None:
            model.fit(X[known], y)
        else:
            _fit_folder(model, given.folder, frame, kinds, target)
    model.target_name_ = target
    columns = [str(name) for name in X.columns]
    return Fitted(model, chosen.name, columns, [name for name in kinds if name not in (*columns, target)], best)


def _fit_folder(model: Any, folder: Folder, sample: Any, kinds: dict[str, str], target: str) -> None:
    """Fit a model to all rows of a folder that have a class."""
    numbers, categories = predictors(kinds, target)
    dated = {name: "date" for name in kinds if sample[name].dtype.kind == "M"}

    def rows(frame: Any) -> Any:
        known = frame[frame[target].notna()]
        X = predictor_table(known, numbers, categories, {**kinds, **dated})
        return X.assign(**{target: as_labels(known[target])})

    model.fit(folder.mapped(rows), target=target)


def _text_rows(text: str, chosen: Model, frame: Any) -> tuple[Any, Any]:
    return frame[[text]], chosen.make([], [])


def _rows(chosen: Model, frame: Any, kinds: dict[str, str], target: str) -> tuple[Any, Any]:
    numbers, categories = predictors(kinds, target)
    if not numbers and not categories:
        raise CommandError("no column is left to learn from; parzen report shows the kind of each column.")
    if chosen.numeric and not numbers:
        raise CommandError(f"--model {chosen.short} needs a numeric column, and there is none; leave the option out.")
    return predictor_table(frame, numbers, categories, kinds), chosen.make(numbers, categories)


def _chosen(name: str | None, offered: Sequence[Model], which: str) -> Model | None:
    """The model of a name, by default the first; None for the best."""
    if name is None:
        return offered[0]
    if name.lower() == BEST:
        return None
    found = find_model(name, offered)
    if found is None:
        raise ArgumentError(_unknown(name, [*(one.short for one in offered), *(one.name for one in offered)], which))
    return found


def _unknown(name: str, names: Sequence[str], which: str) -> str:
    near = nearest_name(name, [*names, BEST])
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names)} ({which})."
    return f"there is no model {name!r}; {hint}"


def _density(name: str | None, given: Input) -> Fitted:
    """A density of all columns that can be learnt from."""
    names, kinds = feature_kinds(given.frame, None, given.kinds)
    X = feature_table(given.frame, names, kinds if given.folder is None else steady_kinds(given.frame, kinds))
    name = name or next(iter(DENSITIES))
    if name not in DENSITIES:
        raise ArgumentError(_unknown(name, list(DENSITIES), "without a target"))
    numbers = [one for one in X.columns if X[one].dtype.kind == "f"]
    categories = [one for one in X.columns if one not in numbers]
    if categories and name not in TAKE_CATEGORIES:
        raise CommandError(
            f"--model {name} takes numeric columns only, and {categories[0]!r} is categorical; leave the option out."
        )
    if name in TAKE_NO_MISSING and X.isna().to_numpy().any():
        raise CommandError(f"--model {name} takes no missing values; leave the option out.")
    model = DENSITIES[name](numbers, categories)
    if given.folder is None:
        model.fit(X)
    else:
        steady = steady_kinds(given.frame, kinds)
        model.fit(given.folder.mapped(partial(feature_table, names=names, kinds=steady)))
    return Fitted(model, type(model).__name__, names, [one for one in kinds if one not in names])


def _sentence(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"


def _count(items: Any, noun: str) -> str:
    return f"{len(items):,} {noun}{'' if len(items) == 1 else 's'}"


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    tables, texts = (", ".join(one.short for one in offered) for offered in (TABLE_MODELS, TEXT_MODELS))
    parser.add_argument(
        "--model",
        help=f"with a target: {tables}; with --text: {texts}; a name of the report; or best, the one of lowest log "
        f"loss in a report; without a target: {', '.join(DENSITIES)} (default: the first)",
    )
    parser.add_argument("--text", metavar="COLUMN", help="predict the target from the words of this column")
    add_budget(parser)
    parser.add_argument("-o", "--output", required=True, help="file of the model; - for the standard output")


COMMAND = Command(run, ("table", "selection", "target"), add_options)
