"""Progress of a command: a line on a terminal that is written over, lines elsewhere."""

import sys
import time

from parzen.cli.terminal import control

#: Seconds between lines, where there is no terminal.
EVERY = 0.5


class ProgressLine:
    """The stage that a command is at, with the seconds so far, on the error stream.

    On a terminal it is one line, which is cleared at the end of a ``with`` block. Elsewhere, such as in a log, a stage
    has its own line when it begins, unless the one before has just begun, and the end has one, too.

    Parameters
    ----------
    quiet : bool
        Whether to show nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr is not None
        self.over = self.shown and sys.stderr.isatty()
        self.begun = time.perf_counter()
        self.written = -EVERY

    def __call__(self, stage: str) -> None:
        """Show the stage that begins."""
        if self.over:
            control("\r\x1b[K")
            self._write(f"{self._seconds()}  {stage} ...")
        elif time.perf_counter() - self.written >= EVERY:
            self.written = time.perf_counter()
            self._write(f"parzen: {self._seconds()}  {stage}\n")

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.over:
            control("\r\x1b[K")
        elif kind is None and self.written > 0:
            self._write(f"parzen: {self._seconds()}  done\n")

    def _seconds(self) -> str:
        return f"{time.perf_counter() - self.begun:6.1f} s"

    def _write(self, text: str) -> None:
        if self.shown:
            sys.stderr.write(text)
            sys.stderr.flush()
