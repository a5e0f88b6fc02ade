"""What is told of the compiled library outside of this room: its level and its file, or why there is none."""

from parzen.compute import native


def loaded() -> tuple[str, str]:
    """The instruction-set level in use and the path of its library; where it can't be loaded, the reason twice."""
    try:
        return native.level(), str(native.path())
    except (ImportError, ValueError) as error:
        return (f"none: {error}",) * 2
