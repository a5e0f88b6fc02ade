"""PyInstaller's hook: it finds neither libraries that ctypes loads nor modules that are imported when they are used."""

from typing import Any


def hook(api: Any) -> None:
    """Add parzen's libraries, data and modules, but not what needs libraries that are not installed with it."""
    from PyInstaller.utils.hooks import collect_data_files, collect_dynamic_libs, collect_submodules

    leave_out = ("parzen.compute.device", "parzen.cli.pyinstaller")
    api.add_datas(collect_data_files("parzen"))
    api.add_binaries(collect_dynamic_libs("parzen"))
    api.add_imports(*collect_submodules("parzen", filter=lambda name: not name.startswith(leave_out)))
