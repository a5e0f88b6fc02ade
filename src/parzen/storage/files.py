"""Model files: arrays and JSON, written whole or not at all; reading one executes nothing.

A file is in the format of safetensors: eight bytes that say how long a JSON header is, the header, and the arrays one
after another. The header's metadata holds the format's name and version, a checksum, and the model: a tree of JSON in
which arrays stand by their names, and objects by the name of a class of this library and the values of its attributes.
Classes are looked up in the library's own list, made without calling anything of theirs, and given their attributes.
What a file says of sizes and kinds is checked before anything of that size is made.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from parzen.storage.container import packed, unpacked
from parzen.storage.decode import Decoder
from parzen.storage.encode import Encoder


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
    return packed(tree, encoder.arrays)


def load(path: Any) -> Any:
    """Read what `save` has written. Nothing in the file is executed; a broken file is refused.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    the model
    """
    found = unpacked(read_whole(path))
    return Decoder(found.arrays, found.version).node(found.tree)


def describe(path: Any) -> dict[str, Any]:
    """What a file holds, without making a model of it: class, parameters, versions, arrays and their shapes."""
    data = read_whole(path)
    found = unpacked(data)
    kind = found.tree.get("class") if isinstance(found.tree, dict) else None
    return {
        "class": kind if isinstance(kind, str) else None,
        "format": found.version,
        "parzen": found.parzen,
        "bytes": len(data),
        "arrays": {
            name: {"dtype": str(array.dtype), "shape": list(array.shape)} for name, array in found.arrays.items()
        },
    }


def read_whole(path: Any) -> bytes:
    """All bytes of a file."""
    return Path(path).read_bytes()


def write_whole(path: Any, data: bytes) -> None:
    """Write a file so that it is there whole, or as it was before."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent or Path())
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
