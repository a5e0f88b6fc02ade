"""Links that a page need not write: names of the library lead to the reference, scripts of the course to its lessons.

Pages say `KernelDensity` in backquotes and link to ``course/plot_03_windows.py``, which reads well and leads somewhere,
where no pages are built (an editor, GitHub).
"""

import importlib
from pathlib import PurePosixPath

from docutils import nodes
from sphinx import addnodes

NAMES = {
    name: f"{place}.{name}"
    for place in ("parzen.displays", "parzen.conjugate", "parzen")
    for name in importlib.import_module(place).__all__
    if name[0].isupper()
}


def reference(domain, kind, target, document, inside):
    """A link, to be resolved when all pages are read."""
    link = addnodes.pending_xref("", refdomain=domain, reftype=kind, reftarget=target, refdoc=document)
    if domain == "std":
        link["refexplicit"] = True
    link += inside
    return link


def link_names(app, doctree):
    """Make links of the class names in backquotes, but for headings, links and the reference itself."""
    document = app.env.docname
    if document.startswith("generated/"):
        return
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext().partition("(")[0].removeprefix("parzen.")
        if name in NAMES and not isinstance(literal.parent, (nodes.reference, nodes.title, addnodes.pending_xref)):
            literal.replace_self(reference("py", "obj", NAMES[name], document, literal.deepcopy()))


def link_lessons(app, doctree):
    """Let links to the scripts of the course lead to the pages made of them."""
    for download in list(doctree.findall(addnodes.download_reference)):
        path = PurePosixPath(download["reftarget"])
        if path.parent.name == "course" and path.suffix == ".py":
            words = nodes.inline("", download.astext())
            target = f"/lessons/{path.stem}"
            download.replace_self(reference("std", "doc", target, app.env.docname, words))


def setup(app):
    app.connect("doctree-read", link_names)
    app.connect("doctree-read", link_lessons)
    return {"parallel_read_safe": True}
