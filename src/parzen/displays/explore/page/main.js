// The page: the gallery or a table, its views, the theme, and a sign of life.
import { element, short } from "/plot.js";
import { ask, line } from "/api.js";
import { read, write } from "/state.js";
import * as densities from "/views/densities.js";

const VIEWS = { densities };
const byId = (id) => document.getElementById(id), root = document.documentElement;
const dark = () => root.dataset.theme === "dark";
const paint = (name) => { root.dataset.theme = name; byId("theme").textContent = dark() ? "light" : "dark"; };
paint(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
byId("theme").addEventListener("click", () => paint(dark() ? "light" : "dark"));
const say = (text) => { byId("message").textContent = text; };

const gallery = (examples, state) => {
  byId("title").textContent = "Tables to explore";
  byId("about").textContent = "Choose one, or start parzen explore with a file of your own.";
  const list = element("ul", {}, byId("view"));
  for (const [name, sentence] of Object.entries(examples)) {
    const item = element("li", {}, list), button = element("button", { type: "button" }, item, name);
    element("span", { class: "soft" }, item, ` ${sentence}`);
    button.addEventListener("click", () => { write({ ...state, table: name, view: "densities" }); location.reload(); });
  }
};
const show = (data, state) => {
  document.title = `${data.name}: parzen explore`;
  byId("title").textContent = data.name;
  byId("about").textContent = `${short(data.rows)} rows; every number on this page is computed by the library on this computer.`;
  if (!data.numbers.length) { say("This table has no column of numbers."); return; }
  const name = VIEWS[state.view] ? state.view : "densities", own = state[name] ||= {};
  state.view = name;
  const bar = element("progress", { max: 1, hidden: "", "aria-label": "Progress" }, byId("view"));
  let started = 0;
  const wire = line(name, state.table, {
    onAnswer: (found, newest) => { bar.hidden = true; say(""); view.draw(found); root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1); root.dataset.settled = newest ? "yes" : "no"; },
    onError: (text) => { bar.hidden = true; root.dataset.settled = "yes"; say(text); },
    onProgress: (share) => { if (performance.now() - started > 100) { bar.hidden = false; bar.value = share; } },
  });
  const changed = () => { started = performance.now(); root.dataset.settled = "no"; write(state); wire.send(view.request()); };
  const view = VIEWS[name].open(byId("view"), data, own, changed);
  window.parzen = { counts: wire.counts };
  changed();
};
const start = async () => {
  const state = read();
  try {
    const data = await ask("/data", { table: state.table });
    if (data.gallery) gallery(data.gallery, state); else show(data, state);
  } catch (error) { say(error.message); }
  setInterval(() => ask("/beat", {}).catch(() => {}), 20000);
};
start();
