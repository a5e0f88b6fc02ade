"""The server of the page: loopback only, one secret for each start, a fixed table of files, answers of the views."""

import json
import secrets
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from parzen.displays.explore import static
from parzen.displays.explore.data import Data, encoded
from parzen.displays.explore.jobs import Busy, Jobs
from parzen.displays.explore.request import Request, RequestError, Superseded
from parzen.displays.explore.views import VIEWS

#: Bytes of the longest question, connections at a time, seconds that a connection may keep silent.
LONGEST, CONNECTIONS, SILENCE = 64 * 1024, 32, 30
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: Loads the table of an example by its name: a gallery has several.
Loader = Callable[[str], Data]


class ExploreServer(ThreadingHTTPServer):
    """Serves the page and answers its questions.

    Parameters
    ----------
    data : Data, optional
        The table; None opens the gallery.
    gallery : mapping from names of examples to sentences
    load : function that gives the `Data` of an example
    idle : float
        Seconds after which the server ends when the page has been closed; 0 for never.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        data: Data | None,
        gallery: dict[str, str] | None = None,
        load: Loader | None = None,
        idle: float = 120.0,
    ) -> None:
        self.token = secrets.token_hex(32)
        self.tables: dict[str, Data] = {} if data is None else {"": data}
        self.gallery, self.load, self.idle = gallery or {}, load, idle
        self.jobs, self.heard = Jobs(), time.monotonic()
        self.room = threading.BoundedSemaphore(CONNECTIONS)
        self._loading = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hosts = {f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"}

    @property
    def address(self) -> str:
        """The address to open; the secret is in its fragment, which browsers send to nobody."""
        return f"http://127.0.0.1:{self.server_port}/#token={self.token}"

    def table(self, name: Any) -> Data:
        """The table that is explored, or an example of the gallery."""
        if name in (None, "") and "" in self.tables:
            return self.tables[""]
        if not isinstance(name, str) or name not in self.gallery or self.load is None:
            raise RequestError("There is no such table.")
        with self._loading:
            if name not in self.tables:
                self.tables[name] = self.load(name)
        return self.tables[name]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection on a thread of its own, if there is room; else close it."""
        if not self.room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, and make room."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a page that goes away in the middle of an answer is no error."""

    def service_actions(self) -> None:
        """End when no page has been heard of for a while."""
        if self.idle and time.monotonic() - self.heard > self.idle:
            threading.Thread(target=self.shutdown, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    server: ExploreServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "parzen", ""
    timeout = SILENCE

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep silent: addresses would hold nothing secret, but nobody reads them."""

    def do_GET(self) -> None:
        """Give a file of the fixed table."""
        path = "/index.html" if self.path == "/" else self.path
        if not self._same_origin():
            self._refuse(403, "This address is for the page of this computer only.")
        elif path not in static.FILES:
            self._refuse(404, "There is no such file.")
        else:
            self._send(200, static.text(path[1:]).encode(), static.FILES[path])

    def do_POST(self) -> None:
        """Answer a question of the page."""
        given = self.headers.get("X-Parzen-Token", "")
        if not self._same_origin() or not secrets.compare_digest(given.encode(), self.server.token.encode()):
            self._refuse(403, "The secret of this page is missing or wrong; open the address that the terminal shows.")
            return
        body = self._body()
        if body is None:
            return
        self.server.heard = time.monotonic()
        questions = {"/data": self._data, "/answer": self._answer, "/beat": lambda body: self._send(200, b"{}")}
        if self.path not in questions:
            self._refuse(404, "There is no such question.")
            return
        try:
            questions[self.path](body)
        except RequestError as error:
            self._refuse(400, str(error))
        except Superseded:
            self._refuse(409, "A newer question of this view has come.")
        except Busy:
            self._refuse(503, "Too many questions wait; try again.")
        except (BrokenPipeError, ConnectionError):
            self.close_connection = True
        except ValueError as error:  # the library's own sentence about these rows
            self._refuse(400, " ".join(str(error).split())[:400])
        except Exception:
            self._refuse(500, "Internal error; please report what was chosen on the page.")

    def _same_origin(self) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        return host in self.server.hosts and origin in (None, f"http://{host}")

    def _body(self) -> dict[str, Any] | None:
        """The object that was sent, or None where the answer has been given."""
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdigit() or int(size) > LONGEST:
            self._refuse(400, f"A question has at most {LONGEST} bytes.")
            return None
        try:
            body = json.loads(self.rfile.read(int(size)).decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._refuse(400, "A question must be a JSON object.")
            return None
        return body

    def _data(self, body: dict[str, Any]) -> None:
        server, name = self.server, body.get("table")
        if name in (None, "") and "" not in server.tables:
            self._send(200, encoded({"gallery": server.gallery, "views": list(VIEWS)}))
        else:
            self._send(200, encoded({**server.table(name).meta(), "views": list(VIEWS)}))

    def _answer(self, body: dict[str, Any]) -> None:
        """Answer in lines of JSON: progress, where it takes long, and the answer last."""
        view, page = body.get("view"), body.get("page")
        if not isinstance(view, str) or view not in VIEWS:
            raise RequestError(f"view must be one of: {', '.join(VIEWS)}.")
        if not isinstance(page, str) or len(page) > 64:
            raise RequestError("page must be a short text.")
        data = self.server.table(body.get("table"))
        started: list[bool] = []

        def work(check: Callable[[], None]) -> bytes:
            def progress(share: float) -> None:
                check()
                if not started:
                    self._begin()
                    started.append(True)
                self._line({"progress": share})

            request = Request(body.get("request"), progress)
            return encoded({"answer": VIEWS[view](data, request)})

        try:
            answer = self.server.jobs.run(f"{page} {view} {body.get('part') == 'more'}", work)
        except (RequestError, Superseded, ValueError) as error:
            if not started:
                raise
            self._line({"error": "superseded" if isinstance(error, Superseded) else str(error)})
        else:
            if not started:
                self._send(200, answer)
                return
            self._chunk(answer + b"\n")
        self._chunk(b"")

    def _begin(self) -> None:
        self._head(200, "application/json; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _line(self, value: Any) -> None:
        self._chunk(encoded(value) + b"\n")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def _refuse(self, status: int, sentence: str) -> None:
        self.close_connection = True  # what was not read of the question must not be taken for the next one
        self._send(status, encoded({"error": sentence}))

    def _send(self, status: int, content: bytes, kind: str = "application/json; charset=utf-8") -> None:
        self._head(status, kind)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in HEADERS.items():
            self.send_header(name, value)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON.")
