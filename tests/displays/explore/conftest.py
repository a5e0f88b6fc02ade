import json
import shutil
import threading
from http.client import HTTPConnection

import numpy as np
import pytest

from parzen.displays.explore.data import Data
from parzen.displays.explore.server import ExploreServer

EVIL = "<img src=x onerror=\"document.title='broken'\">"


def table():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(2, 0.3, 100), rng.normal(4.4, 0.4, 170)])
    numbers = {"length": x, EVIL: 10 * x + rng.normal(0, 5, len(x))}
    kind = np.where(x < 3, "short", "long")
    return Data("old.csv" + EVIL, numbers, {"kind": kind, "odd": np.where(x < 3, "<b>odd</b>", EVIL)}, "kind")


@pytest.fixture(scope="module")
def server():
    with ExploreServer(table(), idle=0) as one:
        thread = threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield one
        one.shutdown()
        thread.join()


@pytest.fixture
def post(server):
    """Send a question as the page does, or wrongly; the status and the object that comes back."""

    def send(path="/answer", body=None, headers=None, raw=None):
        content = json.dumps(body).encode() if raw is None else raw
        usual = {"X-Parzen-Token": server.token, "Host": f"127.0.0.1:{server.server_port}"}
        line = HTTPConnection("127.0.0.1", server.server_port, timeout=60)
        line.request("POST", path, content, {**usual, **(headers or {})})
        reply = line.getresponse()
        found = reply.status, json.loads(reply.read().splitlines()[-1])
        line.close()
        return found

    return send


@pytest.fixture(scope="module")
def window():
    pytest.importorskip("selenium")
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no Chromium here")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(one)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    yield browser
    browser.quit()
