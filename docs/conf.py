"""How the documentation is built: ``make docs``."""

import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

from sphinx_gallery.sorting import FileNameSortKey

import parzen

sys.path.insert(0, str(Path(__file__).parent))

project = "parzen"
author = "The parzen developers"
copyright = author  # noqa: A001
version = release = parzen.__version__

extensions = [
    "exercises",
    "links",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "wide",
]
default_role = "literal"  # `names` in backquotes are code, as they are in Markdown and in notebooks
myst_enable_extensions = ["dollarmath"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["build", "course/*.py", "course/GALLERY_HEADER.rst", "decisions/README.md"]
suppress_warnings = ["myst.header", "myst.xref_missing", "config.cache", "ref.ref"]  # labels of scikit-learn's

html_theme = "pydata_sphinx_theme"
html_theme_options = {"navigation_with_keys": False, "show_prev_next": True, "secondary_sidebar_items": ["page-toc"]}
html_title = f"parzen {release}"
html_show_sourcelink = False
# Code, formulae and tables need the width; and pages that are no part of a section have nothing to list beside them.
ALONE = ("benchmarks", "cheatsheet", "contents", "guide/*", "ideas", "index", "lessons/plot_*", "migration", "versions")
html_sidebars = {page: [] for page in ALONE}

# MathJax comes from a package, and draws without fonts of its own: pages work from a file, without a network.
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg-full.js"
html_static_path = ["static", str(MATHJAX)]
html_css_files = ["course.css", "print.css"]
mathjax_path = MATHJAX.name
mathjax3_config = {"options": {"enableMenu": False}, "svg": {"fontCache": "global"}}

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": ["course"],
    "gallery_dirs": ["lessons"],
    "within_subsection_order": FileNameSortKey,
    "filename_pattern": "plot_",
    "abort_on_example_error": True,
    "capture_repr": (),
    "show_memory": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "remove_config_comments": True,
    "copyfile_regex": "",
}
warnings.filterwarnings("ignore", message=".*non-interactive.*")
