// Controls of a view, the line of Python, and pictures as files.
import { element, node, wide } from "/plot.js";
let ids = 0;
const labelled = (holder, text, make) => {
  const box = element("div", { class: "control" }, holder), id = `c${ids++}`;
  element("label", { for: id }, box, text);
  return make(box, id);
};
export const select = (holder, text, options, value, change) => labelled(holder, text, (box, id) => {
  const pick = element("select", { id }, box);
  for (const one of options) element("option", { value: one }, pick, one);
  pick.value = value;
  pick.addEventListener("change", () => change(pick.value));
  return pick;
});
export const check = (holder, text, value, change) => labelled(holder, text, (box, id) => {
  const one = element("input", { id, type: "checkbox" }, box);
  one.checked = value;
  one.addEventListener("change", () => change(one.checked));
  return one;
});
export const number = (holder, text, value, change) => labelled(holder, text, (box, id) => {
  const one = element("input", { id, type: "number", step: "any" }, box);
  one.value = value ?? "";
  one.addEventListener("change", () => change(one.value === "" ? null : Number(one.value)));
  return one;
});
// A slider over a logarithmic or an even range, with marks that have names; its value text is the number itself.
export const slider = (holder, text, change, { log = true, steps = 1000 } = {}) => {
  const box = element("div", { class: "control wide" }, holder), id = `c${ids++}`, top = element("div", { class: "heading" }, box);
  element("label", { for: id }, top, text);
  const words = element("output", { for: id }, top), one = element("input", { id, type: "range", min: 0, max: steps, step: 1 }, box), ticks = element("div", { class: "ticks" }, box);
  let low = 1, high = 10;
  const share = (v) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
  const value = () => (log ? low * (high / low) ** (Number(one.value) / steps) : low + (high - low) * (Number(one.value) / steps));
  one.addEventListener("input", () => change(value()));
  return {
    input: one,
    box,
    show: (v, range, said, marks = {}) => {
      [low, high] = range;
      const place = Math.round(steps * share(v));
      if (document.activeElement !== one || Math.abs(place - Number(one.value)) > 1) one.value = place;
      one.setAttribute("aria-valuetext", said);
      words.textContent = said;
      named(ticks, Object.entries(marks).map(([name, at]) => [name, share(at)]).filter(([, at]) => at >= 0 && at <= 1));
    },
  };
};
// Names below their places on a slider, in as many rows as keep them apart.
const named = (holder, marks) => {
  const width = holder.clientWidth || 240, rows = [], sorted = marks.map(([name, share]) => ({ name, x: 8 + (width - 16) * share })).sort((a, b) => a.x - b.x);
  for (const one of sorted) {
    const half = wide(one.name) / 2 + 3;
    one.text = Math.min(Math.max(one.x, half), width - half);
    one.row = rows.findIndex((end) => end < one.text - half);
    if (one.row < 0) one.row = rows.push(0) - 1;
    rows[one.row] = one.text + half;
  }
  holder.replaceChildren();
  if (!sorted.length) return;
  const svg = node("svg", { viewBox: `0 0 ${width} ${8 + 13 * rows.length}`, "aria-hidden": "true" }, holder);
  for (const { name, x, text, row } of sorted) {
    node("path", { d: `M${x},0L${x},5L${text},${9 + 13 * row}`, fill: "none", stroke: "var(--soft)", "stroke-width": 0.8, "stroke-opacity": 0.6 }, svg);
    node("text", { x: text, y: 17 + 13 * row, "text-anchor": "middle" }, svg, name);
  }
};
export const typed = (holder, text, value, change, example) => labelled(holder, text, (box, id) => {
  const one = element("input", { id, type: "text", placeholder: example || "", autocomplete: "off", spellcheck: "false" }, box);
  one.value = value;
  one.addEventListener("change", () => change(one.value));
  return one;
});
export const buttons = (holder, actions) => {
  const row = element("div", { class: "row" }, holder);
  return actions.map(([text, act]) => {
    const one = element("button", { type: "button" }, row, text);
    one.addEventListener("click", act);
    return one;
  });
};
// A matrix of numbers to type in.
export const matrix = (holder, heading, rows, columns, values, change) => {
  const table = element("table", { class: "matrix" }, holder), top = element("tr", {}, table);
  element("caption", {}, table, heading);
  element("td", {}, top);
  columns.forEach((name) => element("th", { scope: "col" }, top, name));
  const now = values.map((row) => [...row]);
  rows.forEach((name, i) => {
    const row = element("tr", {}, table);
    element("th", { scope: "row" }, row, name);
    columns.forEach((column, j) => {
      const one = element("input", { type: "number", step: "any", "aria-label": `loss of ${name} where the class is ${column}` }, element("td", {}, row));
      one.value = now[i][j];
      one.addEventListener("change", () => { now[i][j] = Number(one.value); change(now); });
    });
  });
  return table;
};
export const python = (holder) => {
  const box = element("div", { class: "python" }, holder), code = element("code", {}, box), copy = element("button", { type: "button" }, box, "copy");
  copy.addEventListener("click", () => copied(copy, code.textContent));
  return (text) => { code.textContent = text; };
};
const copied = async (button, text) => {
  const name = button.textContent;
  try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { button.textContent = "the browser refused"; }
  setTimeout(() => { button.textContent = name; }, 1500);
};
// One picture of all charts of a view and their key, with the colours that they have on the page, which needs nothing else.
const standalone = (charts, keys) => {
  const paper = getComputedStyle(document.body).backgroundColor, width = Math.max(...charts.map((one) => one.viewBox.baseVal.width));
  const whole = node("svg", { xmlns: "http://www.w3.org/2000/svg" });
  node("rect", { width: "100%", height: "100%", fill: paper }, whole);
  let y = 0;
  for (const svg of charts) {
    const { width: w, height: h } = svg.viewBox.baseVal, copy = painted(svg);
    for (const [name, value] of [["x", 0], ["y", y], ["width", w], ["height", h]]) copy.setAttribute(name, value);
    whole.appendChild(copy);
    y += h + 6;
  }
  let x = 10;
  for (const one of keys) {
    const text = one.textContent, need = 40 + wide(text), ink = getComputedStyle(one).color;
    if (x + need > width && x > 10) { x = 10; y += 18; }
    const symbol = painted(one.querySelector("svg"));
    for (const [name, value] of [["x", x], ["y", y], ["width", 26], ["height", 12]]) symbol.setAttribute(name, value);
    whole.appendChild(symbol);
    node("text", { x: x + 31, y: y + 10, fill: ink, "font-size": "11.5px", "font-family": "system-ui, sans-serif" }, whole, text);
    x += need;
  }
  const height = y + (keys.length ? 22 : 0);
  for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) whole.setAttribute(name, value);
  return { text: new XMLSerializer().serializeToString(whole), width, height };
};
const painted = (svg) => {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((one, k) => { const style = getComputedStyle(one); for (const name of ["fill", "stroke", "font-size", "font-family"]) to[k].setAttribute(name, style.getPropertyValue(name)); });
  return copy;
};
const save = (url, name) => element("a", { href: url, download: name }).click();
export const exports = (holder, charts, keys, name) => {
  const row = element("div", { class: "row" }, holder), drawing = () => standalone(charts(), keys());
  const svg = element("button", { type: "button" }, row, "save SVG"), png = element("button", { type: "button" }, row, "save PNG"), link = element("button", { type: "button" }, row, "copy link");
  svg.addEventListener("click", () => save(URL.createObjectURL(new Blob([drawing().text], { type: "image/svg+xml" })), `${name}.svg`));
  png.addEventListener("click", async () => save(await raster(drawing()), `${name}.png`));
  link.addEventListener("click", () => copied(link, location.href));
};
export const raster = async ({ text, width, height }) => {
  const image = new Image(), canvas = element("canvas", { width: 2 * width, height: 2 * height });
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
};
