"""Pictures of Bayes nets: which names, edges and tables they show."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from parzen import BayesNetwork, TreeAugmentedNB
from parzen.displays import NetworkDisplay

CHAIN = BayesNetwork.from_parameters(
    "a -> b -> c", {"a": [0.8, 0.2], "b": [[0.6, 0.4], [0.9, 0.1]], "c": [[0.5, 0.5], [0.3, 0.7]]}, ["no", "yes"]
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_nodes_stand_below_their_parents_with_their_own_tables():
    shown = NetworkDisplay.from_estimator(CHAIN, tables=True)
    assert shown.names == ["a", "b", "c"]
    assert shown.edges == [(0, 1), (1, 2)]
    assert (shown.positions[:-1, 1] > shown.positions[1:, 1]).all()
    assert shown.notes[2] == "b=no: no 50%, yes 50%\nb=yes: no 30%, yes 70%"
    assert {text.get_text().split("\n")[0] for text in shown.ax_.texts} >= {"a", "b", "c"}


def test_columns_in_another_order_keep_their_nodes():
    turned = NetworkDisplay.from_estimator(CHAIN.marginal(["c", "a", "b"]), tables=True)
    assert turned.notes == NetworkDisplay.from_estimator(CHAIN, tables=True).notes
    assert turned.names == ["a", "b", "c"]


def test_what_has_no_graph_or_no_tables_is_refused():
    with pytest.raises(ValueError, match="whole network"):
        NetworkDisplay.from_estimator(CHAIN.marginal(["a", "c"]))
    tree = TreeAugmentedNB().fit(pd.DataFrame({"a": list("xyxy"), "b": list("xyyx")}), [0, 1, 0, 1])
    assert NetworkDisplay.from_estimator(tree).edges == [(0, 1)]
    with pytest.raises(ValueError, match="tables are of a BayesNetwork"):
        NetworkDisplay.from_estimator(tree, tables=True)


def test_arrows_are_drawn_after_the_boxes_where_they_end():
    shown = NetworkDisplay.from_estimator(CHAIN, tables=True)
    boxes = [text.zorder for text in shown.ax_.texts if text.get_text()]
    arrows = [text.zorder for text in shown.ax_.texts if not text.get_text()]
    assert len(boxes) == 3
    assert len(arrows) == 2
    assert max(boxes) < min(arrows)
