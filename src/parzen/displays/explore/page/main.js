// The page: the gallery or a table, its views, the theme, and a sign of life.
import { element, short } from "/plot.js";
import { ask, line } from "/api.js";
import { linked, read, write } from "/state.js";
import * as densities from "/views/densities.js";
import * as beliefs from "/views/beliefs.js";
import * as mixtures from "/views/mixtures.js";
import * as classes from "/views/classes.js";
import * as decisions from "/views/decisions.js";
import * as regression from "/views/regression.js";

const VIEWS = { densities, beliefs, mixtures, classes, decisions, regression };
const byId = (id) => document.getElementById(id), root = document.documentElement;
const dark = () => root.dataset.theme === "dark";
let redraw = () => {}, shown = 0; // `shown` counts what has been opened: an answer to what was left is dropped
const paint = (name) => { root.dataset.theme = name; byId("theme").textContent = dark() ? "light" : "dark"; redraw(); };
const say = (text) => { byId("message").textContent = text; };

const gallery = (examples, state) => {
  byId("title").textContent = "Tables to explore";
  byId("about").textContent = "Choose one, or start parzen explore with a file of your own.";
  const list = element("ul", { class: "gallery" }, byId("view"));
  for (const [name, sentence] of Object.entries(examples)) {
    const item = element("li", {}, list), button = element("button", { type: "button" }, item, name);
    element("span", { class: "soft" }, item, sentence);
    button.addEventListener("click", () => { write({ ...state, table: name, view: "densities" }); start(); });
  }
  root.dataset.settled = "yes";
};
const menu = (state) => {
  byId("views").replaceChildren();
  for (const [name, one] of Object.entries(VIEWS)) {
    const link = element("a", { href: linked({ ...state, view: name }) }, byId("views"), one.title);
    if (name === state.view) link.setAttribute("aria-current", "page");
    link.addEventListener("click", (event) => { event.preventDefault(); write({ ...state, view: name }); start(); });
  }
  if (state.table) {
    const back = element("a", { href: "#" }, byId("views"), "other tables");
    back.addEventListener("click", (event) => { event.preventDefault(); write({ table: "", view: "" }); start(); });
  }
};
const show = (data, state) => {
  document.title = `${data.name}: parzen explore`;
  byId("title").textContent = data.name;
  byId("about").textContent = `${short(data.rows)} rows; every number on this page is computed by the library.`;
  if (!data.numbers.length) { say("This table has no column of numbers."); return; }
  const name = VIEWS[state.view] ? state.view : "densities", own = state[name] ||= {};
  state.view = name;
  menu(state);
  const bar = element("progress", { max: 1, hidden: "", "aria-label": "Progress" }, byId("view"));
  let started = 0, last = null;
  const mine = shown, here = (act) => (...given) => { if (mine === shown) act(...given); };
  const wire = line(name, state.table, {
    onAnswer: here((found, newest) => { bar.hidden = true; last = found; say(""); view.draw(found); root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1); root.dataset.settled = newest ? "yes" : "no"; }),
    onError: here((text) => { bar.hidden = true; root.dataset.settled = "yes"; say(text); }),
    onProgress: here((share) => { bar.value = share; const asked = started; setTimeout(() => { if (asked === started && root.dataset.settled === "no") bar.hidden = false; }, Math.max(100 - (performance.now() - started), 0)); }), // no bar for what takes less
  });
  // A change is kept in the address; `passing` are values of the pointer, which are not.
  const changed = (passing) => { started = performance.now(); root.dataset.settled = "no"; if (!passing) { write(state); menu(state); } wire.send({ ...view.request(), ...passing }); };
  const view = VIEWS[name].open(byId("view"), data, own, changed);
  redraw = () => { if (last) view.draw(last); };
  window.parzen = { counts: wire.counts };
  changed();
};
const start = async () => {
  const state = read(), mine = ++shown;
  redraw = () => {};
  byId("view").replaceChildren();
  byId("views").replaceChildren();
  say("");
  try {
    const data = await ask("/data", { table: state.table });
    if (mine !== shown) return;
    if (data.gallery) gallery(data.gallery, state); else show(data, state);
  } catch (error) { say(error.message); }
};
paint(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
byId("theme").addEventListener("click", () => paint(dark() ? "light" : "dark"));
window.addEventListener("resize", () => redraw());
window.addEventListener("hashchange", () => start());
setInterval(() => ask("/beat", {}).catch(() => {}), 20000);
start();
