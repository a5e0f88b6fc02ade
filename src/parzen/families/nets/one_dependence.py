"""Averaged one-dependence estimators: all nets in which one column is the parent of every other."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from parzen.compute.arrays import as_floats
from parzen.compute.memberships import Memberships
from parzen.densities.averaged import AveragedDensity
from parzen.densities.nets.bayes_net import read_codes
from parzen.densities.nets.graph import Graph
from parzen.families.family import Family
from parzen.families.nets.bayes_net import BayesNet
from parzen.families.nets.node_statistics import node_statistics
from parzen.statistics.joint import Joint
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class OneDependence(Family):
    """The average of all Bayes nets in which one column of categories is the parent of every other column.

    A cell that is missing while learning is left out of the counts of its pairs; in rows that are evaluated it is
    marginalised. Numbers are Gaussian given the category; columns of numbers alone are independent.

    Parameters
    ----------
    net : BayesNet
        How tables and lines are estimated; its edges are not used.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import BayesNet, fit
    >>> rows = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    >>> two = fit(OneDependence(BayesNet(estimate="ml")), rows).density
    >>> np.exp(two.log_density(np.array([[0.0, 0.0], [np.nan, 1.0]]))).round(3)
    array([[0.4],
           [0.6]])
    """

    net: BayesNet = field(default_factory=BayesNet)

    def bind(self, table: Table) -> Self:
        return replace(self, net=replace(self.net, edges=()).bind(table))

    def _stars(self, d: int) -> list[BayesNet]:
        """The nets: one for each column of categories; without any, one without edges."""
        numbers = set(() if self.net.numbers is None else self.net.numbers)
        parents = [j for j in range(d) if j not in numbers]
        stars = [replace(self.net, edges=tuple((one, j) for j in range(d) if j != one)) for one in parents]
        return stars or [replace(self.net, edges=())]

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Joint:
        rows = np.asarray(as_floats(np.asarray(X)), dtype=np.float64)
        d = rows.shape[1]
        _, sizes = replace(self.net, edges=()).structure(rows)
        codes = read_codes(rows, sizes, self.net.known_bins)
        graphs = [Graph.of(d, star.edges, self.net.names) for star in self._stars(d)]
        return Joint(tuple(node_statistics(rows, codes, R, graph, sizes) for graph in graphs))

    def maximise(self, statistic: Joint) -> AveragedDensity:
        parts: Any = statistic.parts
        stars = self._stars(len(parts[0].parts))
        members = tuple(star.maximise(part) for star, part in zip(stars, parts, strict=True))
        M, K = len(members), members[0].shape[0]
        return AveragedDensity(members, np.full((M, K), -np.log(M)))

    def log_prior(self, density: Any, statistic: Any) -> float:
        stars = self._stars(density.shape[1])
        parts = zip(stars, density.members, statistic.parts, strict=True)
        return sum(star.log_prior(member, part) for star, member, part in parts) / len(stars)

    def n_parameters(self, density: Any) -> int:
        return sum(self.net.n_parameters(member) for member in density.members)
