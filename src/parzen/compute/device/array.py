"""Arrays on a device: what the library asks of an array, over a tensor of PyTorch; and tensors at the door."""

import sys
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DeviceArray", "Leaving", "arriving", "is_device"]


class DeviceArray:
    """An array on a device, over a tensor: its shape, its type, blocks of its rows.

    It is deliberately little: what has no routine for devices asks for NumPy's array, and gets an error that names the
    way (`X.cpu()`), never a silent copy over the bus.

    Attributes
    ----------
    tensor : torch.Tensor, without gradients
    """

    __slots__ = ("tensor",)
    __array_ufunc__ = None  # NumPy's operators leave it alone

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return int(self.tensor.ndim)

    @property
    def size(self) -> int:
        return int(self.tensor.numel())

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(str(self.tensor.dtype).removeprefix("torch."))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> "DeviceArray":
        if isinstance(rows, tuple):
            return DeviceArray(self.tensor[tuple(self._place(part) for part in rows)])
        return DeviceArray(self.tensor[self._place(rows)])

    def __setitem__(self, rows: Any, values: Any) -> None:
        place = tuple(self._place(part) for part in rows) if isinstance(rows, tuple) else self._place(rows)
        self.tensor[place] = values.tensor if isinstance(values, DeviceArray) else values

    def plus(self, number: float) -> "DeviceArray":
        """These cells and a number added to each."""
        return DeviceArray(self.tensor + number)

    def min(self) -> Any:
        """The least cell, missing ones left out."""
        return self._known(float("inf")).min().item()

    def largest(self) -> NDArray[Any]:
        """The largest cell of each column, missing ones left out, as NumPy's array."""
        found: NDArray[Any] = self._known(float("-inf")).max(dim=0).values.cpu().numpy()
        return found

    def missing(self) -> bool:
        """Whether a cell is missing."""
        return self.tensor.is_floating_point() and bool(self.tensor.isnan().any())

    def filled(self, value: float) -> "DeviceArray":
        """The same cells, and a number where one is missing."""
        return DeviceArray(self.tensor.masked_fill(self.tensor.isnan(), value))

    def above(self, number: float) -> "DeviceArray":
        """Whether each cell is above a number."""
        return DeviceArray(self.tensor > number)

    def trunc(self) -> "DeviceArray":
        """The whole parts of cells."""
        return DeviceArray(self.tensor.trunc())

    def _known(self, instead: float) -> Any:
        cells = self.tensor
        return cells.masked_fill(cells.isnan(), instead) if cells.is_floating_point() else cells

    def _place(self, part: Any) -> Any:
        import torch

        if isinstance(part, DeviceArray):
            return part.tensor
        return torch.as_tensor(part, device=self.tensor.device) if isinstance(part, np.ndarray) else part

    def astype(self, dtype: Any, copy: bool = True) -> "DeviceArray":
        """The same numbers in another type; without a copy where they have it."""
        if not copy and self.dtype == dtype:
            return self
        import torch

        return DeviceArray(self.tensor.to(getattr(torch, np.dtype(dtype).name)))

    def looked_up(self, table: NDArray[Any]) -> "DeviceArray":
        """The cell of a table at each of these codes."""
        import torch

        return DeviceArray(torch.from_numpy(np.ascontiguousarray(table)).to(self.tensor.device)[self.tensor.long()])

    def host(self) -> NDArray[Any]:
        """A copy in the host's memory, as NumPy's array."""
        copied: NDArray[Any] = self.tensor.cpu().numpy()
        return copied

    def empty(self, shape: Any, dtype: Any = np.float64) -> "DeviceArray":
        """An array on the same device, its cells not yet written."""
        import torch

        name = getattr(torch, np.dtype(dtype).name)
        try:
            return DeviceArray(torch.empty(shape, dtype=name, device=self.tensor.device))
        except torch.OutOfMemoryError as problem:
            from parzen.compute.device.memory import lacking

            raise lacking(problem, self.tensor.device, int(np.prod(shape)) * np.dtype(dtype).itemsize) from None

    def stays_there(self) -> TypeError:
        """The error of what has no routine for devices."""
        return TypeError(
            f"this runs on the processor alone, and X lies on {self.tensor.device}; give X.cpu() (and y.cpu()). "
            "docs/guide/gpu.md lists what runs on a device."
        )

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise self.stays_there()


def is_device(X: Any) -> bool:
    """Whether an array lies on a device."""
    return type(X) is DeviceArray


def arriving(X: Any) -> "tuple[Any, Leaving | None]":
    """What a user gave, as the library reads it; and what makes results of the same kind, on the same device.

    A tensor on the processor is read as it is, without a copy. None in the place of the second where X is no tensor.
    """
    kind = type(X)
    if isinstance(X, np.ndarray) or not hasattr(X, "__dlpack__") or kind.__module__.startswith("pyarrow"):
        return X, None
    import torch

    library = "torch" if isinstance(X, torch.Tensor) else kind.__module__.partition(".")[0]
    if not isinstance(X, torch.Tensor):
        X = torch.from_dlpack(X)
    if X.is_complex():
        raise TypeError(f"X must hold real numbers, got {X.dtype}; give X.real, or both parts as columns.")
    if X.requires_grad:
        warnings.warn(
            "X requires gradients, which don't flow through an estimator: it is read as X.detach().", stacklevel=4
        )
        X = X.detach()
    if X.dtype in (torch.float16, torch.bfloat16):
        X = X.float()
    rows = DeviceArray(X) if on_device(X) else X.numpy()
    return rows, Leaving(library, str(X.device))


def on_device(tensor: Any) -> bool:
    """Whether a tensor is read where it lies, by the routines for devices."""
    return bool(tensor.device.type != "cpu")


@dataclass(frozen=True)
class Leaving:
    """Makes results of the kind that was given: tensors on its device, or arrays of its library.

    Attributes
    ----------
    library : the name of its module: "torch", "cupy", "jax"
    device : as PyTorch names it
    """

    library: str
    device: str

    def __call__(self, result: Any) -> Any:
        import torch

        if isinstance(result, tuple):
            return tuple(self(part) for part in result)
        if isinstance(result, DeviceArray):
            tensor = result.tensor
        elif isinstance(result, np.ndarray) and result.dtype.kind in "biuf":
            tensor = torch.from_numpy(np.ascontiguousarray(result)).to(self.device)
        else:
            return result  # an estimator, a number, labels that are text
        return tensor if self.library == "torch" else sys.modules[self.library].from_dlpack(tensor)

    def there(self) -> bool:
        """Whether this machine has the device, and the library is in use."""
        if not find_spec("torch") or (self.library != "torch" and self.library not in sys.modules):
            return False
        import torch

        return self.device.partition(":")[0] != "cuda" or bool(torch.cuda.is_available())
