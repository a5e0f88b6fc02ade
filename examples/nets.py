"""Bayes nets of votes, mushrooms and incomes, and what dependence between columns is worth: demo/nets.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from parzen import AODE, BayesNetwork, NaiveBayes, TreeAugmentedNB
from parzen.datasets import load_adult, load_house_votes, load_mushroom
from parzen.displays import NetworkDisplay

COLOURS = ["#0072B2", "#D55E00", "#009E73"]
TABLES = {"votes": load_house_votes, "mushrooms": load_mushroom, "adult": load_adult}


def labelled(load):
    """A table with its target as one more column, by name."""
    loaded = load(as_frame=True)
    names = np.asarray(loaded.target_names)
    return loaded.data.assign(**{loaded.target.name: names[loaded.target]})


def votes(axes):
    """Which votes go together, beside the party."""
    table = labelled(load_house_votes).dropna()
    net = BayesNetwork(structure="hill-climb", criterion="bic").fit(table)
    NetworkDisplay.from_estimator(net, ax=axes)
    axes.set_title(f"votes of {len(table)} members without missing votes, hill-climbing by BIC", fontsize=10)
    print(f"votes: {len(net.edges_)} edges, {net.n_parameters_} parameters; the joint table has {net.n_joint_:,}")


def mushrooms(axes):
    """What tells whether a mushroom is edible: the Markov blanket of the class in a learnt net."""
    table = labelled(load_mushroom)
    target = table.columns[-1]
    net = BayesNetwork(structure="hill-climb", max_parents=2).fit(table.drop(columns="stalk-root"))
    blanket = net.markov_blanket(target)
    part = BayesNetwork([edge for edge in net.edges_ if {*edge} <= {target, *blanket}]).fit(table[[target, *blanket]])
    NetworkDisplay.from_estimator(part, ax=axes)
    axes.set_title("mushrooms: the class and its Markov blanket", fontsize=10)
    print(f"mushrooms: given {', '.join(map(str, blanket))}, no other column tells anything about the class")


def worth(axes):
    """Log loss on held-out rows with and without dependence between the columns."""
    models = (NaiveBayes(), TreeAugmentedNB(), AODE())
    for k, (name, load) in enumerate(TABLES.items()):
        X, y = load(return_X_y=True, as_frame=True)
        X, rest, y, truth = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
        losses = [log_loss(truth, model.fit(X, y).predict_proba(rest)) for model in models]
        told = ", ".join(f"{type(model).__name__} {loss:.3f}" for model, loss in zip(models, losses, strict=True))
        print(f"{name}: log loss {told}")
        for m, loss in enumerate(losses):
            own = type(models[m]).__name__
            axes.bar(k + 0.25 * (m - 1), loss, 0.23, color=COLOURS[m], label=None if k else own)
    axes.set(xticks=range(len(TABLES)), xticklabels=list(TABLES), ylabel="log loss of held-out rows")
    axes.legend(frameon=False)


def main():
    figure, axes = plt.subplots(3, 1, figsize=(13, 14), height_ratios=[1.6, 0.6, 0.8], layout="constrained")
    votes(axes[0])
    mushrooms(axes[1])
    worth(axes[2])
    Path("demo").mkdir(exist_ok=True)
    figure.savefig("demo/nets.png", dpi=110)
    print("wrote demo/nets.png")


if __name__ == "__main__":
    main()
