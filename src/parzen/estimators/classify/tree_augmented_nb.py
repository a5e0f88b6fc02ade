"""Tree-augmented naive Bayes: each column depends on the class and on one other column."""

from dataclasses import replace
from typing import Any

from parzen.compute.memberships import Memberships
from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.estimators.classify.net_classifier import NetClassifier
from parzen.families.family import Family
from parzen.families.nets.bayes_net import BayesNet, tree_edges
from parzen.statistics.batches import Batches


class TreeAugmentedNB(NetClassifier):
    """Tree-augmented naive Bayes over tables of categories and numbers (Friedman, Geiger & Goldszmidt 1997).

    Naive Bayes in which each column may also depend on one other: the tree of highest mutual information within the
    classes. Missing cells are marginalised; where training rows have some, the tree is learnt for each two columns from
    the rows in which both are known, and parameters are found by EM.

    Parameters
    ----------
    bins : "auto", int or dict, optional
        Bins of about equal counts that numbers are cut into: "auto", 3 to 10, as many as give a table of two columns 15
        rows of a class in each cell; or for some columns their number or their cuts. None: numbers are Gaussian.
    estimate, prior, equivalent_sample_size, line_prior, numbers, categories
        Of the tables and lines: see `parzen.BayesNet`.
    class_prior : sequence, dict or "uniform", optional
        By default the frequencies of the classes.
    unlabelled : optional
        What stands in y for a missing label, besides None and NaN.
    missing : "allow" or "error"
        Whether X may have missing cells.
    max_iter, tol : int, float
        Most steps, and least rise of the log-likelihood for each unit of weight, where labels or cells are missing.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : BayesNetDensity
        The nets of the classes, all over the same tree.
    edges_ : list of pairs
        (parent, child) among the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import NaiveBayes, TreeAugmentedNB
    >>> table = pd.DataFrame({"a": list("ppqq") * 5, "b": list("pqpq") * 5})
    >>> y = (table.a == table.b).to_numpy()  # neither column alone tells
    >>> TreeAugmentedNB().fit(table, y).score(table, y), NaiveBayes().fit(table, y).score(table, y)
    (1.0, 0.5)
    """

    density_: BayesNetDensity

    def _family(self) -> Family:
        return BayesNet("chow-liu", **self._net_options())

    def _bind(self, X: Any, R: Memberships = None) -> Any:
        rows = super()._bind(X, R)
        if isinstance(rows, Batches):  # the family has seen a sample of a source; the tree is that of all rows
            family: Any = self.family_
            edges = tree_edges(rows, family.categories, family.known_bins, groups=rows.groups)
            self.family_ = replace(family, edges=edges)
        return rows

    @property
    def edges_(self) -> list[tuple[Any, Any]]:
        """Pairs (parent, child) of columns, besides the class, which is a parent of all."""
        names = list(self.schema_.labels)
        return [(names[a], names[b]) for a, b in self.density_.graph.edges]
