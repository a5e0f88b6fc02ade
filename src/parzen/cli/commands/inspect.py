"""``parzen inspect``: what a model file holds."""

from argparse import Namespace

from parzen.cli.command import Command
from parzen.cli.model import describe_model
from parzen.cli.output import print_result


def run(args: Namespace) -> None:
    """Print the class, the version and the arrays of a model file."""
    found = describe_model(args.model)
    arrays = (
        f"  {name:<50} {one['dtype']:<8} {' x '.join(str(size) for size in one['shape'])}"
        for name, one in found["arrays"].items()
    )
    print_result(
        args, found, f"{found['class']}, written by parzen {found['parzen']}, {found['bytes']:,} bytes", *arrays
    )


COMMAND = Command(run, ("model",))
