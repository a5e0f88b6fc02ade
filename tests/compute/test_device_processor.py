"""Tensors on the processor: every estimator reads them as arrays, and answers with tensors."""

import inspect
import warnings

import numpy as np
import pytest

import parzen
from parzen.estimators.base.tensors import TensorMixin

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

#: What can't be fitted to such rows without being told how.
OPTIONS = {
    "BayesNetwork": {"edges": ""},
    "LogisticRegressionCV": {"use_legacy_attributes": False, "l1_ratios": (0,), "scoring": "neg_log_loss"},
}
ANSWERS = ("predict", "predict_proba", "score_samples", "decision_function", "transform", "leave_one_out")


def estimators():
    for name in parzen.__all__:
        made = getattr(parzen, name)
        if inspect.isclass(made) and issubclass(made, TensorMixin):
            options = OPTIONS.get(name, {})
            if "random_state" in inspect.signature(made).parameters:
                options = {**options, "random_state": 0}
            yield pytest.param(made, options, id=name)


def parts(answer):
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize(("made", "options"), list(estimators()))
def test_every_estimator_answers_tensors_with_tensors(made, options):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 3)).astype(float), np.arange(60) % 2
    X = X[:, :1] if made is parzen.CategoricalHMM else X + y[:, None] * [1, 0, 0]
    supervised = "y" in inspect.signature(made.fit).parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = made(**options).fit(X, *([y] if supervised else []))
        read = made(**options).fit(torch.from_numpy(X), *([torch.from_numpy(y)] if supervised else []))
        for name in ANSWERS:
            asks = list(inspect.signature(getattr(known, name, list)).parameters)
            if asks[:1] != ["X"] or "target" in asks:
                continue
            given = (X, y) if "y" in asks else (X,)
            expected = parts(getattr(known, name)(*given))
            found = parts(getattr(read, name)(*map(torch.from_numpy, given)))
            for one, other in zip(found, expected, strict=True):
                if np.ndim(other):
                    assert isinstance(one, torch.Tensor), name
                    np.testing.assert_array_equal(one, other)
