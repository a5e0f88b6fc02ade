"""The budget of time that commands give to each model."""

from argparse import ArgumentParser, ArgumentTypeError


def add_budget(parser: ArgumentParser) -> None:
    """Add the option of the seconds that a fit may take."""
    parser.add_argument(
        "--budget", metavar="SECONDS", type=_seconds, help="leave out models whose fit takes longer (default: 20)"
    )


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ArgumentTypeError(f"must be a number of seconds above 0, got {text!r}")
    return value
