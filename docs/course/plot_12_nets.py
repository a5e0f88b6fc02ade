"""
12. Bayes nets
==============

A Bayes net is a graph of columns: each has a distribution given its parents, and the joint distribution is their
product. The graph says which columns are independent given which others, and so how few numbers are needed.
"""

import matplotlib.pyplot as plt
import numpy as np

from parzen import BayesNetwork, TreeAugmentedNB
from parzen.datasets import load_house_votes
from parzen.displays import NetworkDisplay

# %%
# **The sprinkler.** It runs less often when it rains; rain and sprinkler both make the grass wet.

garden = BayesNetwork.from_parameters(
    "rain -> sprinkler, rain -> wet <- sprinkler",
    {
        "rain": [0.8, 0.2],
        "sprinkler": [[0.6, 0.4], [0.99, 0.01]],
        "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    },
    states=["no", "yes"],
)
print(garden.factorisation())
NetworkDisplay.from_estimator(garden)

# %%
# **Explaining away.** Wet grass raises the probability of rain from 0.2 to 0.36. If the sprinkler is then seen
# running, it explains the wet grass, and rain becomes unlikely: two causes that were hardly related compete once
# their common effect is known.

for given in ({}, {"wet": "yes"}, {"wet": "yes", "sprinkler": "yes"}):
    print(given, "-> rain:", round(garden.query("rain", given=given)["yes"], 3))

# %%
# **What 2^D costs.** The table of all combinations of D columns with two states has 2^D - 1 free probabilities; a
# chain has 2 D - 1, naive Bayes with its class 2 D - 1 too.

D = np.arange(1, 31)
plt.figure(figsize=(6, 3), layout="constrained")
plt.semilogy(D, 2.0**D - 1, label="all combinations")
plt.semilogy(D, 2 * D - 1, label="a chain, or naive Bayes")
plt.xlabel("columns with two states")
plt.ylabel("free probabilities")
plt.legend()

# %%
# **Naive Bayes as a graph.** The class is the parent of every column, and there is no other edge. With one more edge
# for each column it is tree-augmented naive Bayes; here over votes of the 98th Congress, where the party is the class.

loaded = load_house_votes(as_frame=True)
party = loaded.target_names[loaded.target]
votes = loaded.data[["physician-fee-freeze", "el-salvador-aid", "education-spending", "crime", "immigration"]]
naive = BayesNetwork([("party", name) for name in votes.columns]).fit(votes.assign(party=party))
tree = BayesNetwork(structure="tan", root="party").fit(votes.assign(party=party).dropna())
figure, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
NetworkDisplay.from_estimator(naive, tables=False, ax=axes[0])
NetworkDisplay.from_estimator(tree, tables=False, ax=axes[1])
axes[0].set_title("naive Bayes")
axes[1].set_title("tree-augmented naive Bayes")
print(TreeAugmentedNB().fit(votes, party).explain(votes[:1]))

# %%
# **A diagnosis.** Lauritzen and Spiegelhalter (1988): a visit to Asia raises the risk of tuberculosis, smoking that of
# lung cancer and of bronchitis; an X-ray does not tell tuberculosis from cancer; shortness of breath may come from
# either, or from bronchitis.

half, rare = [0.5, 0.5], [0.99, 0.01]
asia = BayesNetwork.from_parameters(
    "asia -> tub, smoke -> lung, smoke -> bronc, tub -> either <- lung, either -> xray, bronc -> dysp <- either",
    {
        "asia": rare,
        "smoke": half,
        "tub": [rare, [0.95, 0.05]],
        "lung": [rare, [0.9, 0.1]],
        "bronc": [[0.7, 0.3], [0.4, 0.6]],
        "either": [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]],
        "xray": [[0.95, 0.05], [0.02, 0.98]],
        "dysp": [[[0.9, 0.1], [0.3, 0.7]], [[0.2, 0.8], [0.1, 0.9]]],
    },
    states=["no", "yes"],
)
NetworkDisplay.from_estimator(asia, tables=False)
plt.gcf().set_size_inches(7, 5)

# %%
# A patient is short of breath. What do her visit to Asia, an X-ray and her smoking tell?

steps = [{"dysp": "yes"}, {"asia": "yes"}, {"xray": "no"}, {"smoke": "yes"}]
given: dict[str, str] = {}
rows, labels = [], []
for step in steps:
    given |= step
    labels.append(", ".join(f"{name}={value}" for name, value in step.items()))
    rows.append([asia.query(name, given=given)["yes"] for name in ("tub", "lung", "bronc")])
plt.figure(figsize=(7, 3.2), layout="constrained")
for name, line in zip(("tuberculosis", "lung cancer", "bronchitis"), np.transpose(rows), strict=True):
    plt.plot(labels, line, marker="o", label=name)
plt.ylabel("probability")
plt.legend()
print(np.round(rows, 3))
print("asia and smoke independent:", asia.d_separated("asia", "smoke"))
print("... given shortness of breath:", asia.d_separated("asia", "smoke", ["dysp"]))
