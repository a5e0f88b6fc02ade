"""Look at the built pages in a browser: ``python docs/look.py [folder for screenshots]``, after ``make docs``.

Every page is opened at the width of a phone and of a desk, with all folds open. It is an error if a page is wider than
the screen, if a formula is not typeset, or if a link within the pages leads nowhere. With a folder, the pages of the
course, the cheat sheet and the decision guide are photographed whole. Needs Chromium and selenium; no network.
"""

import base64
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

PAGES = Path(__file__).parent / "build" / "html"
SHOWN = ("lessons/", "cheatsheet", "ideas", "guide/which")
LEFT_OUT = ("_static", "_modules", "generated", "genindex", "py-modindex", "search")
WIDTHS = {"phone": 400, "desk": 1200}
FOUND = """
const width = document.documentElement.clientWidth;
document.querySelectorAll('details').forEach(one => one.open = true);
return {
  wide: document.documentElement.scrollWidth > width,
  height: document.documentElement.scrollHeight,
  plain: [...document.querySelectorAll('.math')].filter(one => !one.querySelector('mjx-container')).length,
  faults: document.querySelectorAll('mjx-merror, [data-mjx-error]').length,
  ids: [...document.querySelectorAll('[id]')].map(one => one.id),
  links: [...document.querySelectorAll('a[href]')].map(one => one.href).filter(one => one.startsWith('file:')),
}
"""
TYPESET = """
const done = arguments[0], startup = window.MathJax && MathJax.startup;
(startup && startup.promise ? startup.promise : Promise.resolve()).then(() => setTimeout(done, 100));
"""


def browser(width):
    """A browser of that width, without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    return driver


def look(driver, page, width, folder):
    """What is found on a page, and its picture in the folder."""
    driver.get(page.as_uri())
    WebDriverWait(driver, 20).until(lambda one: one.execute_script("return document.readyState") == "complete")
    driver.execute_async_script(TYPESET)
    found = driver.execute_script(FOUND)
    name = page.relative_to(PAGES).with_suffix("").as_posix()
    if folder is not None and name.startswith(SHOWN):
        clip = {"x": 0, "y": 0, "width": width, "height": found["height"], "scale": 1}
        picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (folder / f"{name.replace('/', '-')}-{width}.png").write_bytes(base64.b64decode(picture["data"]))
    return found


def dangling(pages):
    """Links that lead nowhere, (page, link)."""
    for page, found in pages.items():
        for link in found["links"]:
            address, anchor = urldefrag(link)
            target = Path(unquote(address.removeprefix("file://")))
            known = pages.get(target)
            if not target.exists() or (anchor and known is not None and unquote(anchor) not in known["ids"]):
                yield page, link


def main(folder):
    paths = [
        path for path in sorted(PAGES.rglob("*.html")) if not path.relative_to(PAGES).as_posix().startswith(LEFT_OUT)
    ]
    faults = []
    for name, width in WIDTHS.items():
        driver = browser(width)
        pages = {path: look(driver, path, width, folder) for path in paths}
        driver.quit()
        for path, found in pages.items():
            faults += [
                f"{path.relative_to(PAGES)} ({name}): {fault}" for fault in ("wide", "plain", "faults") if found[fault]
            ]
    faults += sorted({f"{page.relative_to(PAGES)}: {link} leads nowhere" for page, link in dangling(pages)})
    print("\n".join([*faults, f"{len(paths)} pages at {len(WIDTHS)} widths: {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if place is not None:
        place.mkdir(parents=True, exist_ok=True)
    sys.exit(main(place))
