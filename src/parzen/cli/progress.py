"""Progress of a command: a line on a terminal that is written over, lines elsewhere."""

import sys
import time

from parzen.cli.terminal import control


class ProgressLine:
    """The stage that a command is at, with the seconds so far, on the error stream.

    On a terminal it is one line, which is cleared at the end of a ``with`` block. Elsewhere, such as in a log, each
    stage has its own line when it begins, and the end has one, too.

    Parameters
    ----------
    quiet : bool
        Whether to show nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr is not None
        self.over = self.shown and sys.stderr.isatty()
        self.begun = time.perf_counter()
        self.stages = 0

    def __call__(self, stage: str) -> None:
        """Show the stage that begins."""
        self.stages += 1
        if self.over:
            control("\r\x1b[K")
            self._write(f"{self._seconds()}  {stage} ...")
        else:
            self._write(f"parzen: {self._seconds()}  {stage}\n")

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.over:
            control("\r\x1b[K")
        elif kind is None and self.stages:
            self._write(f"parzen: {self._seconds()}  done\n")

    def _seconds(self) -> str:
        return f"{time.perf_counter() - self.begun:6.1f} s"

    def _write(self, text: str) -> None:
        if self.shown:
            sys.stderr.write(text)
            sys.stderr.flush()
