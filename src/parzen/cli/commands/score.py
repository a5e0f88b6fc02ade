"""``parzen score``: how well a model predicts the rows of a table."""

from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

from parzen.cli.command import Command
from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.folder_jobs import scores_of_folder
from parzen.cli.model import kinds_of, load_model, rows_for
from parzen.cli.output import print_result
from parzen.cli.table import check_column, labels_of, table_of
from parzen.decisions.scores import score_probabilities


def run(args: Namespace) -> None:
    """Score a model on the rows of a table: predicted probabilities, or the mean log-likelihood of a density."""
    model = load_model(args.model)
    given = table_of(args, kinds_of(model), every_row=True)
    if not hasattr(model, "predict_proba") and not hasattr(model, "score_samples"):
        raise CommandError(f"{args.model!r} holds a {type(model).__name__}, which has no score.")
    found: dict[str, Any]
    if given.folder is not None:
        target = args.target or getattr(model, "target_name_", None)
        if hasattr(model, "classes_") and target is None:
            raise ArgumentError("give the column that holds the classes by --target.")
        found = scores_of_folder(model, given.folder, target if hasattr(model, "classes_") else None)
        lines = (f"{name.replace('_', ' '):>28}  {value:,.4f}" for name, value in found.items() if name != "rows")
        print_result(args, {**found, "read_as": {}}, f"{found['rows']:,} rows", *lines)
        return
    X = rows_for(model, given.frame)
    if not hasattr(model, "classes_"):
        values = np.asarray(model.score_samples(X))
        found = {"rows": len(values), "log_likelihood": float(values.mean())}
        text = f"mean log-likelihood of a row: {found['log_likelihood']:.4f} ({len(values):,} rows)"
        print_result(args, {**found, "read_as": dict(given.read_as)}, text)
        return
    target = args.target or getattr(model, "target_name_", given.target)
    if target is None:
        raise ArgumentError("give the column that holds the classes by --target.")
    found = _scores(model, X, *labels_of(given.frame, check_column(target, given.frame)), target)
    lines = (f"{name.replace('_', ' '):>28}  {value:,.4f}" for name, value in found.items() if name != "rows")
    print_result(args, {**found, "read_as": dict(given.read_as)}, f"{found['rows']:,} rows", *lines)


def _scores(model: Any, X: Any, known: Any, y: Any, target: str) -> dict[str, Any]:
    classes = np.array([str(one) for one in model.classes_])
    new = sorted(set(y.tolist()) - set(classes.tolist()))
    if new:
        raise CommandError(f"{target!r} holds the class {new[0]!r}, which the model was not fitted to.")
    posterior = model.predict_proba(X[known])
    scored = score_probabilities(y, posterior, classes)
    return {
        "rows": len(y),
        "accuracy": float((classes[posterior.argmax(axis=1)] == y).mean()),
        "log_loss": float(scored.mean_log_loss),
        "brier_score": float(scored.brier().score),
        "expected_calibration_error": float(scored.calibration_error().expected),
    }


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--target", metavar="COLUMN", help="the column of the classes (default: as in fitting)")


COMMAND = Command(run, ("model", "table"), add_options)
