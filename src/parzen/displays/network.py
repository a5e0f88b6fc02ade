"""The graph of a Bayes network, with arrows and, on request, the nodes' tables."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.densities.nets.layout import layered
from parzen.plotting import graph


@dataclass
class NetworkDisplay:
    """A Bayes network as a picture.

    Attributes
    ----------
    names : list of str
    edges : list of (int, int)
    positions : array of shape (d, 2)
    bends : dict from edges to arrays of shape (m, 2)
        Where edges that would run through a node turn.
    notes : list of str
        What stands below each name: probabilities, or how a number follows from its parents; empty without `tables`.
    ax_ : matplotlib's axes

    Examples
    --------
    >>> from parzen import BayesNetwork
    >>> from parzen.displays import NetworkDisplay
    >>> net = BayesNetwork.from_parameters("rain -> wet", {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]})
    >>> display = NetworkDisplay.from_estimator(net, tables=True)
    >>> print(display.notes[1])
    rain=0: 0 90%, 1 10%
    rain=1: 0 20%, 1 80%
    """

    names: list[str]
    edges: list[tuple[int, int]]
    positions: Array
    bends: dict[tuple[int, int], Array]
    notes: list[str]
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, network: Any, *, tables: bool = False, most: int = 8, ax: Any = None) -> Self:
        """Draw the graph of a fitted `BayesNetwork`.

        Parameters
        ----------
        tables : bool
            Whether nodes show their probabilities.
        most : int
            Most lines of a node's table; of a longer one, the first are shown, and how many there are.
        """
        check_is_fitted(network, "density_")
        net = network.density_
        if len(net.columns) < len(net.sizes):
            raise ValueError("a marginal or conditional of a network has no graph of its own; draw the whole network.")
        if tables and not hasattr(network, "states"):
            raise ValueError(
                f"tables are of a BayesNetwork, got {type(network).__name__}, which has one for each class; leave "
                "tables=False."
            )
        names = list(net.names)
        notes = [_note(network, node, names, most) if tables else "" for node in range(len(names))]
        texts = ([name, *note.split("\n")] for name, note in zip(names, notes, strict=True))
        widths = [1.0 + max(map(len, lines)) / 9 for lines in texts]
        positions, bends = layered(net.graph, widths)
        return cls(names, list(net.graph.edges), positions, bends, notes).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        self.ax_ = graph(self.positions, self.names, self.edges, self.bends, self.notes, ax)
        return self


def _note(network: Any, node: int, names: list[str], most: int) -> str:
    net = network.density_
    labels = [network.schema_.labels[net.columns.index(one)] for one in range(len(names))]
    discrete = [one for one in net.parents[node] if net.sizes[one]]
    gaussian = [one for one in net.parents[node] if not net.sizes[one]]
    lines = []
    for at, own in zip(np.ndindex(*(net.sizes[one] for one in discrete)), net.parameters[node][0], strict=True):
        pairs = zip(discrete, at, strict=True)
        known = ", ".join(f"{names[one]}={network.states(labels[one])[state]}" for one, state in pairs)
        if net.sizes[node]:
            states = network.states(labels[node])
            text = ", ".join(f"{state} {100 * p:.3g}%" for state, p in zip(states, np.exp(own), strict=True))
        else:
            terms = "".join(f" {slope:+.3g} {names[one]}" for slope, one in zip(own[1:-1], gaussian, strict=True))
            text = f"{own[0]:.3g}{terms}, sd {np.sqrt(own[-1]):.3g}"
        lines.append(f"{known}: {text}" if known else text)
    more = len(lines) - most
    return "\n".join([*lines[:most], *([f"... {more} more"] if more > 0 else [])])
