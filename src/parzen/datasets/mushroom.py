"""Mushrooms, edible and poisonous."""

from typing import Any

from parzen.datasets.table import classification

DESCR = """\
Mushroom
========

8,124 descriptions of mushrooms of 23 species of Agaricus and Lepiota, from The Audubon Society Field Guide to North
American Mushrooms (1981). Those of unknown edibility count as poisonous.

Samples: 8,124. Features: 22 categories of up to 12 letters. Missing values: stalk-root 2,480. Classes: edible (4,208),
poisonous (3,916).

- cap-shape: b bell, c conical, f flat, k knobbed, s sunken, x convex
- cap-surface: f fibrous, g grooves, s smooth, y scaly
- bruise: t yes, f no
- odor: a almond, c creosote, f foul, l anise, m musty, n none, p pungent, s spicy, y fishy
- gill-attach: a attached, f free
- gill-space: c close, w crowded
- gill-size: b broad, n narrow
- stalk-shape: e enlarging, t tapering
- stalk-root: b bulbous, c club, e equal, r rooted
- stalk-surface-above-ring, stalk-surface-below-ring: f fibrous, k silky, s smooth, y scaly
- veil-type: p partial
- ring-number: n none, o one, t two
- ring-type: e evanescent, f flaring, l large, n none, p pendant
- population: a abundant, c clustered, n numerous, s scattered, v several, y solitary
- habitat: d woods, g grasses, l leaves, m meadows, p paths, u urban, w waste
- colours (cap, gill, stalk above and below the ring, veil, spore print): b buff, c cinnamon, e red, g grey,
  h chocolate, k black, n brown, o orange, p pink, r green, u purple, w white, y yellow

Source: Mushroom (1981), UCI Machine Learning Repository, https://doi.org/10.24432/C5959T; donated by J. Schlimmer.
Licence: Creative Commons Attribution 4.0 International (CC BY 4.0). Changes: a header line.
"""


def load_mushroom(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the mushroom data: is a mushroom edible or poisonous?

    8,124 mushrooms, 22 features: categories, one of them with missing values.

    Parameters
    ----------
    return_X_y : bool
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool
        Return pandas tables instead of arrays.

    Returns
    -------
    Bunch or tuple
        `data` of shape (8124, 22), objects: letters, NaN where missing; `target` of shape (8124,), codes of
        `target_names`; `feature_names`; `frame`, data and target in one pandas table (None without `as_frame`);
        `DESCR`, the description with the meaning of the letters, source and licence; `filename`.

    Examples
    --------
    >>> from parzen import CategoricalNB
    >>> from parzen.datasets import load_mushroom
    >>> X, y = load_mushroom(return_X_y=True)
    >>> CategoricalNB().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """
    classes = {"e": "edible", "p": "poisonous"}
    return classification(
        "mushroom.csv.gz", DESCR, target="edible", classes=classes, return_X_y=return_X_y, as_frame=as_frame
    )
