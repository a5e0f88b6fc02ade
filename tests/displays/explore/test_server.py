"""The server answers its own page and nobody else, in sentences and without tracebacks."""

import threading
import time
from http.client import HTTPConnection

import numpy as np
import pytest

from parzen import KernelDensity
from parzen.displays.explore.data import encoded
from parzen.displays.explore.jobs import Busy, Jobs
from parzen.displays.explore.request import Superseded
from parzen.displays.explore.server import ExploreServer
from tests.displays.explore.conftest import EVIL, table

QUESTION = {"view": "densities", "page": "p", "request": {"x": "length", "rule": "own", "bandwidth": 0.2}}


def test_the_density_is_that_of_the_library(post):
    status, found = post(body=QUESTION)
    answer, rows = found["answer"], table().column("length")
    model = KernelDensity(bandwidth=0.2).fit(rows)
    assert status == 200
    assert answer["density"] == np.exp(model.score_samples(np.array(answer["grid"])[:, None])).tolist()
    assert answer["leave_one_out"] == pytest.approx(model.leave_one_out().mean(), rel=1e-12)
    for rule in ("silverman", "isj", "lcv", "plug-in"):
        assert answer["rules"][rule] == pytest.approx(
            float(KernelDensity(bandwidth=rule).fit(rows).bandwidth_), rel=1e-9
        )
    assert answer["python"] == "KernelDensity(bandwidth=0.2).fit(table[['length']].dropna())"


@pytest.mark.parametrize("headers", [
    {"X-Parzen-Token": ""}, {"X-Parzen-Token": "0" * 64}, {"X-Parzen-Token": "é"}, {"Host": "evil.example"},
    {"Host": "127.0.0.1"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
])  # fmt: skip
def test_strangers_are_refused(post, headers):
    headers = {name: value.encode() for name, value in headers.items()}
    assert post(body=QUESTION, headers=headers)[0] == 403


@pytest.mark.parametrize("raw", [
    b"", b"{", b"[]", b"null", b'{"view": NaN}', b"\xff\xfe", b"[" * 20_000, b'{"view": "densities"}',
    b'{"view": "../server", "page": "p"}', b'{"view": "densities", "page": "p", "request": []}',
    b'{"view": "densities", "page": "p", "table": "/etc/passwd", "request": {}}', b" " * 70_000,
])  # fmt: skip
def test_malformed_questions_get_a_sentence(post, raw):
    status, found = post(raw=raw)
    assert status == 400
    assert found["error"].endswith(".")
    assert "Traceback" not in found["error"]


@pytest.mark.parametrize("values", [
    {"x": "nobody"}, {"x": 3}, {"x": ["length"]}, {"bandwidth": -1}, {"bandwidth": "1"}, {"bandwidth": True},
    {"kernel": "__import__"}, {"rule": "SILVERMAN"}, {"adaptive": 1}, {"low": 3.0}, {"high": 3.0}, {"low": 1e301},
    {"file": "/etc/passwd"},
])  # fmt: skip
def test_values_out_of_range_get_a_sentence(post, values):
    status, found = post(body={**QUESTION, "request": {"x": "length", **values}})
    assert status == 400
    assert found["error"].endswith(".")
    assert post(body=QUESTION)[0] == 200


@pytest.mark.parametrize("path", ["/../server.py", "/server.py", "/%2e%2e/data.py", "//etc/passwd", "/plot.js?x"])
def test_only_files_of_the_table_are_given(server, path):
    line = HTTPConnection("127.0.0.1", server.server_port)
    line.request("GET", path)
    assert line.getresponse().status == 404
    line.request("GET", "/plot.js")
    reply = line.getresponse()
    assert reply.status == 200
    assert "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"]
    assert "unsafe" not in reply.headers["Content-Security-Policy"]
    assert reply.headers["Access-Control-Allow-Origin"] is None
    assert reply.headers["X-Frame-Options"] == "DENY"
    line.close()


def test_the_page_is_for_this_computer_only_and_its_secret_is_long(server):
    assert server.server_address[0] == "127.0.0.1"
    assert len(bytes.fromhex(server.token)) == 32
    line = HTTPConnection("127.0.0.1", server.server_port)
    line.request("GET", "/", headers={"Host": "evil.example"})
    assert line.getresponse().status == 403
    line.close()


def test_a_newer_question_supersedes_the_older():
    jobs, entered, go, outcome = Jobs(), threading.Event(), threading.Event(), []

    def slow(check):
        entered.set()
        go.wait(10)
        check()

    def older():
        try:
            jobs.run("view", slow)
        except Superseded:
            outcome.append("superseded")

    thread = threading.Thread(target=older)
    thread.start()
    entered.wait(10)
    assert jobs.run("view", lambda check: "new") == "new"
    go.set()
    thread.join()
    assert outcome == ["superseded"]
    with pytest.raises(Busy):
        Jobs(waiting=0).run("view", lambda check: None)


def test_the_server_ends_when_the_page_has_been_closed():
    with ExploreServer(table(), idle=0.2) as one:
        began = time.monotonic()
        one.serve_forever(poll_interval=0.05)
        assert time.monotonic() - began < 20


def test_names_with_markup_are_plain_text_and_numbers_plain_json():
    meta = table().meta()
    assert [one["name"] for one in meta["numbers"]] == ["length", EVIL]
    assert encoded({"a": np.array([1.0, np.nan, np.inf]), "b": np.int64(3)}) == b'{"a":[1.0,null,null],"b":3}'
