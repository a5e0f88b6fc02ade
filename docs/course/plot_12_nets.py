r"""
12. Bayes nets
==============

A Bayes net is a graph of columns: each has a distribution given its parents, and the joint distribution is their
product. The graph says which columns are independent given which others, and so how few numbers are needed. This
lesson needs lessons 2 and 6.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from parzen import BayesNetwork, TreeAugmentedNB
from parzen.datasets import load_house_votes
from parzen.displays import NetworkDisplay

# %%
# The sprinkler
# -------------
# By the chain rule every joint distribution is :math:`p(x_1, \dots, x_D) = \prod_j p(x_j \mid x_1, \dots, x_{j-1})`.
# A Bayes net leaves out of each factor the columns that tell nothing more:
#
# .. math::
#
#     p(x_1, \dots, x_D) = \prod_{j=1}^D p(x_j \mid x_{\mathrm{pa}(j)}),
#
# where :math:`\mathrm{pa}(j)` are the parents of :math:`j` in a directed graph without cycles. A sprinkler runs less
# often when it rains; rain and sprinkler both make the grass wet.

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
# Explaining away
# ---------------
# A question is answered by summing the joint distribution over what is not known, and dividing:
# :math:`p(r \mid w) = \sum_s p(r, s, w) / \sum_{r, s} p(r, s, w)`. Wet grass raises the probability of rain from 0.2
# to 0.36. If the sprinkler is then seen running, it explains the wet grass, and rain becomes unlikely: two causes
# compete once their common effect is known.

rain, sprinkler, wet = (np.exp(table[0]) for table in garden.density_.parameters)
joint = rain.reshape(2, 1, 1) * sprinkler.reshape(2, 2, 1) * wet.reshape(2, 2, 2)  # rain, sprinkler, wet
assert np.isclose(joint.sum(), 1)
by_hand = [joint[1].sum(), joint[1, :, 1].sum() / joint[:, :, 1].sum(), joint[1, 1, 1] / joint[:, 1, 1].sum()]
questions = ({}, {"wet": "yes"}, {"wet": "yes", "sprinkler": "yes"})
for given, expected in zip(questions, by_hand, strict=True):
    answer = garden.query("rain", given=given)["yes"]
    print(given, "-> rain:", round(answer, 3))
    assert np.isclose(answer, expected)

# %%
# To *switch the sprinkler on* is another thing than to see it run: its own cause no longer matters, and the factor
# :math:`p(s \mid r)` is left out of the product (Pearl's *do*). That reads the edges as causes.

print("seen:", round(garden.query("rain", given={"sprinkler": "yes"})["yes"], 4))
print("done:", round(garden.query("rain", do={"sprinkler": "yes"})["yes"], 4))
assert np.isclose(garden.query("rain", do={"sprinkler": "yes"})["yes"], 0.2)

# %%
# What 2^D costs
# --------------
# The table of all combinations of :math:`D` columns with two states has :math:`2^D - 1` free probabilities; a chain
# has :math:`2 D - 1`, and so has naive Bayes, its class among the :math:`D` columns.

D = np.arange(1, 31)
plt.figure(figsize=(6, 3), layout="constrained")
plt.semilogy(D, 2.0**D - 1, label="all combinations")
plt.semilogy(D, 2 * D - 1, label="a chain, or naive Bayes")
plt.xlabel("columns with two states")
plt.ylabel("free probabilities")
plt.legend()

# %%
# Learning the tables
# -------------------
# With :math:`n_{j}(u, v)` rows in which column :math:`j` is :math:`v` and its parents are :math:`u`, the log-likelihood
# is a sum over the columns and over :math:`u`, each part with probabilities of its own that sum to one. As in lesson
# 11, Lagrange's multiplier gives relative frequencies; a Dirichlet prior with pseudo-counts :math:`\alpha` (lesson 2)
# gives the posterior mean:
#
# .. math::
#
#     \ell = \sum_j \sum_u \sum_v n_j(u, v) \log \theta_{j u v}, \qquad
#     \hat\theta_{j u v} = \frac{n_j(u, v)}{\sum_{v'} n_j(u, v')}, \qquad
#     \mathrm{E}\,\theta_{j u v} = \frac{n_j(u, v) + \alpha}{\sum_{v'} (n_j(u, v') + \alpha)}.

days = garden.sample(5000, random_state=0)
learnt = BayesNetwork(garden.edges_, estimate="ml").fit(days)
counts = pd.crosstab([days["rain"], days["sprinkler"]], days["wet"])
print(counts)
shares = counts.div(counts.sum(axis=1), axis=0)
for (rain_state, sprinkler_state), row in shares.iterrows():
    given = {"rain": rain_state, "sprinkler": sprinkler_state}
    assert np.isclose(learnt.query("wet", given=given)["yes"], row["yes"])

# %%
# Naive Bayes as a graph
# ----------------------
# The class is the parent of every column, and there is no other edge. With one more edge for each column it is
# tree-augmented naive Bayes; here over votes of the 98th Congress, where the party is the class. The tree is that of
# the highest sum of mutual information within the classes (Chow and Liu; Friedman, Geiger and Goldszmidt): an edge
# raises the log-likelihood of :math:`n` rows by :math:`n` times the mutual information of its ends.

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
assert len(tree.edges_) == len(naive.edges_) + votes.shape[1] - 1

# %%
# A diagnosis
# -----------
# Lauritzen and Spiegelhalter (1988): a visit to Asia raises the risk of tuberculosis, smoking that of lung cancer and
# of bronchitis; an X-ray does not tell tuberculosis from cancer; shortness of breath may come from either, or from
# bronchitis.

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
rows = np.array(rows)
assert rows[2, 1] < rows[1, 1]  # a clear X-ray speaks against cancer

# %%
# Which paths are open
# --------------------
# Two columns are independent given others if every path between them is blocked: at a node of the path that is known,
# unless the path's edges meet there; and where they meet (:math:`\to v \leftarrow`), unless :math:`v` or a node
# below it is known. So Asia and smoking are independent, but not once a common effect is known.

print("asia and smoke independent:", asia.d_separated("asia", "smoke"))
print("... given shortness of breath:", asia.d_separated("asia", "smoke", ["dysp"]))
assert asia.d_separated("asia", "smoke")
assert not asia.d_separated("asia", "smoke", ["dysp"])

# %%
# Sums pushed inwards
# -------------------
# The probability of shortness of breath is a sum over all :math:`2^7` combinations of the other columns. A factor that
# does not hold a column can be taken out of the sum over it: for the part of the graph above the X-ray,
#
# .. math::
#
#     p(\text{xray}) = \sum_e p(\text{xray} \mid e) \sum_{t, l} p(e \mid t, l)
#         \Bigl(\sum_a p(a)\, p(t \mid a)\Bigr) \Bigl(\sum_s p(s)\, p(l \mid s)\Bigr).
#
# Each bracket is a message of one column. A *junction tree* does this for any graph: columns are put together into
# cliques so that the messages run along a tree, twice, and all posteriors follow. The largest clique is what it costs.

tables = dict(zip(asia.density_.names, asia.density_.tables(0), strict=True))
tub = tables["asia"] @ tables["tub"]
lung = tables["smoke"] @ tables["lung"]
either = np.einsum("t,l,tle->e", tub, lung, tables["either"])
print("p(xray = yes) =", (either @ tables["xray"])[1].round(6))
assert np.isclose((either @ tables["xray"])[1], asia.probability({"xray": "yes"}))
print(f"{asia.n_parameters_} free probabilities instead of {asia.n_joint_}")

# %%
# Exercises
# ---------
#
# **Exercise 1 (easy).** How many free probabilities have the three graphs *a -> b -> c*, *a <- b -> c* and
# *a -> b <- c* over columns of three states, and the table of all combinations?
#
# **Hint.** A column with :math:`S` states and parents with :math:`C` combinations has :math:`C (S - 1)`.
#
# **Solution.** :math:`2 + 6 + 6 = 14`, 14, :math:`2 + 2 + 18 = 22`, and :math:`3^3 - 1 = 26`.

some = pd.DataFrame(np.indices((3, 3, 3)).reshape(3, -1).T, columns=list("abc")).astype(str)
for edges, expected in (("a -> b -> c", 14), ("a <- b -> c", 14), ("a -> b <- c", 22), ("a -> b -> c <- a", 26)):
    assert BayesNetwork(edges).fit(some).n_parameters_ == expected

# %%
# **Exercise 2 (easy).** Show that *a -> b -> c* and *a <- b -> c* describe the same distributions. What does that mean
# for learning the directions of edges?
#
# **Hint.** :math:`p(a)\, p(b \mid a) = p(a, b)`.
#
# **Solution.** Both are :math:`p(a, b)\, p(b, c) / p(b)`: no table tells them apart, and BIC is the same. Only edges
# that meet, as in *a -> b <- c*, leave a trace: *a* and *c* are then independent, but not given *b*.

chain = BayesNetwork("wet -> rain -> sprinkler", estimate="ml").fit(days)
fork = BayesNetwork("wet <- rain -> sprinkler", estimate="ml").fit(days)
print("BIC:", round(chain.bic(days), 3), round(fork.bic(days), 3))
assert np.isclose(chain.bic(days), fork.bic(days))

# %%
# **Exercise 3 (medium).** Write the log-odds of naive Bayes as an answer of its net, and say why a missing vote needs
# no care.
#
# **Hint.** The sum over a column without children is one.
#
# **Solution.** :math:`\log \frac{p(c) \prod_j p(x_j \mid c)}{p(c') \prod_j p(x_j \mid c')}`: the factor of a missing
# column is :math:`\sum_v p(v \mid c) = 1`.

first = votes.iloc[0]
known = {name: cell for name, cell in first.items() if isinstance(cell, str)}
answer = naive.query("party", given=known)
logs = {c: np.log(naive.query("party")[c]) for c in ("democrat", "republican")}
for c, (name, cell) in itertools.product(logs, known.items()):
    logs[c] += np.log(naive.query(name, given={"party": c})[cell])
odds = logs["democrat"] - logs["republican"]
print("log-odds of democrat against republican:", round(odds, 3))
assert np.isclose(odds, np.log(answer["democrat"] / answer["republican"]))

# %%
# **Exercise 4 (medium).** In the asia net, given an X-ray that shows something: does it matter for lung cancer whether
# the patient was in Asia? Answer by the graph first.
#
# **Hint.** Follow *asia -> tub -> either <- lung*, and look for what is known below *either*.
#
# **Solution.** The edges meet in *either*, whose child *xray* is known: the path is open. A visit to Asia explains a
# part of the X-ray away.

print("separated:", asia.d_separated("asia", "lung", ["xray"]))
before, after = (asia.query("lung", given={"xray": "yes"} | more)["yes"] for more in ({}, {"asia": "yes"}))
print(f"lung cancer: {before:.3f}, after a visit to Asia {after:.3f}")
assert after < before

# %%
# **Exercise 5 (hard).** A tree over columns has :math:`p(x) = \prod_j p(x_j \mid x_{\mathrm{pa}(j)})` with one parent
# each. Show that the tree of highest likelihood is the spanning tree of highest mutual information.
#
# **Hint.** Put the relative frequencies into the log-likelihood, and write
# :math:`p(x_j \mid x_i) = p(x_j) \cdot p(x_i, x_j) / (p(x_i)\, p(x_j))`.
#
# **Solution.** :math:`\ell / n = -\sum_j H(x_j) + \sum_{j} I(x_j; x_{\mathrm{pa}(j)})`. The entropies :math:`H` do not
# depend on the tree, so the sum of the mutual information of its edges is what differs; Prim's algorithm maximises it.

whole = votes.assign(party=party).dropna()


def information(one, other):
    table = pd.crosstab(whole[one], whole[other]).to_numpy() / len(whole)
    apart = np.outer(table.sum(axis=1), table.sum(axis=0))
    return float((table[table > 0] * np.log(table[table > 0] / apart[table > 0])).sum())


names = list(whole.columns)
chow_liu = BayesNetwork(structure="chow-liu", estimate="ml").fit(whole)
entropies = [-(p * np.log(p)).sum() for p in (whole[name].value_counts(normalize=True) for name in names)]
log_likelihood = len(whole) * (sum(information(*edge) for edge in chow_liu.edges_) - sum(entropies))
print(f"log-likelihood {log_likelihood:.3f}")
assert np.isclose(log_likelihood, chow_liu.score(whole) * len(whole))
worth = {(a, b): information(a, b) for a, b in itertools.combinations(names, 2)}
most = sum(information(*edge) for edge in chow_liu.edges_)
for edges in itertools.combinations(worth, len(names) - 1):  # every spanning tree, and what is none
    groups = {name: {name} for name in names}
    for a, b in edges:
        groups[a] |= groups[b]
        groups |= dict.fromkeys(groups[b], groups[a])
    if len(groups[names[0]]) == len(names):
        assert sum(worth[edge] for edge in edges) < most + 1e-9

# %%
# Read on
# -------
# Bishop, chapter 8; Koller and Friedman, *Probabilistic Graphical Models*, chapters 3, 9, 10 and 17; Pearl,
# *Causality*, for `do`; Lauritzen and Spiegelhalter (1988) for the junction tree and the asia net.
