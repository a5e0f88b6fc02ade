// Densities of one column: a histogram, a kernel density, the marks of all rules, a second curve.
import { element, frame, hover, node, path, short } from "/plot.js";
import { check, exports, number, python, select, slider } from "/controls.js";
export const title = "Densities";
const KERNELS = ["gaussian", "epanechnikov", "tophat", "exponential", "linear", "cosine"];
const RULES = ["silverman", "scott", "isj", "sj", "lscv", "lcv", "plug-in", "scv"];

export const open = (holder, data, state, changed) => {
  element("p", { class: "soft" }, holder, "Move the bandwidth: a small one follows every row, a large one hides the modes. The leave-one-out log-likelihood falls at both ends.");
  const sides = element("div", { class: "sides" }, holder), left = element("div", {}, sides), right = element("div", {}, sides);
  const set = (values) => { Object.assign(state, values); changed(); };
  state.x ??= data.numbers[0].name; state.rule ??= "silverman";
  select(left, "column", data.numbers.map((one) => one.name), state.x, (x) => set({ x, rule: "silverman", bandwidth: undefined, low: undefined, high: undefined, at: undefined }));
  select(left, "kernel", KERNELS, state.kernel || "gaussian", (kernel) => set({ kernel }));
  const rule = select(left, "rule", [...RULES, "own"], state.rule, (name) => set({ rule: name, bandwidth: name === "own" ? state.bandwidth : undefined }));
  const slide = slider(left, "bandwidth", (bandwidth) => { rule.value = "own"; set({ rule: "own", bandwidth }); });
  const low = number(left, "lower bound", state.low, (v) => set({ low: v ?? undefined })), high = number(left, "upper bound", state.high, (v) => set({ high: v ?? undefined }));
  check(left, "adaptive", state.adaptive || false, (adaptive) => set({ adaptive }));
  select(left, "compare", ["nothing", "gaussian", "mixture", ...RULES], state.compare || "nothing", (compare) => set({ compare }));
  const table = element("table", {}, left), chart = element("div", { id: "chart" }, right), key = element("div", { class: "legend" }, right);
  const write = python(right);
  exports(right, () => chart.querySelector("svg"), "density");
  return {
    request: () => Object.fromEntries(["x", "kernel", "rule", "bandwidth", "low", "high", "adaptive", "compare", "at"].filter((name) => state[name] !== undefined).map((name) => [name, state[name]])),
    draw: (found) => {
      low.value = state.low ?? ""; high.value = state.high ?? ""; rule.value = state.rule;
      const marks = Object.values(found.rules), range = [Math.min(...marks) / 8, Math.max(...marks) * 8];
      slide.show(found.bandwidth, range, found.rules, `${short(found.bandwidth)}`);
      figure(chart, found, set);
      legend(key, found);
      const rows = [["bandwidth", short(found.bandwidth)], ["leave-one-out log-likelihood per row", short(found.leave_one_out, 6)], ["rows", short(found.rows)], ...RULES.map((name) => [`rule ${name}`, short(found.rules[name])])];
      if (found.used < found.rows) rows.splice(3, 0, ["rows in the curve, drawn at random", short(found.used)]);
      table.replaceChildren();
      for (const [name, value] of rows) { const one = element("tr", {}, table); element("th", { scope: "row" }, one, name); element("td", {}, one, value); }
      if (found.rule_rows < found.rows) element("caption", {}, table, `Rules are computed from ${short(found.rule_rows)} rows, drawn at random.`);
      write(found.python);
    },
  };
};
const figure = (holder, found, set) => {
  const top = Math.max(...found.density, ...found.heights, ...(found.compared ? found.compared.density : [0]));
  const chart = frame(holder, { x: [found.grid[0], found.grid.at(-1)], y: [0, 1.05 * top || 1], height: 360, width: 740, xlabel: found.name, ylabel: "density", label: `Kernel density of ${found.name}` });
  const { inside, sx, sy } = chart;
  found.heights.forEach((height, k) => node("rect", { x: sx(found.edges[k]), width: Math.max(sx(found.edges[k + 1]) - sx(found.edges[k]) - 0.5, 0.2), y: sy(height), height: sy(0) - sy(height), fill: "var(--bars)" }, inside));
  for (const at of found.marks) node("line", { x1: sx(at), x2: sx(at), y1: sy(0) - 7, y2: sy(0), stroke: "var(--soft)", "stroke-width": 0.6 }, inside);
  if (found.compared) node("path", { d: path(found.grid, found.compared.density, chart), fill: "none", stroke: "var(--orange)", "stroke-width": 2, "stroke-dasharray": "7 4", id: "compared" }, inside);
  if (found.contribution) node("path", { d: path(found.grid, found.contribution.density, chart), fill: "none", stroke: "var(--green)", "stroke-width": 2, "stroke-dasharray": "2 3", id: "contribution" }, inside);
  node("path", { d: path(found.grid, found.density, chart), fill: "none", stroke: "var(--blue)", "stroke-width": 2.2, id: "curve" }, inside);
  const place = (event) => { const box = chart.svg.getBoundingClientRect(), share = (((event.clientX - box.left) / box.width) * chart.width - sx(found.grid[0])) / (sx(found.grid.at(-1)) - sx(found.grid[0])); return Math.min(Math.max(share, 0), 1); };
  hover(chart.svg, (event) => { const k = Math.round(place(event) * (found.grid.length - 1)); return `${short(found.grid[k])}\ndensity ${short(found.density[k])}`; });
  chart.svg.addEventListener("click", (event) => set({ at: found.grid[Math.round(place(event) * (found.grid.length - 1))] }));
};
const legend = (holder, found) => {
  holder.replaceChildren();
  const one = (text, dash, colour) => { const span = element("span", {}, holder), svg = node("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" }, span); node("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dash }, svg); element("span", {}, span, text); };
  one("kernel density", "none", "var(--blue)");
  if (found.compared) one(found.compared.label, "7 4", "var(--orange)");
  one(found.contribution ? `contribution of the row at ${short(found.contribution.x)}` : "click the chart: the contribution of a row", "2 3", "var(--green)");
};
