"""What each command does: it reads, calls the library, and writes."""

import json
import sys
import time
from argparse import Namespace
from typing import Any

import numpy as np

from parzen.cli.examples import example
from parzen.cli.files import Trouble, choose_column, pandas, read_loss, read_table, write, write_table
from parzen.decisions.scores import score_probabilities
from parzen.estimators.classify.bayes import BayesClassifier, GaussianDiscriminant, NaiveBayes
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.density.density import DensityEstimator
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.gaussian import GaussianMixture
from parzen.estimators.outlier.density import DensityOutlier
from parzen.families.categorical import Categorical
from parzen.families.gaussian import Gaussian
from parzen.families.kernel import Kernel
from parzen.families.product import Product
from parzen.report import page, summarise
from parzen.report.columns import USED, as_numbers, as_text, kind_of
from parzen.report.whole import ready
from parzen.smoothing.bandwidth import isj, lscv, scott, silverman, sj
from parzen.statistics.statistic import Statistic
from parzen.storage.files import describe, dumped, load

#: Names of models, and what they are for.
CLASSIFIERS = ("naive", "linear", "quadratic", "kernel-bayes", "logistic")
DENSITIES = ("product", "gaussian", "kernel", "mixture")


class Bar:
    """Progress on a terminal: one line of the error stream, wiped at the end."""

    def __init__(self, quiet: bool) -> None:
        self.on = not quiet and sys.stderr.isatty()
        self.begun = time.perf_counter()

    def __call__(self, what: str) -> None:
        if self.on:
            sys.stderr.write(f"\r\x1b[K{time.perf_counter() - self.begun:6.1f} s  {what} ...")
            sys.stderr.flush()

    def end(self) -> None:
        """Wipe the line."""
        if self.on:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def table_of(args: Namespace) -> tuple[Any, str | None, str]:
    """The table that is asked for, what it predicts by itself, and its name."""
    if args.example and args.file:
        raise Trouble(f"give a file or --example, not both ({args.file!r} and {args.example!r}).")
    if getattr(args, "target", None) is not None and getattr(args, "no_target", False):
        raise Trouble("give --target or --no-target, not both.")
    if args.example:
        frame, target = example(args.example)
        return frame, target, args.example
    if not args.file:
        raise Trouble("give a file, - for a pipe, or --example NAME.")
    frame = read_table(
        args.file, encoding=args.encoding, sep=args.sep, quotes=not args.no_quotes, names=args.names,
        decimal=args.decimal,
    )  # fmt: skip
    frame.columns = [str(name) for name in frame.columns]
    return frame, None, "table" if args.file == "-" else args.file.replace("\\", "/").split("/")[-1]


def tell(args: Namespace, found: dict[str, Any], text: str) -> None:
    """Say a result: in words, or as JSON."""
    sys.stdout.write((json.dumps(found, ensure_ascii=False) if args.json else text).rstrip("\n") + "\n")


# Commands ------------------------------------------------------------------------------------------------------------


def report(args: Namespace) -> None:
    """Make a report."""
    frame, own, name = table_of(args)
    target = args.target if args.target is not None else own
    if args.no_target:
        target = None
    columns = list(frame.columns)
    for wanted in (target, args.text):
        if wanted is not None:
            choose_column(wanted, columns)
    if args.text is not None and target is None:
        raise Trouble("--text needs --target: the class that words are to predict.")
    loss = None
    if args.loss is not None:
        if target is None:
            raise Trouble("--loss needs --target.")
        loss = read_loss(args.loss, sorted({str(one) for one in as_text(frame[target].dropna())}))
    bar = Bar(args.quiet)
    try:
        summary = summarise(frame, target, text=args.text, loss=loss, name=name, progress=bar)
    finally:
        bar.end()
    where = args.output or (None if args.json else "report.html")
    if where is not None:
        write(where, page(summary).encode())
    lines = [summary["models_see"]] if "models_see" in summary else []
    lines += [summary[part]["see"] for part in ("mixture", "outliers") if summary.get(part)]
    tell(args, summary, "\n".join([*lines, *([f"The report is in {where}."] if where else [])]))


def fit(args: Namespace) -> None:
    """Fit a model and write it to a file."""
    frame, own, _ = table_of(args)
    target = args.target if args.target is not None else (None if args.no_target else own)
    if target is not None:
        choose_column(target, list(frame.columns))
    kinds = {name: kind_of(frame[name]) for name in frame.columns if name != target}
    names = [name for name, kind in kinds.items() if kind in USED]
    if not names:
        raise Trouble("no column is left to learn from; parzen report shows what each is.")
    left = [name for name in kinds if name not in names]
    X = ready(frame, names, kinds)
    model = _model(args.model, X, names, target)
    if target is None:
        model.fit(X)
    else:
        known = frame[target].notna().to_numpy()
        y = as_text(frame[target][known]).astype(str)
        many = len(set(y))
        if many < 2:
            raise Trouble(f"the column {target!r} holds {'one class only' if many else 'nothing'}; a target needs two.")
        model.fit(X[known], y)
        model.target_name_ = target
    write(args.output, dumped(model))
    columns, rows = (f"{n:,} {one}{'' if n == 1 else 's'}" for n, one in ((len(names), "column"), (len(frame), "row")))
    said = f"{type(model).__name__} of {columns} and {rows} is in {args.output}."
    if left:
        said += f" Left out: {', '.join(left[:6])}{', ...' if len(left) > 6 else ''}."
    tell(args, {"model": type(model).__name__, "columns": names, "left_out": left, "output": args.output}, said)


def _model(name: str | None, X: Any, names: list[str], target: str | None) -> Any:
    numbers = [one for one in names if X[one].dtype.kind == "f"]
    categories = [one for one in names if one not in numbers]
    allowed = DENSITIES if target is None else CLASSIFIERS
    name = name or allowed[0]
    if name not in allowed:
        raise Trouble(f"--model {name} is none of {', '.join(allowed)}{'' if target else ' (without a target)'}.")
    if name == "naive":
        return NaiveBayes()
    if name == "product":
        parts: dict[Any, Any] = {one: Gaussian() for one in numbers}
        return DensityEstimator(Product({**parts, **({tuple(categories): Categorical()} if categories else {})}))
    if categories:
        raise Trouble(f"--model {name} is for columns of numbers, and {categories[0]!r} is none; leave the option out.")
    if name in ("kernel", "kernel-bayes", "logistic") and X.isna().to_numpy().any():
        raise Trouble(f"--model {name} takes no missing cells; leave the option out.")
    made: dict[str, Any] = {
        "linear": GaussianDiscriminant(shared=True),
        "quadratic": GaussianDiscriminant(),
        "kernel-bayes": BayesClassifier(Kernel()),
        "logistic": LogisticRegression(),
        "gaussian": DensityEstimator(Gaussian()),
        "kernel": KernelDensity(bandwidth="isj" if len(numbers) == 1 else "scott"),
        "mixture": GaussianMixture("auto", random_state=0),
    }
    return made[name]


def _loaded(path: str) -> Any:
    try:
        return load(path)
    except FileNotFoundError:
        raise Trouble(f"there is no file {path!r}.") from None
    except IsADirectoryError:
        raise Trouble(f"{path!r} is a folder; give a model file.") from None


def _rows_for(model: Any, frame: Any) -> Any:
    """The columns that a model was fitted to, as it reads them."""
    wanted = [str(name) for name in getattr(model, "feature_names_in_", [])]
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        choose_column(lacking[0], list(frame.columns))
    numbers = (
        {name: model.schema_.alphabets[j] is None for j, name in enumerate(wanted)} if hasattr(model, "schema_") else {}
    )
    kinds = {name: "number" if numbers.get(name, True) else "category" for name in wanted}
    rows = ready(frame, wanted, kinds)
    for name in wanted:
        if kinds[name] != "number":
            continue
        there, read = int(frame[name].notna().sum()), int(rows[name].notna().sum())
        if there and not read:
            raise Trouble(
                f"the column {name!r} must hold numbers, and holds none; it holds {str(frame[name].iloc[0])!r}."
            )
        if read < there:
            sys.stderr.write(
                f"parzen: {there - read:,} cells of {name!r} are no finite numbers, and are taken as missing.\n"
            )
    return rows


def predict(args: Namespace) -> None:
    """Predict rows of a file."""
    model = _loaded(args.model)
    frame = table_of(args)[0]
    if not hasattr(model, "predict") and not hasattr(model, "score_samples"):
        raise Trouble(f"{args.model!r} holds a {type(model).__name__}, which predicts nothing.")
    X = _rows_for(model, frame)
    out = pandas().DataFrame(index=range(len(X)))
    if hasattr(model, "predict_proba") and hasattr(model, "classes_"):
        posterior = model.predict_proba(X)
        out["predicted"] = model.classes_[posterior.argmax(axis=1)]
        for j, name in enumerate(model.classes_):
            out[f"p({name})"] = posterior[:, j]
    elif hasattr(model, "predict"):
        out["predicted"] = model.predict(X)
    else:
        out["log_density"] = model.score_samples(X)
    write_table(out, args.output, args.json)


def score(args: Namespace) -> None:
    """Score a model on rows of a file."""
    model = _loaded(args.model)
    frame, own, _ = table_of(args)
    if not hasattr(model, "predict_proba") and not hasattr(model, "score_samples"):
        raise Trouble(f"{args.model!r} holds a {type(model).__name__}, which has no score.")
    X = _rows_for(model, frame)
    target = args.target or getattr(model, "target_name_", own)
    if not hasattr(model, "classes_"):
        values = np.asarray(model.score_samples(X))
        found: dict[str, Any] = {"rows": len(values), "log_likelihood": float(values.mean())}
        tell(args, found, f"log-likelihood of a row: {found['log_likelihood']:.4f} ({len(values):,} rows)")
        return
    if target is None:
        raise Trouble("say which column holds the classes by --target.")
    choose_column(target, list(frame.columns))
    known = frame[target].notna().to_numpy()
    if not known.any():
        raise Trouble(f"the column {target!r} holds nothing.")
    y = as_text(frame[target][known]).astype(str)
    strange = sorted(set(y) - {str(one) for one in model.classes_})
    if strange:
        raise Trouble(f"{target!r} holds {strange[0]!r}, which the model was not fitted to.")
    posterior = model.predict_proba(X[known])
    checked = score_probabilities(y, posterior, model.classes_)
    error = checked.calibration_error()
    found = {
        "rows": len(y),
        "accuracy": float((model.classes_[posterior.argmax(axis=1)] == y).mean()),
        "log_loss": float(checked.mean_log_loss),
        "brier": float(checked.brier().score),
        "calibration_error": float(error.expected),
    }
    text = "".join(f"{name.replace('_', ' '):>18}  {value:,.4f}\n" for name, value in found.items() if name != "rows")
    tell(args, found, f"{len(y):,} rows\n{text}")


def sample(args: Namespace) -> None:
    """Draw rows from a model."""
    model = _loaded(args.model)
    if not hasattr(model, "sample"):
        raise Trouble(f"a {type(model).__name__} draws no rows.")
    drawn = model.sample(args.n, random_state=args.seed)
    rows, labels = drawn if isinstance(drawn, tuple) else (drawn, None)
    pd = pandas()
    table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(np.asarray(rows))
    if labels is not None:
        table = table.assign(**{str(getattr(model, "target_name_", "label")): labels})
    write_table(table, args.output, args.json)


def outliers(args: Namespace) -> None:
    """List rows that fit nothing."""
    if not 0 < args.fdr < 1:
        raise Trouble(f"--fdr must lie between 0 and 1, got {args.fdr:g}.")
    frame = table_of(args)[0]
    kinds = {name: kind_of(frame[name]) for name in frame.columns}
    names = [name for name, kind in kinds.items() if kind in USED]
    if not names:
        raise Trouble("no column is left to look at; parzen report shows what each is.")
    X = ready(frame.reset_index(drop=True), names, kinds)
    bar = Bar(args.quiet)
    bar("outliers")
    try:
        model = DensityOutlier().fit(X)
        p, flags = model.p_values(), model.flagged(fdr=args.fdr)
        worst = np.argsort(p, kind="stable")
        worst = worst[flags[worst]] if args.all is False else worst
        reasons = model.explain(X.iloc[worst[:200]]) if len(worst) else None
    finally:
        bar.end()
    out = pandas().DataFrame({"row": worst, "p": p[worst], "flagged": flags[worst]})
    why = [names[int(np.argmax(one))] for one in reasons.contributions] if reasons is not None else []
    out["because"] = [*why, *[""] * (len(out) - len(why))]
    if args.json and args.output is None:
        tell(args, {"rows": len(X), "flagged": int(flags.sum()), "fdr": args.fdr, "worst": out.to_dict("records")}, "")
    else:
        write_table(out, args.output, args.json)


def bandwidth(args: Namespace) -> None:
    """Say what bandwidths the rules choose for columns of numbers."""
    frame = table_of(args)[0]
    names = [choose_column(args.column, list(frame.columns))] if args.column else [
        name for name in frame.columns if kind_of(frame[name]) == "number"
    ]  # fmt: skip
    if not names:
        raise Trouble("no column holds numbers.")
    rules = {"sj": sj, "isj": isj, "lscv": lscv, "silverman": silverman, "scott": scott}
    found = {}
    for name in names:
        if kind_of(frame[name]) not in ("number", "identifier") or frame[name].dtype.kind not in "iuf":
            raise Trouble(
                f"the column {name!r} holds no numbers of many values, but is a column of kind {kind_of(frame[name])}."
            )
        values = as_numbers(frame[name])
        values = values[~np.isnan(values)]
        if len(np.unique(values)) < 2:
            raise Trouble(f"the column {name!r} holds no two different numbers.")
        found[name] = {rule: float(np.ravel(choose(values[:, None]))[0]) for rule, choose in rules.items()}
    wide = max(len(name) for name in found)
    head = " " * wide + "".join(f"{rule:>16}" for rule in rules)
    lines = [f"{name:<{wide}}" + "".join(f"{h:>16.5g}" for h in row.values()) for name, row in found.items()]
    tell(args, found, "\n".join([head, *lines]))


def inspect(args: Namespace) -> None:
    """Say what a model file holds, without making a model of it."""
    try:
        found = describe(args.model)
    except FileNotFoundError:
        raise Trouble(f"there is no file {args.model!r}.") from None
    except IsADirectoryError:
        raise Trouble(f"{args.model!r} is a folder; give a model file.") from None
    arrays = "\n".join(
        f"  {name:<50} {one['dtype']:<8} {' x '.join(str(size) for size in one['shape'])}"
        for name, one in found["arrays"].items()
    )
    text = f"{found['class']}, written by parzen {found['parzen']}, {found['bytes']:,} bytes\n{arrays}"
    tell(args, found, text)


def merge(args: Namespace) -> None:
    """Add models or statistics that were learnt from parts of the rows."""
    total = _loaded(args.models[0])
    for path in args.models[1:]:
        other = _loaded(path)
        if hasattr(total, "merge"):
            total = _carrying(total.merge(other), total)
        elif type(other) is type(total) and isinstance(total, Statistic):
            total = total + other
        else:
            raise Trouble(f"a {type(total).__name__} and a {type(other).__name__} don't add.")
    if not hasattr(total, "merge") and not isinstance(total, Statistic):
        raise Trouble(f"a {type(total).__name__} does not add.")
    write(args.output, dumped(total))
    many = len(args.models)
    tell(args, {"output": args.output, "parts": many}, f"{many} part{'s' * (many > 1)} in {args.output}.")


def _carrying(merged: Any, before: Any) -> Any:
    if hasattr(before, "target_name_"):
        merged.target_name_ = before.target_name_
    return merged
