"""The page as a widget of a notebook: the same modules in a frame, whose questions go to the kernel."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parzen.displays.explore import static
from parzen.displays.explore.data import Data, plain
from parzen.displays.explore.jobs import quietly
from parzen.displays.explore.request import Request, RequestError, Superseded
from parzen.displays.explore.views import VIEWS


def explore(X: Any, y: Any = None, *, name: str = "table", target: str | None = None) -> Any:
    """Explore a table in a notebook: the page of ``parzen explore``, as a widget.

    It needs anywidget: ``pip install 'parzen[explore]'``. Outside a notebook, use the command ``parzen explore``.

    Parameters
    ----------
    X : table of shape (n, d): array or pandas
        Columns of numbers, and of 2 to 20 categories, can be explored.
    y : array of shape (n,), optional
        Classes, or a number to predict: one more column.
    name : str
        The title of the page.
    target : str, optional
        The column of classes that the page begins with; with `y`, the name of that column ("y" by default).

    Returns
    -------
    anywidget.AnyWidget
    """
    try:
        from anywidget import AnyWidget
    except ImportError:
        raise ImportError(
            "parzen.explore needs anywidget, which shows the page in a notebook: pip install 'parzen[explore]'. "
            "Outside a notebook, the command `parzen explore FILE` opens the same page in a browser."
        ) from None
    data = data_of(X, y, name, target)
    from traitlets import Unicode

    widget = type("Explore", (AnyWidget,), {"_esm": SCRIPT, "page": Unicode(document()).tag(sync=True)})()
    widget.on_msg(lambda source, content, buffers: answered(data, content, source.send))
    return widget


def data_of(X: Any, y: Any = None, name: str = "table", target: str | None = None) -> Data:
    """The columns of an array or of a pandas table, with y as one more."""
    if y is not None:
        target = target or str(getattr(y, "name", None) or "y")
    if hasattr(X, "columns"):
        frame = X if y is None else X.assign(**{str(target): np.asarray(y)})
        return Data.of_frame(frame, target, name)
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"X must be a table of shape (n, d), got shape {rows.shape}.")
    numbers = {f"x{j}": np.where(np.isfinite(column), column, np.nan) for j, column in enumerate(rows.T)}
    if y is None:
        return Data(name, numbers, {}, None)
    labels = np.asarray(y)
    if labels.shape != (len(rows),):
        raise ValueError(f"y must be {len(rows)} values, one for each row of X, got shape {labels.shape}.")
    if labels.dtype.kind == "f":
        numbers[str(target)] = labels
    few = len(np.unique(labels)) <= 20
    return Data(name, numbers, {str(target): labels.astype(str)} if few else {}, target)


def answered(data: Data, message: Any, send: Callable[[Any], None]) -> None:
    """Answer a question of the page: as the server does, by messages in the place of lines."""
    if not isinstance(message, dict) or not isinstance(message.get("id"), int):
        return
    number, body = message["id"], message.get("body")
    try:
        send({"id": number, "answer": _reply(data, message.get("path"), body, lambda share: None)})
    except (RequestError, Superseded, ValueError) as error:
        send({"id": number, "error": " ".join(str(error).split())[:400]})


def _reply(data: Data, path: Any, body: Any, progress: Callable[[float], None]) -> Any:
    if path == "/beat":
        return {}
    if path == "/data":
        return plain({**data.meta(), "views": list(VIEWS)})
    if path != "/answer" or not isinstance(body, dict) or body.get("view") not in VIEWS:
        raise RequestError("There is no such question.")
    with quietly():
        return plain({"answer": VIEWS[body["view"]](data, Request(body.get("request"), progress))})


def document() -> str:
    """The whole page as one text: its modules as one script, its style within."""
    page = static.text("index.html")
    page = page.replace('<link rel="stylesheet" href="/style.css">', f"<style>{static.text('style.css')}</style>")
    script = static.bundle("main.js").replace("</", "<\\/")
    return page.replace('<script type="module" src="/main.js"></script>', f'<script type="module">{script}</script>')


#: What anywidget runs: a frame with the page, and messages to and from the kernel. Only this frame's are heard.
SCRIPT = """
export default { render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads allow-popups");
  frame.setAttribute("allow", "clipboard-write");
  frame.title = "parzen explore";
  frame.style.cssText = "width: 100%; height: 820px; border: 0";
  const hear = (event) => { if (event.source === frame.contentWindow) model.send(event.data); };
  const tell = (content) => frame.contentWindow?.postMessage(content, "*");
  window.addEventListener("message", hear);
  model.on("msg:custom", tell);
  frame.srcdoc = model.get("page");
  el.appendChild(frame);
  return () => { window.removeEventListener("message", hear); model.off("msg:custom", tell); };
} };
"""
