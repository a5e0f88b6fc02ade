"""The oldest libraries that pyproject.toml allows, as pip's requirements: python packaging/oldest.py."""

import re
import tomllib
from pathlib import Path


def oldest(project: dict) -> list[str]:
    """``numpy==1.26.0`` for ``numpy>=1.26``: of the dependencies, and of the extras for pictures and files."""
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["plot"], *extras["cli"]]
    bounds = [re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement) for requirement in asked]
    return [f"{bound[1]}=={bound[2]}{'.0' * (2 - bound[2].count('.'))}" for bound in bounds if bound]


if __name__ == "__main__":
    text = (Path(__file__).resolve().parent.parent / "pyproject.toml").read_text()
    print(*oldest(tomllib.loads(text)["project"]))
