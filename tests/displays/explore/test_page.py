"""The page in a real browser: what it draws is what the library computes, to a pixel."""

import re
import time

import numpy as np
import pytest

from parzen import KernelDensity
from tests.displays.explore.conftest import EVIL, table


def opened(window, server, state="", width=1200):
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})  # fmt: skip
    window.get("about:blank")
    window.get(server.address + state)
    return settled(window)


def settled(window):
    """Wait for the answer to the newest question; a function that evaluates JavaScript."""
    end = time.monotonic() + 20
    while window.execute_script("return document.documentElement.dataset.settled") != "yes":
        assert time.monotonic() < end, window.execute_script("return document.body.innerText")
        time.sleep(0.02)
    return window.execute_script


def scale(ask, which):
    """The affine map from values to pixels, as one reads it from the marks of an axis."""
    anchor, place, shift = ("end", "y", 4) if which == "y" else ("middle", "x", 0)
    marks = ask(f"return [...document.querySelectorAll('#chart svg text[text-anchor={anchor}]:not(.strong)')]"
                f".map(e => [Number(e.textContent), Number(e.getAttribute('{place}'))])")  # fmt: skip
    values, pixels = np.array(marks).T
    slope, start = np.polyfit(values, pixels - shift, 1)
    return lambda v: start + slope * v


def curve(ask, name="curve"):
    text = ask(f"return document.getElementById('{name}').getAttribute('d')")
    return np.array(re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", text), dtype=float).T


def same_curve(ask, h, name="length"):
    model, (px, py), low = KernelDensity(bandwidth=h).fit(table().column(name)), curve(ask), scale(ask, "x")
    x = (px - low(0)) / (low(1) - low(0))
    drawn = scale(ask, "y")(np.exp(model.score_samples(x[:, None])))
    assert np.abs(drawn - py).max() < 1


def bandwidth(ask):
    return float(ask("return document.querySelector('input[type=range]').getAttribute('aria-valuetext')"))


def shown(ask):
    """The state of the view, from the page's address."""
    return ask("return JSON.parse(new URLSearchParams(location.hash.slice(1)).get('state')).densities")


def no_errors(window):
    assert [one for one in window.get_log("browser") if one["level"] == "SEVERE"] == []


@pytest.mark.parametrize("width", [1200, 400])
def test_the_curve_follows_the_slider_to_a_pixel(window, server, width):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    ask = opened(window, server, width=width)
    first = bandwidth(ask)
    slider = window.find_element(By.CSS_SELECTOR, "input[type=range]")
    for _ in range(5):
        slider.send_keys(Keys.ARROW_LEFT)
    ask = settled(window)
    assert bandwidth(ask) < first
    state = shown(ask)
    same_curve(ask, state["bandwidth"])
    ActionChains(window).move_to_element(slider).click_and_hold().move_by_offset(40, 0).release().perform()
    ask = settled(window)
    state = shown(ask)
    assert state["bandwidth"] > first
    same_curve(ask, state["bandwidth"])
    assert ask("return document.documentElement.scrollWidth") <= width
    assert ask("return [...document.querySelectorAll('input, select')].every(e => e.labels.length === 1)")
    before = ask("return location.hash"), curve(ask)
    ask("location.reload()")
    ask = settled(window)
    assert ask("return location.hash") == before[0]
    np.testing.assert_allclose(curve(ask), before[1], atol=0.01)
    no_errors(window)


def test_rapid_drags_leave_one_answer_the_last(window, server):
    ask = opened(window, server)
    ask("const s = document.querySelector('input[type=range]');"
        "for (let k = 0; k < 200; k++) { s.value = 300 + k; s.dispatchEvent(new Event('input')); }")  # fmt: skip
    ask = settled(window)
    counts = ask("return window.parzen.counts()")
    assert counts["sent"] == counts["drawn"] == 201
    assert int(ask("return document.documentElement.dataset.drawn")) <= 4
    same_curve(ask, shown(ask)["bandwidth"])


def test_markup_in_names_is_text_and_a_click_shows_a_contribution(window, server):
    from selenium.webdriver.common.by import By

    ask = opened(window, server)
    choice = window.find_element(By.CSS_SELECTOR, "select")
    ask("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('change'));", choice, EVIL)
    ask = settled(window)
    assert ask("return document.querySelectorAll('img').length") == 0
    assert repr(EVIL) in ask("return document.querySelector('code').textContent")
    assert ask("return document.querySelector('h1').textContent") == "old.csv" + EVIL
    window.find_element(By.CSS_SELECTOR, "#chart svg").click()
    ask = settled(window)
    assert len(curve(ask, "contribution")[0]) == len(curve(ask)[0])
    no_errors(window)
