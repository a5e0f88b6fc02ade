"""Information criteria of fitted mixtures."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.mixture import MixtureDensity
from parzen.families.likelihood import log_likelihood
from parzen.families.mixture import Mixture
from parzen.statistics.accumulate import accumulate, evaluate, for_blocks
from parzen.statistics.batches import Batches

CRITERIA = ("bic", "icl", "aic")


def criterion_value(name: str, family: Mixture, density: MixtureDensity, rows: Any, w: Array | None) -> float:
    """BIC, ICL or AIC of a mixture on rows with weights; low is good."""
    if isinstance(rows, Batches):
        total, n = log_likelihood(density, rows), rows.weight
    else:
        values = evaluate(density, rows)[:, 0]
        total, n = (float(values.sum()), float(len(values))) if w is None else (float(values @ w), float(w.sum()))
    charge = 2.0 if name == "aic" else float(np.log(n))
    value = family.n_parameters(density) * charge - 2.0 * total
    return value + assignment_uncertainty(density, rows, w) if name == "icl" else value


def assignment_uncertainty(density: MixtureDensity, rows: Any, w: Array | None) -> float:
    """Minus twice the sum of the logs of each row's largest responsibility: what ICL adds to BIC."""
    if isinstance(rows, Batches):
        return float(accumulate(Uncertainty(density), rows))
    parts: dict[int, float] = {}  # by their first row: summed in that order, whichever thread was quicker

    def read(begin: int, block: Any) -> None:
        each = -np.log(density.posterior(block).max(axis=1))
        parts[begin] = float(each.sum() if w is None else each @ w[begin : begin + len(each)])

    for_blocks(density.components, rows, read)
    return 2.0 * sum(parts[begin] for begin in sorted(parts))


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Observes `assignment_uncertainty`: a number, which adds."""

    density: MixtureDensity

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Any:
        """That of a block of rows."""
        return assignment_uncertainty(self.density, X, R)  # type: ignore[arg-type]
