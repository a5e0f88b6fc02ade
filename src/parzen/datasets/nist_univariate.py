"""Univariate reference data of NIST, with certified means and standard deviations."""

import json
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from parzen.datasets.table import FOLDER, features

DESCR = """\
NIST statistical reference data, univariate
===========================================

Eight samples with certified values of the mean, the standard deviation (divisor n - 1) and the lag-1 autocorrelation,
to measure how accurately software computes them.

- Lew: deflections of a steel-concrete beam (200)
- Lottery: numbers drawn in the Maryland lottery (218)
- Mavro: transmittances of a filter (50)
- Michelso: the speed of light in air as Michelson measured it in 1879, in 1,000 km/s (100)
- NumAcc1 to NumAcc4: made to be hard, with many leading digits in common (3, 1,001, 1,001, 1,001)

Source: National Institute of Standards and Technology, Statistical Reference Datasets,
https://www.itl.nist.gov/div898/strd/. A work of the government of the United States, in the public domain.
"""
FILE = "nist_univariate.json"


def load_nist_univariate(name: str = "Michelso", *, as_frame: bool = False) -> Bunch:
    """Load a univariate reference sample of NIST with its certified mean and standard deviation.

    Parameters
    ----------
    name : "Lew", "Lottery", "Mavro", "Michelso", "NumAcc1", "NumAcc2", "NumAcc3" or "NumAcc4"
        The sample.
    as_frame : bool
        Return a pandas table instead of an array.

    Returns
    -------
    Bunch
        `data` of shape (n, 1); `certified_mean`, `certified_std` (divisor n - 1) and `certified_autocorrelation` (lag
        1); `target`, None; `feature_names`; `frame`, the pandas table (None without `as_frame`); `DESCR`, the
        description with source and licence; `filename`.

    Examples
    --------
    >>> from parzen import DensityEstimator
    >>> from parzen.datasets import load_nist_univariate
    >>> light = load_nist_univariate()
    >>> float(DensityEstimator().fit(light.data).density_.mean[0, 0]) - light.certified_mean
    0.0
    """
    samples: dict[str, Any] = json.loads((FOLDER / FILE).read_text(encoding="utf-8"))
    if name not in samples:
        raise ValueError(f"name must be one of {', '.join(samples)}; got {name!r}.")
    found = samples[name]
    values = [float(value) for value in found["values"]]
    if "rule" in found:  # the first value, then the next two in turn
        values = values[:1] + values[1:] * (found["n"] // 2)
    bunch = features(FILE, DESCR, {name: np.array(values)}, as_frame=as_frame)
    bunch.update(
        certified_mean=float(found["mean"]),
        certified_std=float(found["sd_n1"]),
        certified_autocorrelation=float(found["autocorr1"]),
    )
    return bunch
