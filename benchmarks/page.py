"""The results of a run as docs/benchmarks.md, and eight of their rows as the README's table."""

import ast
from pathlib import Path
from typing import Any

TITLES = {
    "classifiers": "Classifiers",
    "frames": "Naive Bayes of mixed tables, from pandas and polars",
    "logistic": "Logistic regression",
    "windows": "Kernel densities and bandwidths",
    "mixtures": "Mixtures and k-means",
    "small_mixtures": "Mixtures of small tables, from many seeds",
    "small_tables": "Small tables",
    "missing": "Missing cells",
    "clusters": "Clusters of sparse rows, of batches, of small tables",
    "applications": "Regression, conditional densities, outliers",
    "sequences": "Sequences",
    "nets": "Bayes nets",
    "decisions": "Decisions and calibration",
    "log_density": "Gaussian log-densities",
    "moments": "Moments",
    "importing": "Importing",
}

#: The README's rows, by job and peer.
SHOWN = (
    ("GaussianNB.fit, 200,000 x 10, 10 classes", "scikit-learn GaussianNB"),
    ("QuadraticDiscriminantAnalysis.predict, 200,000 x 10, 10 classes", "scikit-learn QuadraticDiscriminantAnalysis"),
    ("MultinomialNB.fit, CSR 100,000 x 50,000, 4.6 million stored, 20 classes", "scikit-learn MultinomialNB"),
    ("GaussianMixture(10).fit, 200,000 x 10, overlapping", "scikit-learn GaussianMixture"),
    ("KDE 20,000 x 20,000, d = 2, rtol 1e-6", "scikit-learn KernelDensity"),
    ("KDE 20,000 x 20,000, d = 8, all pairs", "scikit-learn KernelDensity"),
    ("Nadaraya-Watson, 20,000 x 20,000, d = 2 (peer: 100 queries, times 200)", "statsmodels KernelReg (lc)"),
    ("One step of Baum-Welch, 8 Gaussian states, 4 columns, one sequence of 100,000", "hmmlearn GaussianHMM"),
)

HEADER = ("job", "peer", "ours, ms", "peer, ms", "ratio", "our error", "peer's error")
GROWTH = ("n x 10", "d x 2", "K x 2")
SPEED = "<!-- speed: python -m benchmarks.run --page docs/benchmarks.md -->", "<!-- end of speed -->"

#: What `benchmarks.gpu` writes, and a run on a machine without a GPU leaves as it is.
GPU = "<!-- GPU: python -m benchmarks.gpu --page docs/benchmarks.md -->", "<!-- end of GPU -->"
GPU_TITLE = f"""
## Rows on a GPU

{GPU[0]}
{GPU[1]}
"""

INTRODUCTION = """# Benchmarks

This page is written by `python -m benchmarks.run --page docs/benchmarks.md`, from an earlier run with
`--from results.json`. {machine}

Both libraries do the same job in one process, in turn, on the same data and with the same number of threads. Times are
medians in milliseconds; the ratio is the peer's time divided by ours. Errors are measured for both, against an oracle
in extended precision where there is one. Where the peer is a limit of time, we know of no library that does the job in
reasonable time. Memory is the peak of Python and NumPy during our job, beyond the input, the output included; compiled
routines take some KB more for each thread. The target is the ratio that we aim at. The machine is shared: two runs
differ by up to a third. Rows on a GPU are raced on another machine; its table is the last one.
"""

MEMORY = """
## Memory

Peak memory of other jobs, in MB.

| job | MB |
|---|---:|
"""


def page(results: dict[str, Any], earlier: str = "") -> str:
    """Markdown of all rows, a section for each benchmark with its docstring, which says what the errors are.

    The table of a GPU is that of the earlier page.
    """
    text = INTRODUCTION.format(machine=_machine(results["machine"]))
    measured = {row["benchmark"] for row in results["rows"]}
    for benchmark in [*TITLES, *sorted(measured - set(TITLES))]:
        rows = [row for row in results["rows"] if row["benchmark"] == benchmark]
        if rows:
            title = TITLES.get(benchmark, benchmark)
            text += f"\n## {title}\n\n`python -m benchmarks.run {benchmark}`. {_docstring(benchmark)}\n\n"
            cells = [[*_cells(row), megabytes(row.get("megabytes")), _target(row["target"])] for row in rows]
            text += _table([*HEADER, "our memory, MB", "target"], cells)
    if results.get("growth"):
        text += f"\n## Growth\n\n`python -m benchmarks.run growth`. {_docstring('growth')}\n\n"
        text += _table(["job", "ms", *(cell for name in GROWTH for cell in (name, "theory"))], _growth(results))
    if results["memory"]:
        text += MEMORY + "".join(f"| {row['job']} | {row['megabytes']:.1f} |\n" for row in results["memory"])
    text += GPU_TITLE
    return _between(text, GPU, _parted(earlier, GPU)[1]) if earlier else text


def with_gpu(text: str, printed: str) -> str:
    """The page with what a run on a GPU printed."""
    return _between(text, GPU, f"\n{printed.strip()}\n\n")


def with_speed(readme: str, results: dict[str, Any]) -> str:
    """The README with the rows of SHOWN between its two marks."""
    found = {(row["job"], row["peer"]): _cells(row) for row in results["rows"]}
    if absent := [job for job, peer in SHOWN if (job, peer) not in found]:
        raise SystemExit(f"The README shows {absent[0]!r}, which was not measured: run all benchmarks, or mend SHOWN.")
    return _between(readme, SPEED, "\n" + _table(HEADER, [found[row] for row in SHOWN]))


def _between(text: str, marks: tuple[str, str], content: str) -> str:
    """The text with other content between two marks."""
    before, _, after = _parted(text, marks)
    return f"{before}{marks[0]}{content}{marks[1]}{after}"


def _parted(text: str, marks: tuple[str, str]) -> tuple[str, str, str]:
    """What stands before, between and after two marks."""
    before, begin, rest = text.partition(marks[0])
    content, end, after = rest.partition(marks[1])
    if not (begin and end):
        raise SystemExit(
            f"the page needs the two lines {marks[0]!r} and {marks[1]!r}; what is between them is written."
        )
    return before, content, after


def _table(header: Any, rows: list[list[str]]) -> str:
    lines = [header, ["---", "---", *["---:"] * (len(header) - 2)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cells(row: dict[str, Any]) -> list[str]:
    times = [_number(row[name]) for name in ("ours_ms", "peer_ms", "ratio")]
    errors = [error(row[name]) for name in ("ours_error", "peer_error")]
    return [row["job"], row["peer"], *times[:2], f"{times[2]}x", *errors]


def _growth(results: dict[str, Any]) -> list[list[str]]:
    rows = []
    for one in results["growth"]:
        ratios = ((one["measured"].get(name), one["theory"].get(name, "")) for name in GROWTH)
        cells = (cell for ratio, theory in ratios for cell in ("" if ratio is None else _number(ratio), theory))
        rows.append([one["job"], _number(one["base_ms"]), *cells])
    return rows


def _number(value: float) -> str:
    """Three significant digits, without an exponent."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def error(value: float | None) -> str:
    """One digit of an error."""
    return "" if value is None else f"{value:.0e}" if value else "0"


def megabytes(value: float | None) -> str:
    """Peak memory to a tenth of a MB."""
    return "" if value is None else f"{value:,.1f}" if value >= 0.05 else "< 0.1"


def _target(value: float | None) -> str:
    return "" if value is None else f"{value:,g}x" if value >= 1 else f"1/{1 / value:.0f}x"


def _machine(found: dict[str, Any]) -> str:
    known = ("processor", "cores", "level", "threads", "commit", "python")
    libraries = ", ".join(f"{name} {version}" for name, version in found.items() if name not in known)
    commit = f" of commit {found['commit']}" if found.get("commit") else ""
    return (
        f"The numbers below are a run{commit} on {found['cores']} cores ({found['processor']}, instruction set "
        f"{found['level']}) with {found['threads']} threads: Python {found['python']}, {libraries}."
    )


def _docstring(benchmark: str) -> str:
    found = ast.get_docstring(ast.parse(Path(__file__).with_name(f"{benchmark}.py").read_text()))
    return found or ""
