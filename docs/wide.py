"""Pictures much wider than high are marked, so that a phone scrolls them instead of shrinking them."""

from pathlib import Path

from PIL import Image
from sphinx_gallery.directives import imgsgnode

RATIO = 2.2  # of width to height, from which on two or more panels stand side by side


def mark(app, doctree):
    """Give wide pictures a class of their own; course.css has the rest."""
    for node in doctree.findall(imgsgnode):
        with Image.open(Path(app.srcdir, node["uri"].lstrip("/"))) as picture:
            wide = picture.width > RATIO * picture.height
        if wide and node["class"]:
            node["class"] = [f"{node['class'][0]} wide"]


def setup(app):
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True}
