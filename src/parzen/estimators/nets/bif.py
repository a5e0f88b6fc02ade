"""Bayes nets in the Bayesian Interchange Format (BIF): text that is read and written, and never executed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parzen.compute.arrays import Array

#: Longest file that is read, in characters, and most cells of all its tables.
LONGEST, MOST_CELLS = 2**28, 2**26

#: Space and comments, a comment that has no end, and what a file says: texts in quotation marks, marks and words.
TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?(?:\*/|(?P<open>\Z))|(?P<token>"[^"\n]*"|[{}()\[\];,|]|[^\s{}()\[\];,|"]+)', flags=re.DOTALL
)


@dataclass(frozen=True)
class Tables:
    """Named nodes with states, parents and conditional probabilities.

    Attributes
    ----------
    states : dict from a node to its states
    parents : dict from a node to its parents
    tables : dict from a node to its table: dimensions are the parents and, last, the node
    """

    states: dict[str, tuple[str, ...]]
    parents: dict[str, tuple[str, ...]]
    tables: dict[str, Array]


class _Reader:
    """Tokens of a text, one after the other, with the line of the last for errors.

    A text in quotation marks keeps the first of them, so that it is never taken for a mark of the format.
    """

    def __init__(self, text: str) -> None:
        self.tokens: Iterator[tuple[str, int]] = self._split(text)
        self.line = 1
        self.ahead: str | None = None

    def _split(self, text: str) -> Iterator[tuple[str, int]]:
        at, line = 0, 1
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None or match["open"] is not None:
                raise ValueError(f"line {line}: {text[at : at + 20]!r} is not BIF; is a quotation mark or */ missing?")
            if match["token"] is not None:
                yield match["token"].removesuffix('"'), line
            line += text.count("\n", at, match.end())
            at = match.end()

    def next(self) -> str:
        """The next token; an error at the end of the file."""
        if self.ahead is not None:
            token, self.ahead = self.ahead, None
            return token
        found = next(self.tokens, None)
        if found is None:
            raise ValueError(f"the file ends after line {self.line} in the middle of a block; it was cut off.")
        self.line = found[1]
        return found[0]

    def name(self) -> str:
        """The next token as a name."""
        return _unquoted(self.next())

    def more(self) -> bool:
        """Whether a token is left."""
        if self.ahead is None:
            found = next(self.tokens, None)
            if found is None:
                return False
            self.ahead, self.line = found
        return True

    def expect(self, *wanted: str) -> str:
        """The next token, which must be one of these."""
        token = self.next()
        if token not in wanted:
            raise ValueError(f"line {self.line}: expected {' or '.join(map(repr, wanted))}, got {token!r}.")
        return token

    def until(self, *ends: str) -> list[str]:
        """Names before one of these, without commas."""
        found = []
        while (token := self.next()) not in ends:
            if token in "{}();|":
                raise ValueError(f"line {self.line}: expected {' or '.join(map(repr, ends))}, got {token!r}.")
            if token != ",":
                found.append(_unquoted(token))
        return found

    def skip_block(self) -> None:
        """Pass over a block in braces."""
        self.expect("{")
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.next(), 0)


def _unquoted(token: str) -> str:
    return token.removeprefix('"')


def parse_bif(text: str) -> Tables:
    """The net that a text in BIF describes."""
    if len(text) > LONGEST:
        raise ValueError(f"the text has {len(text):,} characters; a net of at most {LONGEST:,} is read.")
    reader = _Reader(text)
    found = Tables({}, {}, {})
    cells = 0
    while reader.more():
        block = reader.expect("network", "variable", "probability")
        if block == "network":
            while reader.more() and reader.ahead != "{":
                reader.next()
            reader.skip_block()
        elif block == "variable":
            _variable(reader, found)
        else:
            cells += _probability(reader, found, MOST_CELLS - cells)
    lacking = [node for node in found.states if node not in found.tables]
    if lacking or not found.states:
        what = f"no probabilities of {lacking[0]!r}" if lacking else "no variable"
        raise ValueError(f"the file has {what}; a net has one table for each of its variables.")
    return found


def _variable(reader: _Reader, found: Tables) -> None:
    name = reader.name()
    if name in found.states:
        raise ValueError(f"line {reader.line}: variable {name!r} is declared twice.")
    reader.expect("{")
    states: tuple[str, ...] = ()
    while reader.expect("type", "property", "}") != "}":
        word = reader.next()
        if word == "discrete":
            reader.expect("[")
            size = reader.until("]")
            reader.expect("{")
            states = tuple(reader.until("}"))
            if size != [str(len(states))]:
                raise ValueError(f"line {reader.line}: {name!r} has {len(states)} states, but says {' '.join(size)}.")
            if len(set(states)) < len(states):
                raise ValueError(f"line {reader.line}: {name!r} has a state twice.")
            reader.expect(";")
        else:
            while reader.next() != ";":
                pass
    if not states:
        raise ValueError(f"line {reader.line}: variable {name!r} has no states; only discrete variables are read.")
    found.states[name] = states


def _probability(reader: _Reader, found: Tables, room: int) -> int:
    reader.expect("(")
    names = []
    while (token := reader.next()) not in "|)":
        if token != ",":
            names.append(_unquoted(token))
    parents = reader.until(")") if token == "|" else names[1:]
    unknown = [name for name in (*names, *parents) if name not in found.states]
    if unknown or not names:
        raise ValueError(f"line {reader.line}: probabilities of {unknown}, which no variable block declares.")
    node = names[0]
    if len(set(parents)) < len(parents):
        raise ValueError(f"line {reader.line}: {node!r} has a parent twice: {', '.join(parents)}.")
    if node in found.tables:
        raise ValueError(f"line {reader.line}: the probabilities of {node!r} are given twice.")
    shape = [len(found.states[name]) for name in (*parents, node)]
    cells = int(np.prod(shape, dtype=object))
    if cells > room:
        raise ValueError(
            f"line {reader.line}: the table of {node!r} has {cells:,} cells; at most {room:,} more are read."
        )
    table = np.full(shape, np.nan)
    reader.expect("{")
    while (token := reader.expect("table", "default", "property", "(", "}")) != "}":
        if token == "property":
            while reader.next() != ";":
                pass
            continue
        at: tuple[Any, ...] = ()
        if token == "(":
            at = _states(reader, parents, found)
        numbers = _numbers(reader)
        own = table[at]
        if token == "table":
            # BIF lists a table with the node's states slowest.
            if len(numbers) != table.size:
                raise ValueError(
                    f"line {reader.line}: the table of {node!r} has {len(numbers)} numbers, not {table.size}."
                )
            own[...] = np.moveaxis(np.reshape(numbers, [shape[-1], *shape[:-1]]), 0, -1)
        elif len(numbers) != shape[-1]:
            raise ValueError(f"line {reader.line}: {node!r} has {shape[-1]} states, but {len(numbers)} probabilities.")
        elif token == "default":
            own[np.isnan(own).all(axis=-1)] = numbers
        else:
            own[...] = numbers
    found.parents[node], found.tables[node] = tuple(parents), checked_table(table, node)
    return cells


def _states(reader: _Reader, parents: Sequence[str], found: Tables) -> tuple[int, ...]:
    given = reader.until(")")
    if len(given) != len(parents):
        raise ValueError(f"line {reader.line}: {len(given)} states of {len(parents)} parents.")
    for state, parent in zip(given, parents, strict=True):
        if state not in found.states[parent]:
            raise ValueError(f"line {reader.line}: {state!r} is no state of {parent!r}.")
    return tuple(found.states[parent].index(state) for state, parent in zip(given, parents, strict=True))


def _numbers(reader: _Reader) -> list[float]:
    given = reader.until(";")
    try:
        return [float(token) for token in given]
    except ValueError:
        raise ValueError(f"line {reader.line}: expected probabilities, got {' '.join(given)[:60]!r}.") from None


def checked_table(table: Array, node: str) -> Array:
    """Conditional probabilities whose last dimension sums to one, or an error; rounding in a file is taken out."""
    wrong = ~((table >= 0) & np.isfinite(table))
    if wrong.any():
        raise ValueError(
            f"the table of {node!r} must hold probabilities for every configuration of its parents, got "
            f"{float(table[wrong][0])}."
        )
    total = table.sum(axis=-1, keepdims=True)
    off = float(np.abs(total - 1).max())
    if off > 1e-3:
        raise ValueError(
            f"probabilities of {node!r} sum to {float(total.flat[np.abs(total - 1).argmax()]):.6g}, not to 1."
        )
    return table if off < 1e-15 else table / total


def format_bif(net: Tables, name: str = "unknown") -> str:
    """A net as text in BIF, with all digits."""
    parts = [f"network {_word(name)} {{\n}}\n"]
    for node, states in net.states.items():
        listed = ", ".join(_word(state) for state in states)
        parts.append(f"variable {_word(node)} {{\n  type discrete [ {len(states)} ] {{ {listed} }};\n}}\n")
    for node, table in net.tables.items():
        parents = net.parents[node]
        given = f" | {', '.join(map(_word, parents))}" if parents else ""
        parts.append(f"probability ( {_word(node)}{given} ) {{\n")
        for at in np.ndindex(table.shape[:-1]):
            row = ", ".join(repr(float(value)) for value in table[at])
            chosen = (net.states[parent][state] for parent, state in zip(parents, at, strict=True))
            parts.append(f"  ({', '.join(map(_word, chosen))}) {row};\n" if parents else f"  table {row};\n")
        parts.append("}\n")
    return "".join(parts)


def _word(text: Any) -> str:
    text = str(text)
    if re.fullmatch(r"[^\s{}()\[\];,|\"/]+", text):
        return text
    if '"' in text or "\n" in text:
        raise ValueError(f"{text!r} can't be written in BIF: it holds a quotation mark or a line end; rename it.")
    return f'"{text}"'


def read_text(path: Any) -> str:
    """Text of a BIF file, plain or compressed by gzip, of bounded length."""
    import gzip

    path = Path(path)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        raw = file.read(LONGEST + 1)
    if len(raw) > LONGEST:
        raise ValueError(f"{path.name} is longer than {LONGEST:,} bytes; no net of that size is read.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not text in UTF-8 (byte {error.start}); is it a BIF file?") from None
