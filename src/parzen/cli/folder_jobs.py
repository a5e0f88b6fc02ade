"""What commands do with the rows of a folder: batch by batch, never all at once."""

import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from parzen.cli.errors import CommandError
from parzen.cli.files import LINES, PARQUET, TSV, pandas
from parzen.cli.folders import Folder, steady_kinds
from parzen.cli.model import rows_for
from parzen.cli.output import standard_output
from parzen.cli.table import check_column
from parzen.decisions.p_values import benjamini_hochberg
from parzen.decisions.scores import score_probabilities
from parzen.report.models import TABLE_MODELS
from parzen.report.task import predictor_table, predictors
from parzen.tables.features import as_labels, column_kinds, parse_dates


def scores_of_folder(model: Any, folder: Folder, target: str | None) -> dict[str, Any]:
    """Scores of a model on all rows: sums over batches."""
    if target is None:
        rows, total = 0, 0.0
        for frame in folder.frames():
            values = np.asarray(model.score_samples(rows_for(model, frame)))
            rows, total = rows + len(values), total + float(values.sum())
        return {"rows": rows, "log_likelihood": total / max(rows, 1)}
    classes = np.array([str(one) for one in model.classes_])
    rows, right, scored = 0, 0, None
    for frame in folder.frames():
        known = frame[check_column(target, frame)].notna().to_numpy()
        if not known.any():
            continue
        y = as_labels(frame[target][known]).astype(str)
        new = sorted(set(y.tolist()) - set(classes.tolist()))
        if new:
            raise CommandError(f"{target!r} holds the class {new[0]!r}, which the model was not fitted to.")
        posterior = model.predict_proba(rows_for(model, frame[known]))
        part = score_probabilities(y, posterior, classes)
        scored = part if scored is None else scored + part
        rows, right = rows + len(y), right + int((classes[posterior.argmax(axis=1)] == y).sum())
    if scored is None:
        raise CommandError(f"the column {target!r} has no values; it must hold the classes.")
    return {
        "rows": rows,
        "accuracy": right / rows,
        "log_loss": float(scored.mean_log_loss),
        "brier_score": float(scored.brier().score),
        "expected_calibration_error": float(scored.calibration_error().expected),
    }


def scored_on_all(folder: Folder, sample: Any, target: str) -> dict[str, Any] | None:
    """Scores on all rows of naive Bayes that is fitted to a sample; None where that has no class of some rows."""
    frame = sample[sample[target].notna()].reset_index(drop=True)
    kinds = steady_kinds(frame, column_kinds(parse_dates(frame)))
    numbers, categories = predictors(kinds, target)
    if not numbers and not categories:
        return None
    model = TABLE_MODELS[0].make(numbers, categories)
    model.fit(predictor_table(frame, numbers, categories, kinds), as_labels(frame[target]).astype(str))
    try:
        return scores_of_folder(model, folder, target)
    except CommandError:
        return None


def outliers_of_folder(model: Any, folder: Folder, features: Callable[[Any], Any], fdr: float) -> tuple[int, Any, Any]:
    """How many rows there are; numbers and p-values of those that are outliers among all, the least first; their cells.

    Only p-values up to the rate are kept: no other row can be flagged.
    """
    begin, numbers, values, cells = 0, [], [], []
    for frame in folder.frames():
        X = features(frame)
        p = model.p_values(X)
        own = np.flatnonzero(p <= fdr)
        numbers.append(begin + own)
        values.append(p[own])
        cells.append(X.iloc[own])
        begin += len(frame)
    rows, p = np.concatenate(numbers), np.concatenate(values)
    flags = benjamini_hochberg(np.append(p, np.ones(begin - len(p))), fdr)[: len(p)] if len(p) else np.zeros(0, bool)
    order = np.flatnonzero(flags)
    order = order[np.argsort(p[order], kind="stable")]
    table = pandas().concat(cells).iloc[order]
    return begin, pandas().DataFrame({"row": rows[order], "p_value": p[order], "flagged": True}), table


def missing_in_folder(folder: Folder) -> dict[str, int]:
    """How many cells of each column are missing, in all rows."""
    found: dict[str, int] = {}
    for frame in folder.frames():
        for name, count in frame.isna().sum().items():
            found[str(name)] = found.get(str(name), 0) + int(count)
    return found


def write_batches(tables: Iterator[Any], path: str | None, args: Namespace) -> None:
    """Write tables of one kind one after another, to a file that is there whole or not at all, or to the output."""
    plain = "" if path is None else path.removesuffix(".gz").lower()
    if path is None or path == "-":
        write = _text_writer(standard_output(), plain, args.json)
        for table in tables:
            write(table)
        return
    target = Path(path)
    draft = target.with_name(f".parzen-{os.urandom(8).hex()}{'.gz' if path.endswith('.gz') else ''}")
    try:
        if plain.endswith(PARQUET):
            _write_parquet(tables, draft)
        else:
            with pandas().io.common.get_handle(draft, "wb", compression="infer", is_text=False) as handles:
                write = _text_writer(handles.handle, plain, args.json)
                for table in tables:
                    write(table)
        draft.replace(target)
    except OSError as error:
        raise CommandError(f"{path!r} can't be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _write_parquet(tables: Iterator[Any], draft: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    writer: Any = None
    try:
        for one in tables:
            table = pa.Table.from_pandas(one, preserve_index=False)
            writer = writer or parquet.ParquetWriter(draft, table.schema)
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _text_writer(stream: Any, plain: str, as_json: bool) -> Callable[[Any], None]:
    first = [True]

    def write(table: Any) -> None:
        if plain.endswith(LINES) or as_json:
            text = table.to_json(orient="records", lines=True)
        else:
            text = table.to_csv(index=False, header=first[0], sep="\t" if plain.endswith(TSV) else ",")
        first[0] = False
        stream.write(text.encode())

    return write
