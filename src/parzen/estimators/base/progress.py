"""Progress of long work: a bar on a terminal, lines elsewhere, and scikit-learn's callbacks where it has them."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

try:
    from sklearn import callback as _callbacks
except ImportError:  # scikit-learn before 1.9
    _callbacks = None


class _Silent:
    """A substitute for scikit-learn's mixin, where it has no callbacks."""


CallbackSupportMixin: Any = _Silent if _callbacks is None else _callbacks.CallbackSupportMixin

M = TypeVar("M", bound=Callable[..., Any])


def with_callbacks(method: M) -> M:
    """Let scikit-learn end what its callbacks have begun, where it has callbacks."""
    return method if _callbacks is None else cast("M", _callbacks.with_callbacks(method))


Watch = Callable[[int, float], bool]


@contextmanager
def watching(
    estimator: Any, X: Any, most: int, weight: float, what: str = "log-likelihood per row", silent: bool = False
) -> Iterator[Watch]:
    """Give a callback for `parzen.fit` that tells an estimator's callbacks, and its user, of each step.

    Parameters
    ----------
    estimator : with `verbose` and `verbose_interval`
    most : most steps
    weight : weight of the rows, for what one of them has of it
    what : what is said to rise
    silent : whether the callbacks alone are told, whatever `verbose` is
    """
    verbose = 0 if silent else int(getattr(estimator, "verbose", 0))
    every = max(int(getattr(estimator, "verbose_interval", 1)), 1)
    context = estimator._init_callback_context(max_subtasks=most) if hasattr(estimator, "_skl_callbacks") else None
    if context is not None:
        context.call_on_fit_task_begin(estimator=estimator, X=X)
    begun, before = time.perf_counter(), [float("nan")]
    bar = sys.stdout.isatty()

    def watch(step: int, score: float) -> bool:
        stop = False
        if context is not None:
            inner = context.subcontext(task_name="iteration")
            inner.call_on_fit_task_begin(estimator=estimator, X=X)
            told = {"log_likelihood": score / weight}
            stop = bool(inner.call_on_fit_task_end(estimator=estimator, X=X, metadata=told))
        if verbose and bar:
            done = min(30 * (step + 1) // most, 30)
            sys.stdout.write(f"\r[{'#' * done}{'.' * (30 - done)}] step {step:4d}, {what} {score / weight:.6f}")
            sys.stdout.flush()
        elif verbose and step % every == 0:
            gain, passed = score / weight - before[0], time.perf_counter() - begun
            text = f"  step {step:4d}  {what} {score / weight:.6f}"
            text += "" if step == 0 else f"  change {gain:.2e}"
            sys.stdout.write(text + (f"  {passed:.1f} s" if verbose > 1 else "") + "\n")
            sys.stdout.flush()
        before[0] = score / weight
        return stop

    yield watch
    if verbose and bar:
        sys.stdout.write("\n")
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator, X=X)
