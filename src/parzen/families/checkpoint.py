"""A long EM over batches, kept in a file after each pass: a fit that was killed goes on from there."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parzen.families.checks import same_parameters
from parzen.families.family import Family
from parzen.families.squarem import Squarem
from parzen.statistics.batches import Batches
from parzen.storage.errors import ModelFileError
from parzen.storage.files import dumped, load, write_whole
from parzen.tables.sources.errors import SourceError


@dataclass(frozen=True)
class Checkpoint:
    """A file that keeps how far EM has come.

    Attributes
    ----------
    path : the file
    family : that is fitted
    mark : what tells the rows from other rows
    """

    path: Path
    family: Family
    mark: str

    @classmethod
    def of(cls, family: Family, X: Any) -> "Checkpoint | None":
        """The checkpoint that batches ask for; None for others."""
        if not isinstance(X, Batches) or X.checkpoint is None:
            return None
        return cls(Path(X.checkpoint), family, X.mark)

    def found(self) -> dict[str, Any] | None:
        """What was kept of an EM of this family over these rows; None where there is nothing."""
        self._check_place()
        if not self.path.exists():
            return None
        try:
            kept = load(self.path)
        except ModelFileError as reason:
            raise ValueError(
                f"{str(self.path)!r} is no checkpoint ({str(reason).rstrip('.')}); remove it, or give checkpoint a new "
                "name."
            ) from None
        if not isinstance(kept, dict) or "mark" not in kept:
            raise ValueError(f"{str(self.path)!r} is no checkpoint; give checkpoint a new name.")
        if kept["mark"] != self.mark:
            raise ValueError(
                f"the checkpoint {str(self.path)!r} is of other rows or columns than these, or they have changed "
                "since; remove it, or give checkpoint a new name."
            )
        if not same_parameters(kept["family"], self.family):
            raise ValueError(
                f"the checkpoint {str(self.path)!r} is of a fit with other parameters; remove it, or give checkpoint a "
                "new name."
            )
        return kept

    def _check_place(self) -> None:
        """Raise where nothing could be written, before the first pass."""
        folder = self.path.absolute().parent
        if self.path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            what = "it is a folder" if self.path.is_dir() else f"{str(folder)!r} is no folder that can be written to"
            raise SourceError(f"checkpoint={str(self.path)!r} can't be written: {what}; give the path of a file.")

    @property
    def _draft(self) -> Path:
        """What is written before it takes the name: by a name of its own, so that a kill leaves one at most."""
        return self.path.absolute().with_name(f".{self.path.name}.draft")

    def keep(self, squarem: Squarem, **state: Any) -> None:
        """Keep a state, whole or not at all."""
        own = {name: getattr(squarem, name) for name in ("longest", "reached", "fallback")}
        plain = [[statistic, objective] for statistic, objective in squarem.plain]
        kept = {"mark": self.mark, "family": self.family, "plain": plain, "squarem": own, **state}
        try:
            write_whole(self.path, dumped(kept), self._draft)
        except OSError as error:
            raise SourceError(f"{str(self.path)!r} can't be written: {error.strerror or error}.") from error

    def remove(self) -> None:
        """Remove the file: EM has ended."""
        self.path.unlink(missing_ok=True)
        self._draft.unlink(missing_ok=True)


def restored(squarem: Squarem, kept: dict[str, Any]) -> None:
    """Give an accelerator the state that was kept."""
    for name, value in kept["squarem"].items():
        setattr(squarem, name, value)
    squarem.plain = [(statistic, objective) for statistic, objective in kept["plain"]]
