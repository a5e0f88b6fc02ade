"""The version of this library, written here and nowhere else: the build, model files and reports read it."""

__version__ = "0.1.0"
