"""Log-odds of a class from log-posteriors."""

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array


def log_odds(log_posterior: ArrayLike, k: int) -> Array:
    """Log-odds of class k against all others, (n,), without cancellation where a posterior is nearly 1.

    Parameters
    ----------
    log_posterior : array of shape (n, K)
    k : int, the class

    Examples
    --------
    >>> import numpy as np
    >>> log_odds(np.log([[0.2, 0.5, 0.3]]), 0).round(4)
    array([-1.3863])
    """
    logs = np.asarray(log_posterior, dtype=np.float64)
    odds: Array = logs[:, k] - np.logaddexp.reduce(np.delete(logs, k, axis=1), axis=1)
    return odds
