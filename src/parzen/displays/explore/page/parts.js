// Parts that views share: their layout, lines and marks that differ without colour, pictures of cells, contours.
import { colour, element, node, path, showTip } from "/plot.js";
import { exports, python } from "/controls.js";

export const DASHES = ["none", "8 4", "2 3", "10 3 2 3", "5 2", "1 4", "14 4"];
export const dash = (k) => DASHES[k % DASHES.length];
// A view: its sentence, controls at the left; charts, their key, the line of Python and the exports at the right.
export const layout = (holder, sentence, name, charts = ["chart"]) => {
  element("p", { class: "sentence" }, holder, sentence);
  const sides = element("div", { class: "sides" }, holder), side = element("div", { class: "side" }, sides), left = element("div", { class: "controls" }, side), right = element("div", { class: "charts" }, sides), tail = element("div", { class: "tail" }, sides);
  const places = charts.map((id) => element("div", { id, class: "chart" }, right));
  const keys = element("div", { class: "legend" }), note = element("p", { class: "soft", id: "note" }, right);
  places[0].after(keys);
  const table = element("table", { id: "numbers" }, side), write = python(tail);
  element("p", { class: "soft small" }, tail, "table is this table in pandas; the names are imported from parzen.");
  exports(tail, () => places.flatMap((one) => [...one.querySelectorAll("svg")]), () => [...keys.children], name);
  return { left, right, places, write, key: (entries) => key(keys, entries), say: (text) => { note.textContent = text; }, rows: (entries, caption) => rows(table, entries, caption) };
};
const rows = (table, entries, caption) => {
  table.replaceChildren();
  if (caption) element("caption", {}, table, caption);
  for (const [name, value] of entries) {
    const one = element("tr", {}, table);
    element("th", { scope: "row" }, one, name);
    element("td", {}, one, value);
  }
};
// Entries of a key: text, colour, and a dash of a line or the number of a mark.
const key = (holder, entries) => {
  holder.replaceChildren();
  for (const { text, colour: paint, dash: dashes, mark: shape, fill } of entries) {
    const one = element("span", {}, holder), svg = node("svg", { viewBox: "0 0 26 12", width: 26, height: 12, "aria-hidden": "true" }, one);
    if (fill) node("rect", { x: 2, y: 1, width: 22, height: 10, fill: paint, "fill-opacity": fill }, svg);
    else if (shape !== undefined) node("path", { d: mark(shape, 13, 6, 4.5), fill: paint, stroke: paint }, svg);
    else node("line", { x1: 0, x2: 26, y1: 6, y2: 6, stroke: paint, "stroke-width": 2.2, "stroke-dasharray": dashes || "none" }, svg);
    element("span", {}, one, text);
  }
};
export const stroke = (chart, xs, ys, { colour: paint = "var(--blue)", dash: dashes = "none", id, width = 2, opacity = 1 } = {}) =>
  node("path", { d: path(xs, ys, chart), fill: "none", stroke: paint, "stroke-width": width, "stroke-dasharray": dashes, "stroke-opacity": opacity, ...(id ? { id } : {}) }, chart.inside);
export const line = (chart, x1, y1, x2, y2, { colour: paint = "var(--soft)", dash: dashes = "none", width = 1, ...rest } = {}) =>
  node("line", { x1: chart.sx(x1), y1: chart.sy(y1), x2: chart.sx(x2), y2: chart.sy(y2), stroke: paint, "stroke-width": width, "stroke-dasharray": dashes, ...rest }, chart.inside);
// Marks whose shapes differ: circle, square, triangle, diamond, cross, plus, and so on again.
export const mark = (k, x, y, r) => {
  const p = (dx, dy) => `${(x + dx * r).toFixed(2)},${(y + dy * r).toFixed(2)}`;
  switch (k % 6) {
    case 1: return `M${p(-0.85, -0.85)}L${p(0.85, -0.85)}L${p(0.85, 0.85)}L${p(-0.85, 0.85)}Z`;
    case 2: return `M${p(0, -1.1)}L${p(1, 0.8)}L${p(-1, 0.8)}Z`;
    case 3: return `M${p(0, -1.2)}L${p(1, 0)}L${p(0, 1.2)}L${p(-1, 0)}Z`;
    case 4: return `M${p(-0.9, -0.9)}L${p(0.9, 0.9)}M${p(-0.9, 0.9)}L${p(0.9, -0.9)}`;
    case 5: return `M${p(0, -1.1)}L${p(0, 1.1)}M${p(-1.1, 0)}L${p(1.1, 0)}`;
    default: return `M${p(-1, 0)}A${r},${r} 0 1 0 ${p(1, 0)}A${r},${r} 0 1 0 ${p(-1, 0)}Z`;
  }
};
export const points = (chart, places, { code = () => 0, paint, size = 3, opacity = 0.75 } = {}) => places.forEach(([x, y], i) => {
  const k = code(i), tone = paint ? paint(i) : colour(k);
  node("path", { d: mark(k, chart.sx(x), chart.sy(y), typeof size === "function" ? size(i) : size), fill: k % 6 > 3 ? "none" : tone, stroke: tone, "stroke-width": k % 6 > 3 ? 1.4 : 0.6, "fill-opacity": opacity, "stroke-opacity": opacity }, chart.inside);
});
// The red, green and blue of a colour of the page.
export const rgb = (paint) => {
  const name = /var\((.*)\)/.exec(paint), text = (name ? getComputedStyle(document.documentElement).getPropertyValue(name[1]) : paint).trim();
  return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
};
// A picture of cells: `tone(i, j)` gives red, green, blue and opacity (0 to 1) at column i of row j, y upwards.
export const image = (chart, [xs, ys], tone) => {
  const canvas = document.createElement("canvas"), nx = xs.length, ny = ys.length;
  canvas.width = nx; canvas.height = ny;
  const pen = canvas.getContext("2d"), data = pen.createImageData(nx, ny);
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) {
    const [r, g, b, a] = tone(i, j);
    data.data.set([r, g, b, 255 * a], 4 * ((ny - 1 - j) * nx + i));
  }
  pen.putImageData(data, 0, 0);
  const dx = (xs[1] - xs[0]) / 2, dy = (ys[1] - ys[0]) / 2, left = chart.sx(xs[0] - dx), top = chart.sy(ys.at(-1) + dy);
  node("image", { href: canvas.toDataURL(), x: left, y: top, width: chart.sx(xs.at(-1) + dx) - left, height: chart.sy(ys[0] - dy) - top, preserveAspectRatio: "none" }, chart.inside);
};
// Lines along which values on a grid, values[row][column], have a level.
export const contour = (values, [xs, ys], level, { sx, sy }) => {
  const next = new Map(), place = new Map(), above = (j, i) => values[j][i] > level;
  const at = (id, j, i, v, u) => {
    const t = (level - values[j][i]) / (values[v][u] - values[j][i]);
    place.set(id, [sx(xs[i] + t * (xs[u] - xs[i])), sy(ys[j] + t * (ys[v] - ys[j]))]);
  };
  const join = (a, b) => { for (const [p, q] of [[a, b], [b, a]]) next.set(p, [...(next.get(p) || []), q]); };
  for (let j = 0; j + 1 < ys.length; j++) for (let i = 0; i + 1 < xs.length; i++) {
    const edges = [];
    for (const [id, a, b] of [[`h${j},${i}`, [j, i], [j, i + 1]], [`v${j},${i + 1}`, [j, i + 1], [j + 1, i + 1]], [`h${j + 1},${i}`, [j + 1, i], [j + 1, i + 1]], [`v${j},${i}`, [j, i], [j + 1, i]]]) {
      if (above(...a) !== above(...b)) { edges.push(id); if (!place.has(id)) at(id, ...a, ...b); }
    }
    if (edges.length === 2) join(...edges);
    if (edges.length === 4) {
      const middle = (values[j][i] + values[j][i + 1] + values[j + 1][i] + values[j + 1][i + 1]) / 4 > level, turned = middle === above(j, i);
      join(edges[0], edges[turned ? 1 : 3]);
      join(edges[2], edges[turned ? 3 : 1]);
    }
  }
  const seen = new Set(), text = [];
  const walk = (start) => {
    const out = [];
    for (let one = start; one !== undefined && !seen.has(one); one = (next.get(one) || []).find((other) => !seen.has(other))) { seen.add(one); out.push(place.get(one)); }
    if (out.length > 1) text.push(`M${out.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}${(next.get(start) || []).length > 1 ? "Z" : ""}`);
  };
  for (const [id, others] of next) if (others.length === 1 && !seen.has(id)) walk(id);
  for (const id of next.keys()) if (!seen.has(id)) walk(id);
  return text.join("");
};
export const grid = ({ unit, cells }) => cells.map((row) => row.map((v) => v * unit));
// Places of the pointer in the units of a chart; `moved` hears of those within it, and `text` is shown beside them.
export const pointer = (chart, invert, text, moved, clicked) => {
  const here = (event) => {
    const box = chart.svg.getBoundingClientRect();
    return invert(((event.clientX - box.left) / box.width) * chart.width, ((event.clientY - box.top) / box.height) * chart.height);
  };
  chart.svg.onpointermove = (event) => { showTip(event, text(here(event))); if (moved) moved(here(event)); };
  chart.svg.onpointerleave = (event) => showTip(event, null);
  if (clicked) chart.svg.onclick = (event) => clicked(here(event));
};
export const inverse = (chart, [x0, x1], [y0, y1]) => (px, py) => [
  x0 + ((px - chart.sx(x0)) / (chart.sx(x1) - chart.sx(x0))) * (x1 - x0), y0 + ((py - chart.sy(y0)) / (chart.sy(y1) - chart.sy(y0))) * (y1 - y0),
];
// The width of a chart: as much as its place has, so that its texts keep their size.
export const room = (holder) => Math.min(740, holder.clientWidth || 740);
export const ends = (values) => [values[0], values.at(-1)];
export const extent = (values, margin = 0.06) => {
  const low = Math.min(...values), high = Math.max(...values), space = margin * (high - low) || 1;
  return [low - space, high + space];
};
export const picked = (state, names) => Object.fromEntries(names.filter((name) => state[name] !== undefined && state[name] !== null).map((name) => [name, state[name]]));
