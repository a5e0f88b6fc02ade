"""Model files: arrays and JSON, written whole or not at all; reading one executes nothing.

A file is in the format of safetensors: eight bytes that say how long a JSON header is, the header, and the arrays one
after another. The header's metadata holds the format's name and version, a checksum, and the model: a tree of JSON in
which arrays stand by their names, and objects by the name of a class of this library and the values of its attributes.
Classes are looked up in the library's own list, made without calling anything of theirs, and given their attributes.
What a file says of sizes and kinds is checked before anything of that size is made.
"""

import contextlib
import errno
import io
import json
import os
import stat
from pathlib import Path
from typing import Any

from parzen.storage.container import Contents, packed, unpacked
from parzen.storage.decode import Decoder
from parzen.storage.encode import Encoder
from parzen.storage.errors import ModelFileError
from parzen.storage.nodes import room


class SaveMixin:
    """What can be saved to a file: see `parzen.load`."""

    def save(self, path: Any) -> None:
        """Write to a file that `parzen.load` reads back, to the last bit; whole or not at all.

        Parameters
        ----------
        path : str or Path
        """
        save(self, path)


def save(model: Any, path: Any) -> None:
    """Write a model (an estimator, a statistic, a family, densities) to a file; whole or not at all.

    Parameters
    ----------
    model : what is written
    path : str or Path

    Examples
    --------
    >>> import tempfile, numpy as np, parzen
    >>> model = parzen.KernelDensity(bandwidth=0.5).fit(np.array([[0.0], [1.0], [3.0]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parzen.save(model, folder + "/model.parzen")
    ...     again = parzen.load(folder + "/model.parzen")
    >>> bool((again.score_samples([[0.5]]) == model.score_samples([[0.5]])).all())
    True
    """
    write_whole(path, dumped(model))


def dumped(model: Any) -> bytes:
    """What a file of a model holds."""
    encoder = Encoder()
    tree = json.dumps(encoder.node(model), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    data = packed(tree, encoder.arrays)
    if encoder.taken > room(len(data)):
        raise ModelFileError(
            "a file can't hold this model: an array of text is much wider than most of its cells (make it one of "
            "objects), or a range is much longer than the rest."
        )
    return data


def load(path: Any) -> Any:
    """Read what `save` has written. Nothing in the file is executed; a broken file is refused.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    the model
    """
    found = read_file(path)
    return Decoder(found.arrays, found.version, found.size).node(found.tree)


def loaded(data: bytes) -> Any:
    """What `dumped` has made bytes of."""
    found = unpacked(io.BytesIO(data), len(data))
    return Decoder(found.arrays, found.version, found.size).node(found.tree)


def describe(path: Any) -> dict[str, Any]:
    """What a file holds, without making a model of it: class, parameters, versions, arrays and their shapes."""
    found = read_file(path)
    kind = found.tree.get("class") if isinstance(found.tree, dict) else None
    return {
        "class": kind if isinstance(kind, str) else None,
        "format": found.version,
        "parzen": found.parzen,
        "bytes": found.size,
        "arrays": {
            name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in found.arrays.items()
        },
    }


def read_file(path: Any) -> Contents:
    """What a file holds; anything but a regular file is refused before it is opened, since it may never end."""
    mode = Path(path).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # opening a folder is an error that says so
        raise ModelFileError(f"{str(path)!r} is a device or a pipe; a model is read from a regular file.")
    with Path(path).open("rb") as file:
        return unpacked(file, os.fstat(file.fileno()).st_size)


#: Files that are being written, which no one shall find.
_unfinished: set[Path] = set()


def write_whole(path: Any, data: bytes, draft: Path | None = None) -> None:
    """Write a file so that it is there whole, or as it was before.

    Links are followed. What is no regular file (a device, a pipe) is written to as it is: only a regular file can be
    replaced. It is written as `draft`, by default a new name beside it, and renamed.
    """
    given = Path(path)
    try:
        before = given.stat()
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with given.open("wb") as file:
            file.write(data)
        return
    target = Path(os.path.realpath(given))
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(given))
    if draft is None:
        draft = target.with_name(f".parzen-{os.urandom(8).hex()}")
    else:
        draft.unlink(missing_ok=True)
    _unfinished.add(draft)
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if before is not None:
                _as_before(file.fileno(), before)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(draft)


def _as_before(file: int, before: os.stat_result) -> None:
    """Give a file the owner, where that is allowed, and the mode of the one that it replaces."""
    with contextlib.suppress(PermissionError):
        os.fchown(file, before.st_uid, before.st_gid)
    os.fchmod(file, stat.S_IMODE(before.st_mode) & 0o777)


def remove_unfinished() -> None:
    """Remove the files that are being written: for whoever ends the process at once."""
    for draft in list(_unfinished):
        draft.unlink(missing_ok=True)
