"""What PyInstaller has to know to put parzen into a program: its compiled libraries, and modules imported by name."""

from pathlib import Path


def hook_directories() -> list[str]:
    """The folder of the hook; PyInstaller asks for it by the entry point ``pyinstaller40``."""
    return [str(Path(__file__).parent)]
