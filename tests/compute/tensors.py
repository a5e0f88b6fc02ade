"""Tensors where the tests of rows on a device have them: on a GPU, or on the processor as if it were one."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: `make test-gpu` installs it and runs these.")

from parzen.compute.device import array, sums  # noqa: E402

HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture
def as_on_a_device(monkeypatch):
    """Tensors on the processor are read by PyTorch's products, as on a device."""
    monkeypatch.setattr(array, "on_device", lambda tensor: True)
    if HERE.type == "cpu":
        monkeypatch.setattr(sums, "kernels", lambda: None)


def there(values):
    return torch.from_numpy(np.ascontiguousarray(values)).to(HERE)
