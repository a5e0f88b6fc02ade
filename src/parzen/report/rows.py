"""Random samples of rows."""

from typing import Any

import numpy as np


def sample_rows(frame: Any, most: int, rng: np.random.Generator) -> Any:
    """At most so many rows of a table, drawn without replacement, in their order."""
    if len(frame) <= most:
        return frame
    return frame.iloc[np.sort(rng.choice(len(frame), most, replace=False))]
