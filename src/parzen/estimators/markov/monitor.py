"""The convergence monitor of hmmlearn's models."""

import sys


class Monitor:
    """Log-likelihoods of the steps of a fit, and hmmlearn's rule for when to stop.

    Attributes
    ----------
    history : list of float
        The log-likelihood before each M-step.
    iter : int
        Number of steps that were made.
    converged : bool
        Whether the last step raised the log-likelihood by less than `tol`, or was step number `n_iter`.
    """

    _kept = ("tol", "n_iter", "verbose", "history", "iter")

    def __init__(self, tol: float, n_iter: int, verbose: bool) -> None:
        self.tol, self.n_iter, self.verbose = tol, n_iter, verbose
        self.history: list[float] = []
        self.iter = 0

    def report(self, log_prob: float) -> None:
        """Add the log-likelihood of one more step."""
        if self.verbose:
            gain = log_prob - self.history[-1] if self.history else float("nan")
            sys.stderr.write(f"{self.iter + 1:>10d} {log_prob:>16.8f} {gain:>+16.8f}\n")
        self.history.append(log_prob)
        self.iter += 1

    @property
    def converged(self) -> bool:
        """Whether to stop."""
        rising = len(self.history) < 2 or self.history[-1] - self.history[-2] >= self.tol
        return self.iter == self.n_iter or not rising

    def __repr__(self) -> str:
        return f"Monitor(history={self.history}, iter={self.iter}, tol={self.tol}, n_iter={self.n_iter})"
