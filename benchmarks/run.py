"""python -m benchmarks.run [names]: time our estimators and those of other libraries on the same jobs.

Each module of this folder with a function `rows` is one benchmark. `--page` writes the results as a page and copies
some rows into the README; with `--from results.json` it does so from an earlier run, and nothing is measured.
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
    parser.add_argument("--page", type=Path, help="the page to write, docs/benchmarks.md")
    parser.add_argument(
        "--readme", type=Path, default=Path("README.md"), help="where some rows of the page are copied to"
    )
    asked = parser.parse_args()
    path = asked.earlier or measured(asked.names, asked.out)
    results = json.loads(path.read_text())
    written = asked.page or path.with_suffix(".md")
    if asked.page:
        asked.readme.write_text(page.with_speed(asked.readme.read_text(), results))
    written.write_text(page.page(results, written.read_text() if asked.page and written.exists() else ""))
    print(f"Results are in {path} and {written}.")


def measured(names: list[str], folder: Path) -> Path:
    """Run benchmarks, and write what is known after each: a run that is cut off keeps those that ended."""
    results: dict[str, list[harness.Row | harness.Memory | harness.Growth]] = {}
    for name in names:
        results[name] = measure(name)
        path = harness.write(results, folder)
    return path


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
