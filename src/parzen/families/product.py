"""The product of families: independent blocks of columns, each with its own."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from parzen.compute.arrays import Array, ColumnError, column_block
from parzen.compute.codes import tally
from parzen.compute.memberships import Memberships, group_count
from parzen.compute.steps import repeated
from parzen.densities.product import ProductDensity
from parzen.families.family import Family
from parzen.families.likelihood import initial_density, observe_with_likelihood
from parzen.statistics.accumulate import map_rows
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.statistic import Statistic
from parzen.statistics.threads import for_each
from parzen.tables.table import Table

#: Rows of a block whose columns are worth being observed on several threads.
MANY_ROWS = 4096


@dataclass(eq=False, repr=False)
class Product(Family):
    r"""Independent blocks of columns: :math:`p(x) = \prod_b p_b(x_b)`. Its statistic is the `Joint` of the blocks'.

    Parameters
    ----------
    blocks : dict
        From columns to families. Columns are a name, a position, or a tuple of them; every column stands in one block.

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import Categorical, DensityEstimator, Gaussian, Poisson, Product
    >>> city = ["Oslo", "Lund", "Oslo", "Oslo"]
    >>> table = pd.DataFrame({"age": [31.0, 40, 52, None], "city": city, "visits": [0, 3, 1, 1]})
    >>> family = Product({"age": Gaussian(), "city": Categorical(), "visits": Poisson()})
    >>> DensityEstimator(family).fit(table).score_samples(table).round(2)
    array([-5.53, -6.59, -5.58, -1.69])
    """

    blocks: Any = None

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether every block may have missing cells."""
        return not isinstance(self.blocks, dict) or all(family.takes_missing for family in self._families().values())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; a block's are named after its columns, as in ``age__floor``."""
        return {"blocks": self.blocks} | (parts_of(self.blocks) if deep else {})

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a block's family by its name (``age=Gaussian()``), its options as in ``age__floor``."""
        params, whole = apart(self.blocks, params)
        if whole:
            self.blocks = {**self.blocks, **whole}
        super().set_params(**params)
        return self

    @property
    def iterates(self) -> bool:  # type: ignore[override]
        """Whether a block's family is fitted by EM."""
        return any(family.iterates for family in self._families().values())

    def bind(self, table: Table) -> Self:
        bound: dict[Any, Family] = {}
        owner: dict[int, Any] = {}
        for key, family in self._families().items():
            positions = table.positions(key)
            for position in positions:
                if position in owner:
                    raise ValueError(f"blocks gives one column to {owner[position]!r} and to {key!r}; one block each.")
                owner[position] = key
            bound[tuple(positions)] = family.bind(table.select(positions))
        lacking = [name for position, name in enumerate(table.names()) if position not in owner]
        if lacking:
            raise ValueError(
                f"blocks has no family for {lacking}; every column must stand in one block: drop it or add it."
            )
        return replace(self, blocks=bound)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        pairs = self._pairs(X.shape[1])
        if at is None:
            return Joint(
                _each(lambda pair: _named(pair[1], _observe, pair[0], column_block(X, pair[1]), R), pairs, X.shape[0])
            )
        parts: list[Statistic] = []
        weights: list[Array] = []
        likelihood = np.zeros(group_count(R))
        for (family, columns), density in zip(pairs, at.parts, strict=True):
            block = column_block(X, columns)
            seen = _named(columns, observe_with_likelihood, family, block, R, density)
            weights.append(seen.weight.reshape(len(likelihood), -1))
            likelihood = likelihood + seen.log_likelihood
            parts.append(seen.statistic)
        return ExpectedStatistic(Joint(tuple(parts)), np.concatenate(weights, axis=1), likelihood)

    def observe_additive(self, X: Any, R: Memberships = None) -> Joint:
        pairs = self._pairs(X.shape[1])
        return Joint(
            tuple(_named(columns, family.observe_additive, column_block(X, columns), R) for family, columns in pairs)
        )

    def log_prior(self, density: Any, statistic: Any) -> float:
        parts = zip(self._families().values(), density.parts, statistic.parts, strict=True)
        return sum(part.log_prior(own, seen) for part, own, seen in parts)

    def n_parameters(self, density: Any) -> int:
        return sum(part.n_parameters(own) for part, own in zip(self._families().values(), density.parts, strict=True))

    def maximise(self, statistic: Joint) -> ProductDensity:
        families = self._families()
        columns = tuple(_positions(key) for key in families)
        triples = zip(families.values(), columns, statistic.parts, strict=True)
        return ProductDensity(tuple(_named(own, family.maximise, part) for family, own, part in triples), columns)

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> ProductDensity:
        pairs = [(family, _positions(key)) for key, family in self._families().items()]
        blocks = (map_rows(SomeColumns(columns), X) for _, columns in pairs)
        triples = ((family, columns, block) for (family, columns), block in zip(pairs, blocks, strict=True))
        parts = tuple(_named(columns, initial_density, family, block, R, rng) for family, columns, block in triples)
        return ProductDensity(parts, tuple(columns for _, columns in pairs))

    def _families(self) -> dict[Any, Family]:
        if not isinstance(self.blocks, dict) or not self.blocks:
            raise ValueError(f"blocks must be a dict from columns to families, got {self.blocks!r}.")
        for key, family in self.blocks.items():
            if not isinstance(family, Family):
                raise TypeError(f"blocks[{key!r}] must be a family such as Gaussian(), got {type(family).__name__}.")
        return self.blocks

    def _pairs(self, d: int) -> list[tuple[Family, tuple[int, ...]]]:
        pairs = [(family, _positions(key)) for key, family in self._families().items()]
        used = sorted(column for _, columns in pairs for column in columns)
        if used != list(range(d)):
            raise ValueError(
                f"blocks cover the columns {used}, but there are {d}; every column must stand in one block."
            )
        return pairs


def parts_of(blocks: Any) -> dict[str, Any]:
    """Families of columns as parameters, each with its own: ``age``, ``age__floor``."""
    params: dict[str, Any] = {}
    for key, family in blocks.items() if isinstance(blocks, dict) else ():
        name = _name(key)
        params[name] = family
        params.update({f"{name}__{option}": value for option, value in family.get_params().items()})
    return params


def apart(blocks: Any, params: dict[str, Any]) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Parameters without those that are families of columns, and these."""
    names = {_name(key): key for key in (blocks if isinstance(blocks, dict) else ())}
    whole = {names[name]: value for name, value in params.items() if name in names}
    return {name: value for name, value in params.items() if name not in names}, whole


def _observe(family: Family, block: Any, R: Memberships) -> Statistic:
    """Observe a block; of a column that repeats a few values these, with the memberships of all rows that have them."""
    together = None if family.keeps_rows else repeated(block)
    if together is None or len(together[0]) * group_count(R) > len(block):
        return family.observe(block, R)
    firsts, places = together
    return family.observe(block[firsts], np.ascontiguousarray(tally(places[:, None], R, (len(firsts),)).T))


def _named(columns: tuple[int, ...], function: Any, *arguments: Any) -> Any:
    """Call function for a block; an error of its column j becomes one of the table's column ``columns[j]``."""
    try:
        return function(*arguments)
    except ColumnError as error:
        raise error.renamed(columns) from None


def _each(observe: Any, pairs: list[Any], rows: int) -> tuple[Statistic, ...]:
    """What blocks of columns give, in their order: computed on all threads where there are many rows."""
    if rows < MANY_ROWS:
        return tuple(map(observe, pairs))
    found: list[Statistic] = []
    for_each(observe, iter(pairs), found.append)
    return tuple(found)


def _name(key: Any) -> str:
    return ",".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _positions(key: Any) -> tuple[int, ...]:
    positions = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(position, int | np.integer) for position in positions):
        raise ValueError(
            f"blocks names the columns {key!r}, and bare arrays have no names; use positions or an estimator."
        )
    return tuple(int(position) for position in positions)


@dataclass(frozen=True)
class SomeColumns:
    """Takes columns of rows."""

    columns: tuple[int, ...]

    def __call__(self, X: Any) -> Any:
        """Those of a block."""
        return column_block(X, self.columns)
