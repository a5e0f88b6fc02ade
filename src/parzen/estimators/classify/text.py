"""Classes from the words of texts."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import transactional
from parzen.estimators.classify.multinomial_nb import MultinomialNB
from parzen.storage.files import SaveMixin
from parzen.tables.cells import column_of, frame_kind
from parzen.tables.words import Vocabulary


class TextClassifier(SaveMixin, ClassifierMixin, BaseEstimator):
    """A classifier of texts by how often each word comes in them: a bag of words, and a model of counts.

    Words are runs of letters, digits and underscores, in lower case. A missing text has no words; words that did not
    come in training don't count.

    Parameters
    ----------
    classifier : classifier of counts, by default ``MultinomialNB()``
        Such as `BernoulliNB`, `ComplementNB` or `LogisticRegression`; it is fitted to a CSR matrix.
    max_words : int or None
        Most words that are counted: the most frequent ones. None for all.

    Attributes
    ----------
    classes_ : array of shape (K,)
    classifier_ : the fitted classifier
    vocabulary_ : Vocabulary
        The words, sorted, in the order of the classifier's columns: ``vocabulary_.words``.
    n_features_in_ : int
        1, the column of texts; `feature_names_in_` is its name, where a table was given.

    Examples
    --------
    >>> from parzen import TextClassifier
    >>> texts = ["win a prize now", "a prize for you", "see you at home", "home at seven"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> model.predict(["your prize", "are you at home?"])
    array(['spam', 'ham'], dtype='<U4')
    """

    classes_: NDArray[Any]
    vocabulary_: Vocabulary

    def __init__(self, classifier: Any = None, *, max_words: int | None = 20_000) -> None:
        self.classifier = classifier
        self.max_words = max_words

    @transactional
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> None:
        """Count words, and fit the classifier to the counts.

        Parameters
        ----------
        X : n texts: a list, an array, a column, or a table of one column
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        if self.max_words is not None and (not isinstance(self.max_words, Integral) or self.max_words < 1):
            raise ValueError(f"max_words must be a whole number, at least 1, or None, got {self.max_words!r}.")
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        texts, self.n_features_in_ = self._texts(X, fitting=True), 1
        w = np.ones(len(texts)) if sample_weight is None else np.asarray(sample_weight)
        counted = [text for text, weight in zip(texts, w, strict=True) if weight]
        self.vocabulary_ = Vocabulary.of(counted, None if self.max_words is None else int(self.max_words))
        if not len(self.vocabulary_.words):
            raise ValueError("X holds no word; give texts of letters or digits.")
        model = MultinomialNB() if self.classifier is None else clone(self.classifier)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.classifier_ = model.fit(self.vocabulary_.count(texts), y, **weights)
        self.classes_ = self.classifier_.classes_

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each text."""
        found: NDArray[Any] = self.classifier_.predict(self._counts(X))
        return found

    def predict_proba(self, X: Any) -> Array:
        """Posterior probabilities of the classes, (n, K)."""
        found: Array = self.classifier_.predict_proba(self._counts(X))
        return found

    def predict_log_proba(self, X: Any) -> Array:
        """Logs of the posterior probabilities, (n, K)."""
        found: Array = self.classifier_.predict_log_proba(self._counts(X))
        return found

    def _counts(self, X: Any) -> Any:
        check_is_fitted(self, "classes_")
        return self.vocabulary_.count(self._texts(X))

    def _texts(self, X: Any, fitting: bool = False) -> Any:
        """The texts, one for each row; the name of their column is learnt or compared with the one that was."""
        if isinstance(X, str):
            raise ValueError(f"X must be a list of texts, got one text; give [{X[:20]!r}, ...].")
        frame = frame_kind(X)
        if frame or np.ndim(X) == 2:
            X = X if frame else np.asarray(X, dtype=object)
            if X.shape[1] != 1:
                raise ValueError(f"X must have one column, of texts, got {X.shape[1]}; select it: X[[name]].")
            name = str(X.columns[0]) if frame else None
            known = getattr(self, "feature_names_in_", [name])[0]
            if fitting and frame:
                self.feature_names_in_ = np.array([name], dtype=object)
            elif not fitting and frame and name != known:
                raise ValueError(f"X has the column {name!r}, but the texts were in {known!r}.")
            X = column_of(X, 0)
        return X.tolist() if hasattr(X, "tolist") else X.to_list() if hasattr(X, "to_list") else list(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = False, True
        tags.input_tags.allow_nan = True
        return tags
