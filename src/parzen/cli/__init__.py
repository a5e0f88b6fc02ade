"""The command line: ``parzen report data.csv``, and the library's models on files and through pipes."""

import os
import signal
import sys
from typing import Any


def run() -> None:
    """Run the console script; an interruption ends it at once, also while libraries are imported."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may ask to ignore interruptions
        signal.signal(signal.SIGINT, _stop)
    from parzen.cli.main import main

    raise SystemExit(main())


def _stop(*_: Any) -> None:
    """End the process. An exception could be lost here: within an import it comes out as another error, or printed."""
    try:
        remove = getattr(sys.modules.get("parzen.storage.files"), "remove_unfinished", None)
        if remove is not None:  # its module may be half imported
            remove()
        os.write(2, b"\nparzen: stopped.\n")
    finally:
        os._exit(130)
