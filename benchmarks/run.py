"""python -m benchmarks.run [names] [--out folder]: race us against the peers, one file of this folder a hot path."""

import argparse
import importlib
import json
import pkgutil
from pathlib import Path

import benchmarks
from benchmarks import harness


def main() -> None:
    every = sorted(
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name not in ("harness", "odds", "run")
    )
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=every, help=f"of {', '.join(every)}; all by default")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    asked = parser.parse_args()
    rows = []
    for name in asked.names:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            rows.append(row)
            if isinstance(row, harness.Memory):
                print(f"{row.job}: {row.megabytes:.1f} MB", flush=True)
                continue
            print(f"{row.job}: {row.ours_ms:.3g} ms, {row.peer} {row.peer_ms:.3g} ms: {row.ratio:.1f}x", flush=True)
    path = harness.write(rows, asked.out)
    print(f"\n{harness.table(json.loads(path.read_text()))}\nResults are in {path} and {path.with_suffix('.md')}.")


if __name__ == "__main__":
    main()
