"""Averaged one-dependence estimators: naive Bayes in which each column in turn is a parent of all others."""

from parzen.densities.averaged import AveragedDensity
from parzen.estimators.classify.net_classifier import NetClassifier
from parzen.families.family import Family
from parzen.families.nets.bayes_net import BayesNet
from parzen.families.nets.one_dependence import OneDependence


class AODE(NetClassifier):
    """Averaged one-dependence estimators over tables of categories and numbers (Webb, Boughton & Wang 2005).

    The average of all naive Bayes models in which one column of categories is, beside the class, a parent of every
    other column. No structure is searched for and counts add, so that it learns in one pass, in batches and in shards.
    A missing cell is marginalised in prediction; while learning it is left out of the counts of its pairs.

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
        Most steps, and least rise of the log-likelihood for each unit of weight, where labels are missing.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : arrays of shape (K,)
    density_ : AveragedDensity
        Of the classes: a net for each column of categories.

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import AODE, NaiveBayes
    >>> table = pd.DataFrame({"a": list("ppqq") * 5, "b": list("pqpq") * 5})
    >>> y = (table.a == table.b).to_numpy()  # neither column alone tells
    >>> AODE().fit(table, y).score(table, y), NaiveBayes().fit(table, y).score(table, y)
    (1.0, 0.5)
    """

    density_: AveragedDensity

    def _family(self) -> Family:
        return OneDependence(BayesNet(**self._net_options()))
