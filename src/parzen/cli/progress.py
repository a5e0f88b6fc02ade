"""Progress of a command, on a terminal."""

import sys
import time

from parzen.cli.terminal import control


class ProgressLine:
    """One line of the error stream, with the seconds so far; it is cleared at the end of a ``with`` block.

    Parameters
    ----------
    quiet : bool
        Whether to show nothing; nothing is shown either where the error stream is not a terminal.
    """

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self.begun = time.perf_counter()

    def __call__(self, stage: str) -> None:
        """Show the stage that begins."""
        if self.shown:
            control("\r\x1b[K")
            sys.stderr.write(f"{time.perf_counter() - self.begun:6.1f} s  {stage} ...")
            sys.stderr.flush()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            control("\r\x1b[K")
