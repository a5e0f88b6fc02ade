"""Text for a terminal: control characters, which could move its cursor or change what it shows, are escaped.

Names of columns, files and arrays come from strangers. What a command prints goes through `lines`, and all that is
written to the error stream through `ErrorStream`, so that no message has to think of it.
"""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

#: Control characters, separators of lines, marks that turn the direction of writing, halves of characters.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def escaped(text: str) -> str:
    r"""Text with its control characters as Python writes them.

    Examples
    --------
    >>> print(escaped("a\x1b[2Jb\n"))
    a\x1b[2Jb\n
    """
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def lines(*texts: str) -> str:
    """One line for each text, whatever it holds."""
    return "".join(f"{escaped(text.rstrip())}\n" for text in texts)


def json_line(value: Any) -> str:
    """A value as one line of JSON, which has escapes of its own."""
    text = json.dumps(value, ensure_ascii=False)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


class ErrorStream:
    """The error stream, on which control characters but the ends of lines are escaped; where it is closed, nothing.

    Parameters
    ----------
    stream : the stream that is written to, or None
    """

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text."""
        return self.control("\n".join(escaped(line) for line in text.split("\n")))

    def control(self, text: str) -> int:
        """Write text as it is: the program's own colours and moves of the cursor."""
        return 0 if self.stream is None else self.stream.write(text)

    def flush(self) -> None:
        """Write what is still held back."""
        if self.stream is not None:
            self.stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.stream is not None and self.stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def escaped_errors() -> Iterator[None]:
    """Escape what is written to the error stream within a ``with`` block."""
    before = sys.stderr
    sys.stderr = ErrorStream(before)
    try:
        yield
    finally:
        sys.stderr = before


def control(text: str) -> None:
    """Write colours or moves of the cursor to the error stream, and show them at once."""
    stream: Any = sys.stderr
    (stream.control if isinstance(stream, ErrorStream) else stream.write)(text)
    stream.flush()
