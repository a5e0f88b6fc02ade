"""Outlier detectors in scikit-learn's manner: conventions, tables, and bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    AutoColumns,
    DensityEstimator,
    DensityOutlier,
    Gaussian,
    Kernel,
    KernelDensity,
    LocalDensityFactor,
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        DensityOutlier(),
        DensityOutlier(Kernel("scott")),  # a family with leave-one-out densities
        DensityOutlier(Gaussian()),  # a family that is cross-validated
        DensityOutlier(KernelDensity()),  # the same two of estimators
        DensityOutlier(DensityEstimator(Gaussian())),
        DensityOutlier(AutoColumns()),  # a table
        LocalDensityFactor(),
        LocalDensityFactor(novelty=True),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_detectors_and_their_errors(rng):
    X = rng.normal(size=(60, 2))
    for share in (0.0, 0.6, "some", True):
        with pytest.raises(ValueError, match="contamination must be"):
            DensityOutlier(contamination=share).fit(X)
        with pytest.raises(ValueError, match="contamination must be"):
            LocalDensityFactor(contamination=share).fit(X)
    with pytest.raises(TypeError, match="density must be a family"):
        DensityOutlier("kernel").fit(X)
    for call in ("p_values", "flagged"):
        with pytest.raises(NotFittedError):
            getattr(DensityOutlier(), call)()
    model = DensityOutlier().fit(X)
    with pytest.raises(ValueError, match="method must be one of 'auto', 'ranks', 'tail'"):
        model.p_values(X, method="normal")
    with pytest.raises(ValueError, match="fdr must be between 0 and 1"):
        model.flagged(fdr=2)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :1])
    with pytest.raises(AttributeError, match="has no attribute 'predict'") as error:
        LocalDensityFactor().fit(X).predict(X)
    assert "novelty=True only" in str(error.value.__cause__)
    with pytest.raises(AttributeError, match="has no attribute 'fit_predict'") as error:
        LocalDensityFactor(novelty=True).fit_predict(X)
    assert "fit_predict needs novelty=False" in str(error.value.__cause__)
    for name, value in (("n_neighbors", 0), ("n_neighbors", 2.5), ("bandwidth", 0), ("c", -1.0)):
        with pytest.raises(ValueError, match=name):
            LocalDensityFactor(**{name: value}).fit(X)


def test_detectors_read_tables(mixed_table, as_polars):
    table, _ = mixed_table
    for frame in (table, as_polars(table)):
        model = DensityOutlier().fit(frame)
        assert model.predict(frame).shape == (120,)
        why = model.explain(frame[:2])
        assert "size = " in str(why)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.score_samples(frame), model.score_samples(frame))
    numbers = table[["size"]].assign(old=table.old.astype(float))
    assert LocalDensityFactor(novelty=True).fit(numbers).predict(numbers).shape == (120,)
    strange = table.iloc[:1].assign(size=50.0)
    assert DensityOutlier().fit(table).predict(strange) == -1


def test_pipelines(rng):
    X = rng.uniform(-2, 2, (150, 2))
    detector = make_pipeline(StandardScaler(), DensityOutlier())
    assert set(detector.fit(X).predict(X)) == {-1, 1}


@pytest.mark.parametrize("make", [np.asfortranarray, np.float32, lambda X: X.tolist(), lambda X: X[::-1][::-1]])
def test_arrays_of_any_kind(make, rng):
    X = rng.normal(size=(50, 2)).astype(np.float32).astype(float)
    X.flags.writeable = False
    for model in (DensityOutlier(), LocalDensityFactor(novelty=True)):
        expected = clone(model).fit(X).score_samples(X)
        np.testing.assert_allclose(model.fit(make(X)).score_samples(make(X)), expected, atol=1e-5)


def test_errors_name_the_column_and_the_parameter(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    with pytest.raises(ValueError, match="column 'a' holds 'x'"):
        LocalDensityFactor().fit(X.assign(a="x"))
    with pytest.raises(ValueError, match="or a proportion above 0"):
        DensityOutlier(contamination="foo").fit(X)


def test_missing_cells_of_every_kind():
    frame = pd.DataFrame(
        {
            "s": pd.array(["u", "v", None] * 20, dtype="string"),
            "z": pd.array([True, None, False] * 20, dtype="boolean"),
        }
    )
    model = DensityOutlier().fit(frame)
    assert np.isfinite(model.score_samples(frame)).all()
    assert "missing" in model.explain(frame[2:3]).text()


def test_the_default_density_says_that_it_takes_no_missing_cells(rng):
    model = DensityOutlier().fit(rng.normal(size=(60, 2)))
    with pytest.raises(ValueError, match=r"give density=AutoColumns\(\)"):
        model.predict([[0.0, np.nan]])
