// Densities of one column or two, or of samples from a known density: the bandwidth by slider or by a rule.
import { frame, node, short } from "/plot.js";
import { check, number, select, slider } from "/controls.js";
import { contour, ends, grid, image, inverse, layout, line, picked, pointer, points, rgb, room, stroke } from "/parts.js";
export const title = "Densities";
const KERNELS = ["gaussian", "epanechnikov", "tophat", "exponential", "linear", "cosine"];
const RULES = ["silverman", "scott", "isj", "sj", "lscv", "lcv", "plug-in", "scv"];
const NAMES = ["x", "y", "kernel", "rule", "bandwidth", "times", "low", "high", "adaptive", "compare", "at", "truth", "n", "seed"];
const KNOWN = { column: ["x", "kernel", "rule", "bandwidth", "low", "high", "adaptive", "compare", "at", "y"], pair: ["x", "y", "kernel", "rule", "times", "adaptive"], truth: ["x", "rule", "bandwidth", "kernel", "truth", "n", "seed"] };

export const open = (holder, data, state, changed) => {
  const view = layout(holder, "Move the bandwidth: a small one follows every row, a large one hides the modes. The leave-one-out log-likelihood falls at both ends.", "density", ["chart", "second"]);
  const { left } = view, columns = data.numbers.map((one) => one.name), set = (values) => { Object.assign(state, values); changed(); };
  const kind = () => ((state.truth || "table") !== "table" ? "truth" : state.y !== undefined && state.y !== state.x ? "pair" : "column");
  state.x ??= columns[0]; state.rule ??= "silverman";
  const fresh = { rule: "silverman", bandwidth: undefined, times: undefined, low: undefined, high: undefined, at: undefined };
  select(left, "rows of", ["this table", "claw", "bimodal", "skewed"], (state.truth || "table") === "table" ? "this table" : state.truth, (name) => set({ ...fresh, truth: name === "this table" ? undefined : name }));
  const controls = {};
  controls.x = select(left, "column", columns, state.x, (x) => set({ ...fresh, x }));
  controls.y = select(left, "second column", ["none", ...columns], state.y ?? "none", (y) => set({ ...fresh, y: y === "none" ? undefined : y }));
  controls.kernel = select(left, "kernel", KERNELS, state.kernel || "gaussian", (kernel) => set({ kernel }));
  const rule = select(left, "rule", [...RULES, "own"], state.rule, (name) => set({ rule: name, bandwidth: name === "own" ? state.bandwidth : undefined, times: undefined }));
  const slide = slider(left, "bandwidth", (v) => { if (kind() === "pair") set({ times: v }); else { rule.value = "own"; set({ rule: "own", bandwidth: v }); } });
  controls.n = slider(left, "rows of a sample", (n) => set({ n: Math.round(n) }));
  controls.low = number(left, "lower bound", state.low, (v) => set({ low: v ?? undefined }));
  controls.high = number(left, "upper bound", state.high, (v) => set({ high: v ?? undefined }));
  controls.adaptive = check(left, "adaptive", state.adaptive || false, (adaptive) => set({ adaptive }));
  controls.compare = select(left, "compare", ["nothing", "gaussian", "mixture", ...RULES], state.compare || "nothing", (compare) => set({ compare }));
  controls.at = number(left, "contribution at", state.at, (v) => set({ at: v ?? undefined }));
  const used = { column: ["x", "y", "kernel", "low", "high", "adaptive", "compare", "at"], pair: ["x", "y", "kernel", "adaptive"], truth: ["n"] };
  let hovered = null;
  return {
    request: () => picked(state, NAMES.filter((name) => KNOWN[kind()].includes(name) && !(name === "bandwidth" && state.rule !== "own") && !(name === "y" && kind() === "column"))),
    draw: (found) => {
      for (const [name, one] of Object.entries(controls)) (one.box || one.parentElement).hidden = !used[found.kind].includes(name);
      controls.low.value = state.low ?? ""; controls.high.value = state.high ?? ""; controls.at.value = state.at ?? ""; rule.value = found.kind === "pair" ? found.rule : state.rule;
      view.places[1].replaceChildren();
      view.write(found.python);
      const marks = found.rules ? Object.values(found.rules) : [];
      if (found.kind === "pair") slide.show(found.times, [0.1, 10], `${short(found.times)} times the rule's`, { rule: 1 });
      else slide.show(found.bandwidth, [Math.min(...marks) / 8, Math.max(...marks) * 8], short(found.bandwidth), found.rules);
      ({ column: drawColumn, pair: drawPair, truth: drawTruth })[found.kind](view, found, {
        pin: (at) => set({ at }), hover: (at) => { const near = at === null ? null : Math.round(at); if (near !== hovered) { hovered = near; if (near !== null) changed({ at: found.grid[near] }); } },
        sampled: (n) => controls.n.show(n, [20, 5000], short(n)),
      });
    },
  };
};
const drawColumn = (view, found, { pin, hover }) => {
  const top = Math.max(...found.density, ...found.heights, ...(found.compared ? found.compared.density : [0])), x = ends(found.grid), y = [0, 1.05 * top || 1];
  const chart = frame(view.places[0], { x, y, height: 360, width: room(view.places[0]), xlabel: found.name, ylabel: "density", label: `Kernel density of ${found.name}` }), { inside, sx, sy } = chart;
  found.heights.forEach((height, k) => node("rect", { x: sx(found.edges[k]), width: Math.max(sx(found.edges[k + 1]) - sx(found.edges[k]) - 0.5, 0.2), y: sy(height), height: sy(0) - sy(height), fill: "var(--bars)" }, inside));
  for (const at of found.marks) node("line", { x1: sx(at), x2: sx(at), y1: sy(0) - 7, y2: sy(0), stroke: "var(--soft)", "stroke-width": 0.6 }, inside);
  const key = [{ text: "histogram", colour: "var(--bars)", fill: 1 }, { text: "kernel density", colour: "var(--blue)" }];
  if (found.compared) { stroke(chart, found.grid, found.compared.density, { colour: "var(--orange)", dash: "7 4", id: "compared" }); key.push({ text: found.compared.label, colour: "var(--orange)", dash: "7 4" }); }
  stroke(chart, found.grid, found.density, { id: "curve", width: 2.2 });
  const one = found.contribution;
  if (one) {
    const scale = Math.min(Number(Math.max(0.35 * top / Math.max(...one.density), 1).toPrecision(1)), found.used);
    stroke(chart, found.grid, one.density.map((v) => v * scale), { colour: "var(--green)", dash: "2 3", id: "contribution" });
    line(chart, one.x, 0, one.x, 0.06 * top, { colour: "var(--green)", width: 2.5 });
    key.push({ text: `contribution of the row at ${short(one.x)}${scale > 1 ? `, drawn ${short(scale)} times as high` : ""}`, colour: "var(--green)", dash: "2 3" });
  } else key.push({ text: "point at the chart: the contribution of a row", colour: "var(--green)", dash: "2 3" });
  view.key(key);
  const k = (at) => Math.min(Math.max(((at - x[0]) / (x[1] - x[0])) * (found.grid.length - 1), 0), found.grid.length - 1);
  pointer(chart, inverse(chart, x, y), ([at]) => { const i = Math.round(k(at)); return `${short(found.grid[i])}\ndensity ${short(found.density[i])}`; }, ([at]) => hover(k(at)), ([at]) => pin(found.grid[Math.round(k(at))]));
  const rows = [["bandwidth", short(found.bandwidth)], ["leave-one-out log-likelihood per row", short(found.leave_one_out, 6)], ["rows", short(found.rows)]];
  if (found.used < found.rows) rows.push(["rows in the curve, drawn at random", short(found.used)]);
  view.rows([...rows, ...Object.entries(found.rules).map(([name, h]) => [`rule ${name}`, short(h)])]);
  view.say(found.rule_rows < found.rows ? `The slower rules are computed from ${short(found.rule_rows)} rows, drawn at random, and scaled to all.` : "");
};
const drawPair = (view, found) => {
  const [xs, ys] = found.axes, x = ends(xs), y = ends(ys), values = grid(found.density), top = Math.max(...values.flat());
  const chart = frame(view.places[0], { x, y, height: 460, width: room(view.places[0]), xlabel: found.names[0], ylabel: found.names[1], grid: false, label: `Kernel density of ${found.names.join(" and ")}` });
  const tone = rgb("var(--blue)");
  image(chart, found.axes, (i, j) => [...tone, 0.55 * Math.max(values[j][i] / top, 0)]);
  points(chart, found.points, { paint: () => "var(--soft)", size: 1.7, opacity: 0.6 });
  const lines = ["none", "8 4", "2 3", "10 3 2 3"];
  found.levels.forEach(({ level }, k) => node("path", { d: contour(values, found.axes, level, chart), fill: "none", stroke: "var(--blue)", "stroke-width": 1.6, "stroke-dasharray": lines[k], class: "contour" }, chart.inside));
  view.key(found.levels.map(({ held }, k) => ({ text: `holds ${100 * held}% of the rows`, colour: "var(--blue)", dash: lines[k] })));
  pointer(chart, inverse(chart, x, y), ([a, b]) => {
    const i = Math.round(((a - x[0]) / (x[1] - x[0])) * (xs.length - 1)), j = Math.round(((b - y[0]) / (y[1] - y[0])) * (ys.length - 1));
    return values[j]?.[i] === undefined ? "" : `${found.names[0]} ${short(xs[i])}\n${found.names[1]} ${short(ys[j])}\ndensity ${short(values[j][i])}`;
  });
  const rows = [["times the rule's bandwidth", short(found.times)], ["leave-one-out log-likelihood per row", short(found.leave_one_out, 6)], ["rows", short(found.rows)]];
  if (found.used < found.rows) rows.push(["rows in the density, drawn at random", short(found.used)]);
  view.rows([...rows, ["H, variance of the kernel in x", short(found.matrix[0][0])], ["H, covariance", short(found.matrix[0][1])], ["H, variance in y", short(found.matrix[1][1])]]);
  view.say(found.rule_rows < found.rows ? `The rule is computed from ${short(found.rule_rows)} rows, drawn at random, and scaled to all.` : "");
};
const drawTruth = (view, found, { sampled }) => {
  sampled(found.rows);
  const top = Math.max(...found.truth, ...found.mean) * 1.25, x = ends(found.grid), chart = frame(view.places[0], { x, y: [0, top], height: 340, width: room(view.places[0]), xlabel: found.name, ylabel: "density", label: `Kernel densities of samples from ${found.name}` });
  const up = found.mean.map((v, i) => v + found.deviation[i]), down = found.mean.map((v, i) => Math.max(v - found.deviation[i], 0));
  node("path", { d: `M${found.grid.map((v, i) => `${chart.sx(v)},${chart.sy(up[i])}`).join("L")}L${found.grid.map((v, i) => `${chart.sx(v)},${chart.sy(down[i])}`).reverse().join("L")}Z`, fill: "var(--blue)", "fill-opacity": 0.16 }, chart.inside);
  found.curves.forEach((one) => stroke(chart, found.grid, one, { colour: "var(--soft)", width: 0.7, opacity: 0.6 }));
  stroke(chart, found.grid, found.truth, { colour: "var(--orange)", dash: "7 4", id: "truth" });
  stroke(chart, found.grid, found.mean, { id: "curve", width: 2.2 });
  view.key([{ text: "true density", colour: "var(--orange)", dash: "7 4" }, { text: "mean of the estimates", colour: "var(--blue)" }, { text: "one deviation about it", colour: "var(--blue)", fill: 0.25 }, { text: `${found.curves.length} samples`, colour: "var(--soft)" }]);
  const { bandwidths: hs, bias, variance, error, best } = found.errors, low = Math.min(...error) / 8, high = Math.max(...error) * 1.5;
  const second = frame(view.places[1], { x: ends(hs), y: [low, high], logx: true, logy: true, height: 220, width: room(view.places[1]), xlabel: "bandwidth (dotted: in use)", ylabel: "integrated error", label: "Squared bias, variance and their sum over the bandwidth" });
  const clip = (values) => values.map((v) => Math.max(v, low));
  stroke(second, hs, clip(bias), { colour: "var(--orange)", dash: "7 4" });
  stroke(second, hs, clip(variance), { colour: "var(--green)", dash: "2 3" });
  stroke(second, hs, error, { id: "error" });
  line(second, found.bandwidth, low, found.bandwidth, high, { dash: "1 3", width: 1.4 });
  for (const [name, values, k] of [["squared bias", bias, hs.length - 5], ["variance", variance, 3]]) node("text", { x: second.sx(hs[k]), y: second.sy(Math.max(values[k], low)) + 18, "text-anchor": "middle" }, second.inside, name);
  view.rows([["bandwidth", short(found.bandwidth)], ["integrated squared bias", short(found.bias)], ["integrated variance", short(found.variance)], ["their sum", short(found.bias + found.variance)], ["bandwidth of least error", short(best)], ...Object.entries(found.rules).map(([name, h]) => [`rule ${name}, first sample`, short(h)])]);
  view.say("Mean, deviation, bias and variance are over all samples of this size, by quadrature; the thin curves are some of them.");
};
