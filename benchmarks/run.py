"""python -m benchmarks.run [names]: time our estimators and those of other libraries on the same jobs.

Each module of this folder with a function `rows` is one benchmark. `--page` writes the results as a page and copies
some rows into the README; with `--from results.json` it does so from an earlier run, and nothing is measured. With
`--keep` a run goes on where an earlier one of the same commit and machine was cut off.
"""

import argparse
import importlib
import json
from pathlib import Path

from benchmarks import harness, page


def main() -> None:
    every = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef rows(" in path.read_text())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=every, help=f"of {', '.join(every)}; all by default")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"), help="folder for results.json")
    parser.add_argument("--from", type=Path, dest="earlier", help="results.json of an earlier run")
    parser.add_argument("--keep", action="store_true", help="leave out what the results in --out have already")
    parser.add_argument("--page", type=Path, help="the page to write, docs/benchmarks.md")
    parser.add_argument(
        "--readme", type=Path, default=Path("README.md"), help="where some rows of the page are copied to"
    )
    asked = parser.parse_args()
    path = asked.earlier or measured(asked.names, asked.out, asked.keep)
    results = json.loads(path.read_text())
    written = asked.page or path.with_suffix(".md")
    if asked.page:
        asked.readme.write_text(page.with_speed(asked.readme.read_text(), results))
    written.write_text(page.page(results, written.read_text() if asked.page and written.exists() else ""))
    print(f"Results are in {path} and {written}.")


def measured(names: list[str], folder: Path, keep: bool = False) -> Path:
    """Run benchmarks, and write what is known after each: a run that is cut off keeps those that ended."""
    results = harness.read(folder) if keep else {}
    for name in names:
        if name not in results:
            results[name] = measure(name)
            harness.write(results, folder)
    return folder / harness.RESULTS


def measure(name: str) -> list[harness.Row | harness.Memory | harness.Growth]:
    """Run one benchmark, and print each row when it is known."""
    rows = []
    for row in importlib.import_module(f"benchmarks.{name}").rows():
        rows.append(row)
        if isinstance(row, harness.Memory):
            print(f"{row.job}: {row.megabytes:.1f} MB", flush=True)
        elif isinstance(row, harness.Growth):
            grows = (f"{name} {ratio:.1f}x ({row.theory[name]})" for name, ratio in row.measured.items())
            print(f"{row.job}: {row.base_ms:.3g} ms; {', '.join(grows)}", flush=True)
        else:
            print(
                f"{row.job}: {row.ours_ms:.3g} ms, {row.peer} {row.peer_ms:.3g} ms: {row.ratio:.1f}x; errors "
                f"{page.error(row.ours_error) or '-'}, {page.error(row.peer_error) or '-'}; "
                f"{page.megabytes(row.megabytes) or '-'} MB",
                flush=True,
            )
    return rows


if __name__ == "__main__":
    main()
