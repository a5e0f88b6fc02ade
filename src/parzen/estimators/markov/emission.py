"""What the emissions of hmmlearn's models share, beside being families."""

from abc import abstractmethod
from typing import ClassVar

from parzen.compute.arrays import Array
from parzen.compute.hmm import CountEmission
from parzen.densities.density import Density
from parzen.families.family import Family


class Emission(Family):
    """A family with hmmlearn's M-step, which knows where EM starts."""

    #: The letter of the parameters in `params`.
    letter: ClassVar[str] = "e"

    @abstractmethod
    def check(self) -> None:
        """Raise where a prior doesn't have the shape of the parameters."""

    def counted(self, X: Array) -> CountEmission | None:
        """Rows as counts, for EM in one call; None where they are none, or where the call would lose digits."""
        return None

    def emitting(self, parameter: Array) -> Density:
        """Densities of the probabilities or rates (K, d) that EM in one call has found."""
        raise TypeError(f"{type(self).__name__} emits no counts: internal error; please report it.")
