"""``parzen.explore``: the page in a notebook, answered by messages in the place of a server."""

import re
import sys

import numpy as np
import pandas as pd
import pytest

import parzen
from parzen.displays.explore import static
from parzen.displays.explore.data import Data
from parzen.displays.explore.jobs import quietly
from parzen.displays.explore.request import Request
from parzen.displays.explore.views import VIEWS
from parzen.displays.explore.widget import answered, data_of, document

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.repeat(["a", "b"], 20)


def test_without_anywidget_a_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'parzen\[explore\]'.*parzen explore FILE"):
        parzen.explore(X, Y)


def test_messages_are_answered_as_the_server_does():
    sent = []
    data = data_of(X, Y)
    answered(data, {"id": 1, "path": "/data", "body": {}}, sent.append)
    question = {"view": "densities", "request": {"x": "x1", "rule": "own", "bandwidth": 0.4}}
    answered(data, {"id": 2, "path": "/answer", "body": question}, sent.append)
    answered(data, {"id": 3, "path": "/answer", "body": {"view": "os"}}, sent.append)
    answered(data, {"id": 4, "path": "/answer", "body": {**question, "request": {"x": "no"}}}, sent.append)
    answered(data, {"path": "/data"}, sent.append)
    assert [one["id"] for one in sent] == [1, 2, 3, 4]
    assert [one["name"] for one in sent[0]["answer"]["numbers"]] == ["x0", "x1"]
    found = sent[1]["answer"]["answer"]
    model = parzen.KernelDensity(bandwidth=0.4).fit(X[:, 1:])
    np.testing.assert_allclose(found["density"], np.exp(model.score_samples(np.array(found["grid"])[:, None])))
    assert all(one["error"].endswith(".") for one in sent[2:])


def test_arrays_and_tables_make_the_same_columns():
    frame = pd.DataFrame(X, columns=["x0", "x1"])
    for data in (data_of(X, Y), data_of(frame, pd.Series(Y, name="y"))):
        assert (list(data.numbers), data.class_names("y"), data.target) == (["x0", "x1"], ["a", "b"], "y")
    assert data_of(X, X[:, 0] ** 2).numbers.keys() == {"x0", "x1", "y"}
    with pytest.raises(ValueError, match="y must be 40 values"):
        data_of(X, Y[:3])


def test_the_frame_holds_the_whole_page_and_asks_nobody():
    page = document()
    assert not re.search(r"^(import|export) ", page, flags=re.MULTILINE)
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert page.count("</script>") == 1
    assert {name for name in static.FILES if name.endswith(".js")} == {
        f"/{name}" for name in re.findall(r"^modules\['(.+)'\] =", page, flags=re.MULTILINE)
    }


def test_every_view_answers_a_table_without_names():
    data = Data("t", {"x0": X[:, 0], "x1": X[:, 1]}, {"y": Y})
    for name, answer in VIEWS.items():
        with quietly():
            assert answer(data, Request({}))["python"], name
