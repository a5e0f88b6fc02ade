"""The laws of the algebra, for whoever writes a family: call these on yours, with rows that it can read.

They raise AssertionError with the law's name when one is broken.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Labels
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.statistics.accumulate import accumulate, block_rows
from parzen.statistics.statistic import Statistic, arrays_of
from parzen.statistics.threads import threads

__all__ = ["assert_same", "check_density", "check_family", "check_statistic"]


def assert_same(a: Any, b: Any, law: str, rtol: float = 1e-9) -> None:
    """Assert that two statistics (or arrays) are equal up to rounding, in units of the largest entry of each column."""
    left, right = (arrays_of(_canonical(side), rounding=False) for side in (a, b))
    assert len(left) == len(right), f"{law}: {len(left)} arrays on one side, {len(right)} on the other"
    for mine, theirs in zip(left, right, strict=True):
        assert mine.shape == theirs.shape, f"{law}: shapes {mine.shape} and {theirs.shape}"
        finite = np.where(np.isfinite(mine), np.abs(mine), 0.0)
        size = np.broadcast_to(finite.max(axis=tuple(range(mine.ndim - 1)), initial=0.0), mine.shape)
        with np.errstate(invalid="ignore"):  # infinities that are alike
            off = ~((mine == theirs) | (np.abs(mine - theirs) <= rtol * size))
        assert not off.any(), f"{law}: {mine[off][:3]} is not {theirs[off][:3]}"


def _canonical(side: Any) -> Any:
    return side.canonical() if isinstance(side, Statistic) else side


def check_statistic(parts: Sequence[Statistic], rtol: float = 1e-9) -> None:
    """Check that statistics add: in any order, in any grouping, scaled, and without being changed.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.statistics import Sums
    >>> check_statistic([Sums(np.array([[float(i)]]), np.array([[float(i * i)]])) for i in range(1, 4)])
    """
    a, b, c = parts
    before = [array.copy() for array in arrays_of(a)]
    assert_same(sum([a, b, c]), a + b + c, "sum() starts from zero", rtol)
    assert_same((a + b) + c, a + (b + c), "associativity", rtol)
    assert_same(a + b, b + a, "commutativity", rtol)
    assert_same(2.0 * a, a + a, "twice a statistic is the statistic added to itself", rtol)
    assert_same(a + 0.0 * b, a, "what is forgotten adds nothing", rtol)
    assert_same(0.5 * (a + b), 0.5 * a + 0.5 * b, "forgetting distributes over adding", rtol)
    for old, new in zip(before, arrays_of(a), strict=True):
        np.testing.assert_array_equal(old, new, err_msg="adding leaves its operands alone")


def check_family(family: Family, X: Any, codes: Any = None, rtol: float = 1e-9, seed: int = 0) -> Density:
    """Check the laws of a family on rows X that belong to groups `codes`, and those of its density.

    Parameters
    ----------
    family : the family; `observe` must need no current density on these rows
    X : array or CSR of at least 12 rows
    codes : group of each row; by default they alternate between two

    Returns
    -------
    the density fitted to X

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian
    >>> check_family(Gaussian("diag"), np.random.default_rng(0).normal(size=(50, 3))).shape
    (2, 3)
    """
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    codes = np.arange(n) % 2 if codes is None else np.asarray(codes)
    weights = rng.integers(0, 4, n).astype(np.float64)
    params = repr(family.get_params())
    labels = Labels(codes, weights)
    whole = family.observe(X, labels)
    cuts = np.sort(rng.choice(np.arange(1, n), 2, replace=False))
    parts = [family.observe(X[rows], labels[rows]) for rows in np.split(np.arange(n), cuts)]

    check_statistic(parts, rtol)
    assert_same(sum(parts), whole, "the parts add up to the whole", rtol)
    _check_rows(family, X, labels, whole, rtol)
    _check_loop(family, X, labels, whole, cuts, rtol)
    first, second = (clone(family).maximise(whole) for _ in range(2))
    assert_same(first.log_density(X), second.log_density(X), "maximise is a function", 0.0)
    assert repr(family.get_params()) == params, "a family is never changed by fitting"
    density = fit(family, X, labels).density
    check_density(density, X)
    return density


def _check_rows(family: Family, X: Any, labels: Labels, whole: Statistic, rtol: float) -> None:
    """Check what order, weights and memberships mean."""
    n = X.shape[0]
    order = np.random.default_rng(1).permutation(n)
    assert_same(family.observe(X[order], labels[order]), whole, "the order of rows doesn't matter", rtol)
    assert_same(family.observe(X, labels.dense()), whole, "labels equal one-hot memberships", rtol)
    again = np.repeat(np.arange(n), labels.weights.astype(int))
    repeated = Labels(labels.codes[again], groups=labels.groups)
    assert_same(family.observe(X[again], repeated), whole, "weight 2 is the row twice, weight 0 is no row", rtol)
    nowhere = Labels(np.where(labels.weights == 0, -1, labels.codes), labels.weights, labels.groups)
    assert_same(family.observe(X, nowhere), whole, "a negative code is no row", rtol)
    empty = family.observe(X[:0], labels[:0])
    assert_same(whole + empty, whole, "no rows add nothing", rtol)
    wider = family.observe(X, Labels(labels.codes, labels.weights, labels.groups + 1))
    for narrow, wide in zip(arrays_of(_canonical(whole)), arrays_of(_canonical(wider)), strict=True):
        np.testing.assert_array_equal(wide[: len(narrow)], narrow, err_msg="an empty group changes no other")


def _check_loop(family: Family, X: Any, labels: Labels, whole: Statistic, cuts: Any, rtol: float) -> None:
    """Check threads and batches."""
    many = np.arange(2 * block_rows(X, labels.groups) + 1) % X.shape[0]  # three blocks: threads have something to share
    rows, members = X[many], labels[many]
    results = []
    for count in (1, 2, 5):
        with threads(count):
            results.append(accumulate(family, rows, members))
    for other in results[1:]:
        for mine, theirs in zip(arrays_of(results[0]), arrays_of(other), strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg="threads don't change a bit")
    batches = [(X[rows], labels[rows]) for rows in np.split(np.arange(X.shape[0]), cuts)]
    assert_same(accumulate(family, iter(batches)), whole, "batches equal the whole", rtol)


def check_density(density: Density, X: Any, seed: int = 0) -> None:
    """Check shapes, row independence, missing cells, samples, and the chain rule of marginal and conditional."""
    K, d = density.shape
    n = X.shape[0]
    values = density.log_density(X)
    assert values.shape == (n, K), f"log_density gives shape {values.shape}, expected {(n, K)}"
    assert values.dtype == np.float64, f"log_density gives {values.dtype}, expected float64"
    assert not np.isnan(values).any(), "log_density is never NaN"
    assert (values < np.inf).all(), "log_density is never infinite upwards"
    rows = np.array([n - 1, 0])
    assert_same(density.log_density(X[rows]), values[rows], "a row's density doesn't depend on the others", 1e-12)
    draws = density.sample(np.arange(20) % K, np.random.default_rng(seed))
    assert draws.shape == (20, d), f"sample gives shape {draws.shape}, expected {(20, d)}"
    repeat = density.sample(np.arange(20) % K, np.random.default_rng(seed))
    np.testing.assert_array_equal(draws, repeat, err_msg="sample is a function of its generator")
    if is_sparse(X) or d < 2:
        return
    _check_columns(density, draws)


def _check_columns(density: Density, rows: Array) -> None:
    """Check marginals and conditionals, of densities that have them."""
    d = density.shape[1]
    given, rest = [d - 1], list(range(d - 1))
    try:
        marginal = density.marginal(given)
    except TypeError:
        return
    known = rows.copy()
    known[:, rest] = np.nan
    alone = marginal.log_density(rows[:, given])
    assert_same(density.log_density(known), alone, "missing values are marginalised", 1e-8)
    assert_same(
        density.marginal([*given, *rest]).log_density(rows[:, [*given, *rest]]),
        density.log_density(rows),
        "order",
        1e-8,
    )
    for row in rows[:3]:
        others = density.conditional(given, row[given]).log_density(row[None, rest])
        chain = marginal.log_density(row[None, given]) + others
        assert_same(density.log_density(row[None]), chain, "p(x, y) = p(x) p(y | x)", 1e-8)
