"""Exercises of the course: hints and solutions are folded, in the page and in the notebook.

A lesson writes them as plain paragraphs, which read as well in the script::

    # %%
    # **Exercise 1 (easy).** What happens as h goes to 0?
    #
    # **Hint.** Where is the density of one row alone?
    #
    # **Solution.** It becomes a spike at each row.

    assert ...

A hint is its paragraph. A solution is its paragraph and all that follows, code and output, up to the next exercise.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

WORDS = ("Hint", "Solution")


class folded(nodes.General, nodes.Element):
    """What is shown when the reader asks for it."""


def open_folded(self, node):
    self.body.append(f'<details class="folded {node["word"].lower()}"><summary>{node["word"]}</summary>')


def close_folded(self, node):
    self.body.append("</details>")


def first_words(node):
    """The bold words that a paragraph begins with, without their full stop."""
    if isinstance(node, nodes.paragraph) and node.children and isinstance(node[0], nodes.strong):
        return node[0].astext().rstrip(".")
    return ""


def ends_solution(node):
    """Whether a node belongs to what follows a solution: an exercise, a section, sphinx-gallery's own footer."""
    footer = isinstance(node, (nodes.target, addnodes.only)) or "sphx-glr-timing" in node.get("classes", ())
    return isinstance(node, nodes.section) or footer or first_words(node).startswith("Exercise")


def fold(app, doctree):
    """Put each hint, and each solution with what follows it, into a fold."""
    for paragraph in list(doctree.findall(lambda node: first_words(node) in WORDS)):
        word, parent = first_words(paragraph), paragraph.parent
        start = end = parent.index(paragraph)
        end += 1
        while word == "Solution" and end < len(parent) and not ends_solution(parent[end]):
            end += 1
        inside = parent.children[start:end]
        del paragraph[0]  # the word itself, which the summary says
        if paragraph.children and isinstance(paragraph[0], nodes.Text):
            paragraph[0] = nodes.Text(paragraph[0].astext().lstrip())
        fold = folded(word=word)
        parent[start:end] = [fold]
        fold.extend(inside)


def fold_cells(notebook):
    """Fold the hints and solutions of a notebook: hints and text as HTML, the code of solutions as hidden source."""
    inside = False
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            if inside:
                cell["metadata"] = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
            continue
        text = "".join(cell["source"])
        last = re.findall(r"^(?:\*\*|<summary>|#+ )(Exercise|Solution|\w+)", text, flags=re.MULTILINE)[-1:]
        inside = last == ["Solution"]
        shown = r"<details><summary>\1</summary>\n\n\2\n\n</details>"
        text = re.sub(r"^\*\*(Hint)\.\*\* ?(.*?)(?=\n\n|\Z)", shown, text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(
            r"^\*\*(Solution)\.\*\* ?(.*?)(?=\n\n\*\*Exercise|\Z)", shown, text, flags=re.MULTILINE | re.DOTALL
        )
        cell["source"] = [text]
    return notebook


def fold_notebooks(app):
    """Fold the notebooks that sphinx-gallery has written."""
    for folder in app.config.sphinx_gallery_conf["gallery_dirs"]:
        for path in Path(app.srcdir, folder).glob("*.ipynb"):
            path.write_text(json.dumps(fold_cells(json.loads(path.read_text())), indent=1))


def setup(app):
    through = (lambda self, node: None, lambda self, node: None)
    app.add_node(folded, html=(open_folded, close_folded), latex=through, text=through, man=through)
    app.connect("doctree-read", fold)
    app.connect("builder-inited", fold_notebooks, priority=900)  # after sphinx-gallery
    return {"parallel_read_safe": True}
