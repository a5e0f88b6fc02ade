"""The page in a real browser: what it draws is what the library computes, to a pixel."""

import json
import re
import threading
import time
from urllib.parse import urlencode

import numpy as np
import pytest

from parzen import GaussianDiscriminant, GaussianMixture, KernelDensity, KernelRegressor
from parzen.conjugate import NormalMean
from parzen.displays.explore.request import Request
from parzen.displays.explore.server import ExploreServer
from parzen.displays.explore.views import VIEWS
from tests.displays.explore.conftest import EVIL, table


def opened(window, server, state="", width=1200):
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})  # fmt: skip
    window.get("about:blank")
    window.get(server.address + state)
    return settled(window)


def settled(window):
    """Wait for the answer to the newest question; a function that evaluates JavaScript."""
    end = time.monotonic() + 90
    while window.execute_script("return document.documentElement.dataset.settled") != "yes":
        assert time.monotonic() < end, window.execute_script("return document.body.innerText")
        time.sleep(0.02)
    return window.execute_script


def scale(ask, which, chart="chart"):
    """The affine map from values to pixels, as one reads it from the marks of an axis."""
    anchor, place, shift = ("end", "y", 4) if which == "y" else ("middle", "x", 0)
    marks = ask(f"return [...document.querySelectorAll('#{chart} svg > text[text-anchor={anchor}]:not(.strong)')]"
                f".map(e => [Number(e.textContent.replaceAll(',', '')), Number(e.getAttribute('{place}'))])"
                )  # fmt: skip
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
    choice = ask("return [...document.querySelectorAll('select')].find(e => e.labels[0].textContent === 'column')")
    ask("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('change'));", choice, EVIL)
    ask = settled(window)
    assert ask("return document.querySelectorAll('img').length") == 0
    assert repr(EVIL) in ask("return document.querySelector('code').textContent")
    assert ask("return document.querySelector('h1').textContent") == "old.csv" + EVIL
    window.find_element(By.CSS_SELECTOR, "#chart svg").click()
    ask = settled(window)
    assert len(curve(ask, "contribution")[0]) == len(curve(ask)[0])
    for view in ("classes", "decisions"):
        ask = opened(window, server, at(view, target="odd"))
        assert EVIL in ask("return document.body.textContent")
        assert ask("return [document.querySelectorAll('img, b').length, document.title]") == [
            0,
            f"{table().name}: parzen explore",
        ]
    no_errors(window)


#: The slider that is dragged in each view, by its label, and the state that it changes.
DRAGGED = {
    "densities": ("bandwidth", "bandwidth"), "beliefs": ("prior mean", "location"), "mixtures": ("half steps", "step"),
    "classes": ("prior of long", "priors"), "decisions": ("threshold", "threshold"),
    "regression": ("bandwidth of x", "bandwidth"),
}  # fmt: skip


def at(view, **state):
    return "&" + urlencode({"view": view, "state": json.dumps({view: state})})


def state_of(ask, view):
    return ask("return JSON.parse(new URLSearchParams(location.hash.slice(1)).get('state'))[arguments[0]]", view)


def slider_named(window, text):
    return window.execute_script(
        "return [...document.querySelectorAll('input[type=range]')]"
        ".find(e => e.labels[0].textContent === arguments[0])",
        text,
    )


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("view", DRAGGED)
def test_each_view_opens_and_its_slider_moves_by_key_and_pointer(window, server, view, width):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    label, name = DRAGGED[view]
    ask = opened(window, server, at(view), width)
    slider = slider_named(window, label)
    slider.send_keys(Keys.ARROW_RIGHT)
    ask = settled(window)
    pressed = state_of(ask, view)[name]
    ask("arguments[0].scrollIntoView({block: 'center'})", slider)
    ActionChains(window).move_to_element(slider).click_and_hold().move_by_offset(30, 0).release().perform()
    ask = settled(window)
    assert state_of(ask, view)[name] != pressed
    assert ask("return document.querySelectorAll('#chart svg path').length") > 0
    assert ask("return document.querySelector('code').textContent").count("table") >= 1
    assert ask("return document.documentElement.scrollWidth") <= width
    assert ask("return [...document.querySelectorAll('input, select')].every(e => e.labels.length || e.ariaLabel)")
    assert ask("return document.getElementById('message').textContent") == ""
    drawn = ask("return document.getElementById('chart').innerHTML.replace(/clip\\d+/g, '')")
    ask("location.reload()")
    ask = settled(window)
    assert ask("return document.getElementById('chart').innerHTML.replace(/clip\\d+/g, '')") == drawn
    no_errors(window)


def same(ask, chart, name, function):
    """A curve of a chart against a function of the library, to a pixel."""
    px, py = curve(ask, name)
    low, up = scale(ask, "x", chart), scale(ask, "y", chart)
    x = (px - low(0)) / (low(1) - low(0))
    assert np.abs(up(function(x)) - py).max() < 1


def test_the_other_views_draw_what_their_estimators_give_to_a_pixel(window, server):
    rows = table().column("length", EVIL)
    labels = table().classes["kind"]
    ask = opened(window, server, at("beliefs", x="length", count=30, location=3.0, deviation=2.0, noise=1.0))
    posterior = NormalMean(3, 2, 1).posterior(rows[:30, 0])
    same(ask, "chart", "curve", posterior.density)
    same(ask, "chart", "predictive", lambda x: np.exp(posterior.predictive().log_density(x[:, None])[:, 0]))
    ask = opened(window, server, at("classes", x="length", y=None, target="kind"))
    model = GaussianDiscriminant().fit(rows[:, :1], labels)
    same(ask, "second", "posterior0", lambda x: model.predict_proba(x[:, None])[:, 0])
    ask = opened(window, server, at("regression", x="length", y=EVIL, bandwidth=0.3))
    for name, order in (("curve", 0), ("lines", 1)):
        smooth = KernelRegressor(0.3, order=order).fit(rows[:, :1], rows[:, 1])
        same(ask, "chart", name, lambda x, smooth=smooth: smooth.predict(x[:, None]))
    ask = opened(window, server, at("decisions", target="kind", loss=[[0, 5], [1, 0]], calibration="none"))
    found = VIEWS["decisions"](table(), Request({"target": "kind", "loss": [[0, 5], [1, 0]], "calibration": "none"}))
    steps = curve(ask)[1]
    assert scale(ask, "y")(min(found["curve"]["cost"])) == pytest.approx(steps.max(), abs=1)
    no_errors(window)


def test_em_stepped_to_the_end_draws_the_ellipses_of_fit(window, server):
    ask = opened(window, server, at("mixtures", k=2, x="length", y=EVIL, start="clicked", centres=[[2, 20], [4, 45]]))
    while not ask("return [...document.querySelectorAll('button')].slice(1, 3).every(e => e.disabled)"):
        ask("[...document.querySelectorAll('button')].find(e => /-step/.test(e.textContent) && !e.disabled).click()")
        ask = settled(window)
    rows = table().column("length", EVIL)
    variance = [float(f"{one / 4:.3g}") for one in rows.var(axis=0)]
    model = GaussianMixture.from_parameters([0.5, 0.5], [[2, 20], [4, 45]], [np.diag(variance)] * 2)
    model.set_params(warm_start=True, accelerate=False).fit(rows)
    assert state_of(ask, "mixtures")["step"] == 2 * model.n_iter_ + 1
    low, up = scale(ask, "x"), scale(ask, "y")
    for k in range(2):
        px, py = curve(ask, f"ellipse{k}")
        u = np.stack([(px - low(0)) / (low(1) - low(0)), (py - up(0)) / (up(1) - up(0))], axis=1) - model.means_[k]
        distance = np.sqrt(np.einsum("ni,ij,nj->n", u, model.precisions_[k], u))
        np.testing.assert_allclose(distance, 1, atol=0.02)
    ask("[...document.querySelectorAll('button')].find(e => e.textContent === 'rewind').click()")
    assert state_of(settled(window), "mixtures")["step"] == 0
    no_errors(window)


def test_a_contribution_follows_the_pointer_and_pictures_are_saved(window, server):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    ask = opened(window, server, at("densities"))
    ActionChains(window).move_to_element(window.find_element(By.CSS_SELECTOR, "#chart svg")).perform()
    end = time.monotonic() + 90
    while not ask("return document.getElementById('contribution')") and time.monotonic() < end:
        time.sleep(0.02)
    assert ask("return document.getElementById('contribution').getAttribute('d').length") > 100
    assert "at" not in state_of(ask, "densities")
    ask("window.saved = []; const keep = (one) => window.saved.push(one);"
        "HTMLAnchorElement.prototype.click = function () { keep([this.download, this.href]); };"
        "URL.createObjectURL = (blob) => { blob.text().then(keep); return 'blob:none'; };"
        "for (const e of document.querySelectorAll('button')) if (/^save/.test(e.textContent)) e.click();")  # fmt: skip
    while len(ask("return window.saved")) < 3 and time.monotonic() < end:
        time.sleep(0.02)
    saved = ask("return window.saved")
    assert {one[0] for one in saved if isinstance(one, list)} == {"density.svg", "density.png"}
    assert max(len(one[1]) for one in saved if isinstance(one, list)) > 10_000
    picture = next(one for one in saved if isinstance(one, str))
    assert picture.startswith("<svg")
    assert "kernel density" in picture
    assert "var(" not in re.sub(r'class="[^"]*"', "", picture)
    no_errors(window)


def test_the_gallery_opens_an_example_and_comes_back(window):
    loaded = []

    def load(name):
        loaded.append(name)
        return table()

    with ExploreServer(None, {"flowers": "two kinds"}, load, idle=0) as gallery:
        threading.Thread(target=gallery.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        ask = opened(window, gallery)
        assert ask("return document.querySelector('.gallery').textContent") == "flowerstwo kinds"
        ask("document.documentElement.dataset.settled = 'no'; document.querySelector('.gallery button').click()")
        ask = settled(window)
        assert len(curve(ask)[0]) > 100
        ask("document.documentElement.dataset.settled = 'no'; document.querySelector('#views a:last-child').click()")
        ask = settled(window)
        assert ask("return document.querySelectorAll('.gallery button').length") == 1
        assert loaded == ["flowers"]
        gallery.shutdown()
    no_errors(window)


def test_the_theme_changes_what_is_drawn(window, server):
    ask = opened(window, server, at("classes"))
    before = ask(
        "return [getComputedStyle(document.body).backgroundColor, document.querySelector('image').href.baseVal]"
    )
    ask("document.getElementById('theme').click()")
    after = ask(
        "return [getComputedStyle(document.body).backgroundColor, document.querySelector('image').href.baseVal]"
    )
    assert before[0] != after[0]
    assert before[1] != after[1]
