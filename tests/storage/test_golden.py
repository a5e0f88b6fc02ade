"""Golden files: what an earlier version has written is read, and answers as it did."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

import parzen
from parzen import load
from parzen.families.family import Family
from parzen.statistics import Statistic
from parzen.storage.files import describe
from parzen.storage.registry import CLASSES, FIRST_NAMES, FIRST_PARAMETERS, FIRST_VALUES, classes
from tests.storage.models import FAMILIES, MODELS, STATISTICS, answers, few, numbers_of

pytestmark = pytest.mark.filterwarnings("ignore")

GOLDEN = Path(__file__).parents[1] / "golden"
VERSIONS = [path for path in sorted(GOLDEN.glob("version*")) if path.is_dir()]
FILES = [path for folder in VERSIONS for path in sorted(folder.glob("*.parzen"))]


def test_files_of_the_first_version_are_read():
    """Written by the first version; never to be written again. Later versions must read them."""
    told = json.loads((GOLDEN / "version1.json").read_text())
    for name, answer in told.items():
        model = load(GOLDEN / f"{name}.parzen")
        if name == "naive_bayes":
            rows = pd.DataFrame({"x": [0.5, None], "n": [2, 0], "kind": ["red", "green"], "flag": [True, False]})
            found = model.predict_log_proba(rows)
        elif name == "markov_chain":
            found = model.log_prob(["abra", "zebra"])
        elif name == "statistic":
            found = model.mean + (model + model).weight[:, None]
        else:
            found = model.score_samples([[0.5, 1.0], [9.0, -3.0]])
        np.testing.assert_allclose(found, answer, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("folder", "name"),
    [(one, name) for name in MODELS for one in VERSIONS if (one / f"{name.replace(' ', '_')}.parzen").exists()],
    ids=lambda one: getattr(one, "name", one),
)
def test_models_of_every_version_answer_as_they_did(folder, name):
    slug = name.replace(" ", "_")
    later = folder / f"{slug}.npz"  # of a model that came after the others of its version
    model, rows = load(folder / f"{slug}.parzen"), MODELS[name][1]
    found = {method: numbers_of(answer) for method, answer in answers(model, few(rows)) if not isinstance(answer, type)}
    with np.load(later if later.exists() else folder / "answers.npz") as told:
        expected = {key.partition("/")[2]: told[key] for key in told.files if key.partition("/")[0] == slug}
    assert expected or not {key for key, value in found.items() if value is not None}
    for method, answer in expected.items():
        if answer.dtype.kind in "biuf":
            np.testing.assert_allclose(found[method], answer, rtol=1e-12, atol=1e-12, err_msg=method)
        else:
            np.testing.assert_array_equal(found[method].astype("U"), answer, err_msg=method)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_golden_file_is_read(path):
    assert describe(path)["format"] == int(path.parent.name.removeprefix("version"))
    model = load(path)
    assert model is not None
    kind = path.stem.partition("_")[0]
    if kind == "family":
        assert isinstance(model, Family)
        assert repr(model)
    if kind == "statistic" and path.stem != "statistic":
        assert isinstance(model, Statistic)
        assert type(model + model) is type(model)


def test_every_public_estimator_family_and_statistic_has_a_golden_file():
    newest = VERSIONS[-1]
    kept = {type(load(path)).__name__ for path in newest.glob("*.parzen")}
    public = {
        name
        for name in parzen.__all__
        if isinstance(getattr(parzen, name), type) and issubclass(getattr(parzen, name), BaseEstimator)
    } - {"Family"}
    assert public <= kept
    assert set(parzen.statistics.__all__) - {"Statistic"} <= kept
    assert {*FAMILIES, *STATISTICS} <= kept


def test_the_registry_names_classes_that_exist_once_each():
    tags = [tag for several in CLASSES.values() for tag in several]
    assert len(tags) == len(set(tags)) == len(classes())
    for tag, one in classes().items():
        assert one.__name__ == tag
    assert set(FIRST_NAMES.values()) | set(FIRST_PARAMETERS) | set(FIRST_VALUES) <= set(tags)
    assert not set(FIRST_NAMES) & set(tags)
