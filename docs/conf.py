"""How the documentation is built: ``make docs``."""

import warnings

from sphinx_gallery.sorting import FileNameSortKey

import parzen

project = "parzen"
author = "The parzen developers"
copyright = author  # noqa: A001
version = release = parzen.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["build", "course/*.py", "course/GALLERY_HEADER.rst", "decisions/README.md"]
suppress_warnings = ["myst.header", "myst.xref_missing", "config.cache", "ref.ref"]  # labels of scikit-learn's

html_theme = "pydata_sphinx_theme"
html_theme_options = {"navigation_with_keys": False, "show_prev_next": True, "secondary_sidebar_items": ["page-toc"]}
html_title = f"parzen {release}"
html_show_sourcelink = False

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
