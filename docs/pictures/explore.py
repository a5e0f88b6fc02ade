"""Pictures of each view of `parzen explore` in a headless Chromium, in docs/pictures/explore_VIEW.png.

python docs/pictures/explore.py [folder]
"""

import base64
import io
import json
import shutil
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from parzen.cli.examples import example
from parzen.displays.explore.data import Data
from parzen.displays.explore.server import ExploreServer

#: The table and the state of each view.
SHOWN = {
    "densities": ("faithful", {"x": "eruptions", "rule": "own", "bandwidth": 0.2, "compare": "scott", "at": 4.2}),
    "beliefs": ("toronto", {"x": "mean", "count": 7, "location": 5.0, "deviation": 8.0, "noise": 6.0}),
    "mixtures": ("faithful", {"x": "eruptions", "y": "waiting", "k": 2, "step": 6}),
    "classes": ("iris", {"x": "petal length (cm)", "y": "petal width (cm)", "over": "logistic, degree 2"}),
    "decisions": ("breast_cancer", {"loss": [[0, 5], [1, 0]], "abstain": 0.3}),
    "regression": ("faithful", {"x": "eruptions", "y": "waiting", "at": 3.0, "weights": "local lines"}),
}
WIDTH, COLOURS = 960, 96


def main(folder):
    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(one)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    for view, (table, state) in SHOWN.items():
        frame, target = example(table)
        with ExploreServer(Data.of_frame(frame, target, table), idle=0) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser.get("about:blank")
            browser.get(f"{server.address}&{urlencode({'view': view, 'state': json.dumps({view: state})})}")
            while browser.execute_script("return document.documentElement.dataset.settled") != "yes":
                time.sleep(0.05)
            end = browser.execute_script("return document.querySelector('.charts').getBoundingClientRect().bottom + 8")
            clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(end, 1000), "scale": 1}
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
            picture = (
                Image.open(io.BytesIO(base64.b64decode(shot["data"])))
                .convert("RGB")
                .quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
            )
            picture.save(folder / f"explore_{view}.png", optimize=True)
            server.shutdown()
    browser.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
