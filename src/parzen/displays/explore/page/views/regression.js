// Regression and outliers: two kernel regressions with their weights at a point, p(y | x), flagged rows.
import { frame, node, short } from "/plot.js";
import { select, slider } from "/controls.js";
import { ends, extent, grid, image, inverse, layout, line, mark, picked, pointer, points, rgb, room, stroke } from "/parts.js";
export const title = "Regression and outliers";
const KINDS = ["Nadaraya-Watson", "local lines"];
const NAMES = ["x", "y", "bandwidth", "at", "weights", "fdr"];

export const open = (holder, data, state, changed) => {
  const view = layout(holder, "Point at the chart: the weights of the rows around x make the prediction. Near the ends an average is drawn inwards, and a line is not.", "regression", ["chart", "second", "third", "fourth"]);
  const { left } = view, set = (values) => { Object.assign(state, values); changed(); }, columns = data.numbers.map((one) => one.name);
  state.x ??= columns[0]; state.y ??= columns[1];
  const fresh = { bandwidth: undefined, at: undefined };
  select(left, "x", columns, state.x, (x) => set({ x, ...fresh }));
  select(left, "y", columns, state.y, (y) => set({ y, ...fresh }));
  const slide = slider(left, "bandwidth of x", (v) => set({ bandwidth: Number(v.toPrecision(4)) }));
  select(left, "weights of", KINDS, state.weights || KINDS[0], (weights) => set({ weights }));
  const place = slider(left, "x of the weights", (v) => set({ at: Number(v.toPrecision(5)) }), { log: false });
  const rate = slider(left, "false discovery rate", (v) => set({ fdr: Number(v.toPrecision(3)) }));
  let hovered = null;
  return {
    request: () => picked(state, NAMES),
    draw: (found) => {
      const { cv, aicc, silverman } = found.chosen, all = [cv, aicc, silverman, found.bandwidth];
      slide.show(found.bandwidth, [Math.min(...all) / 8, Math.max(...all) * 4], short(found.bandwidth), { cv, aicc, silverman });
      place.show(found.at, ends(found.grid), short(found.at));
      rate.show(state.fdr ?? 0.05, [1e-4, 0.5], short(state.fdr ?? 0.05));
      drawCurves(view, found, (at) => { const near = Math.round(200 * at); if (near !== hovered) { hovered = near; changed({ at: found.grid[0] + at * (found.grid.at(-1) - found.grid[0]) }); } }, (at) => set({ at: Number(at.toPrecision(5)) }));
      drawStrip(view.places[1], found);
      drawConditional(view.places[2], found);
      drawOutliers(view.places[3], found);
      view.rows([["bandwidth", short(found.bandwidth)], ["x", short(found.at)], ...KINDS.flatMap((name) => [[`prediction, ${name}`, short(found.predicted[name])], [`leave-one-out squared error, ${name}`, short(found.errors[name])]]), ["median of y given x", short(found.quantiles[1])], ["90% of y given x", `${short(found.quantiles[0])} to ${short(found.quantiles[2])}`], ["outliers flagged", `${short(found.flagged.length)} of ${short(found.used)}`], ["rows", short(found.rows)]]);
      view.say(found.used < found.rows ? `All of this is computed from ${short(found.used)} rows, drawn at random.` : "");
      view.write(found.python);
    },
  };
};
const plane = (holder, found, options) => {
  const x = extent(found.points.map((one) => one[0]), 0.03), y = extent(found.points.map((one) => one[1]));
  return { x, y, chart: frame(holder, { x, y, height: 340, width: room(holder), xlabel: found.names[0], ylabel: found.names[1], ...options }) };
};
const drawCurves = (view, found, hover, pin) => {
  const { x, y, chart } = plane(view.places[0], found, { label: "Two kernel regressions" }), most = Math.max(...found.weights.map(Math.abs)) || 1;
  points(chart, found.points, { paint: (i) => (found.weights[i] < 0 ? "var(--orange)" : "var(--soft)"), code: (i) => (found.weights[i] < -1e-3 * most ? 3 : 0), size: (i) => 1.4 + 5 * Math.sqrt(Math.abs(found.weights[i]) / most), opacity: 0.45 });
  stroke(chart, found.grid, found.curves["Nadaraya-Watson"], { id: "curve", width: 2.2 });
  stroke(chart, found.grid, found.curves["local lines"], { colour: "var(--orange)", dash: "8 4", id: "lines", width: 2.2 });
  line(chart, found.at, y[0], found.at, y[1], { dash: "1 3", colour: "var(--ink)" });
  view.key([{ text: "Nadaraya-Watson", colour: "var(--blue)" }, { text: "local lines", colour: "var(--orange)", dash: "8 4" }, { text: "rows: area is the weight at x", colour: "var(--soft)", mark: 0 }, { text: "negative weight", colour: "var(--orange)", mark: 3 }, { text: "flagged as an outlier", colour: "var(--red)", mark: 4 }]);
  const share = (a) => Math.min(Math.max((a - found.grid[0]) / (found.grid.at(-1) - found.grid[0]), 0), 1);
  pointer(chart, inverse(chart, x, y), ([a]) => { const k = Math.round(share(a) * (found.grid.length - 1)); return `${found.names[0]} ${short(found.grid[k])}\nNadaraya-Watson ${short(found.curves["Nadaraya-Watson"][k])}\nlocal lines ${short(found.curves["local lines"][k])}`; }, ([a]) => hover(share(a)), ([a]) => pin(found.grid[0] + share(a) * (found.grid.at(-1) - found.grid[0])));
};
const drawStrip = (holder, found) => {
  const { chart, y } = plane(holder, found, { grid: false, height: 260, label: `p(${found.names[1]} | ${found.names[0]})` }), values = grid(found.strip), tone = rgb("var(--blue)");
  const tops = found.along.map((_, i) => Math.max(...values.map((row) => row[i])) || 1);
  image(chart, [found.along, found.across], (i, j) => [...tone, 0.85 * (values[j][i] / tops[i])]);
  line(chart, found.at, y[0], found.at, y[1], { dash: "1 3", colour: "var(--ink)" });
  node("text", { x: chart.left + 8, y: chart.top + 14 }, chart.svg, "p(y | x), each x by its own largest");
};
const drawConditional = (holder, found) => {
  const top = 1.1 * Math.max(...found.density), chart = frame(holder, { x: ends(found.across), y: [0, top], height: 190, width: room(holder), xlabel: `${found.names[1]} where ${found.names[0]} is ${short(found.at)}`, ylabel: "density", label: "Conditional density at x" });
  stroke(chart, found.across, found.density, { id: "conditional" });
  found.quantiles.forEach((at, k) => line(chart, at, 0, at, top, { dash: k === 1 ? "8 4" : "2 3", colour: "var(--orange)" }));
  node("text", { x: chart.left + 8, y: chart.top + 12 }, chart.svg, "vertical: quantiles 5%, 50%, 95%");
};
const drawOutliers = (holder, found) => {
  const { chart, x, y } = plane(holder, found, { height: 300, label: "Outliers" }), out = new Set(found.flagged);
  points(chart, found.points, { code: (i) => (out.has(i) ? 4 : 0), paint: (i) => (out.has(i) ? "var(--red)" : "var(--grey)"), size: (i) => (out.has(i) ? 5 : 2), opacity: 0.8 });
  for (const i of out) node("path", { d: mark(0, chart.sx(found.points[i][0]), chart.sy(found.points[i][1]), 7), fill: "none", stroke: "var(--red)", class: "flagged" }, chart.inside);
  pointer(chart, inverse(chart, x, y), ([a, b]) => {
    const k = found.points.reduce((best, [u, v], i) => { const d = ((u - a) / (x[1] - x[0])) ** 2 + ((v - b) / (y[1] - y[0])) ** 2; return d < best[1] ? [i, d] : best; }, [0, Infinity])[0];
    return `${short(found.points[k][0])}, ${short(found.points[k][1])}\np-value ${short(found.p_values[k], 3)}`;
  });
};
