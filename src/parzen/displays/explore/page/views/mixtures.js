// Mixtures: EM by half steps; ellipses, responsibilities, the lower bound under the log-likelihood, and k-means.
import { colour, frame, node, short } from "/plot.js";
import { buttons, check, number, select, slider, typed } from "/controls.js";
import { dash, extent, inverse, layout, mark, picked, pointer, points, rgb, room, stroke } from "/parts.js";
export const title = "Mixtures";
const NAMES = ["x", "y", "k", "covariance", "start", "seed", "centres", "prior", "floor", "step"];

export const open = (holder, data, state, changed) => {
  const view = layout(holder, "Take E-steps and M-steps in turn: an E-step lifts the lower bound until it touches the log-likelihood, an M-step raises both.", "mixture", ["chart", "second", "third"]);
  const { left } = view, columns = data.numbers.map((one) => one.name), set = (values) => { Object.assign(state, values); changed(); };
  const again = (values) => { stop(); set({ step: 0, ...values }); };
  state.x ??= columns[0]; state.y ??= columns[1]; state.k ??= 2; state.start ??= "random"; state.step ??= 0;
  let timer = null, last = 0;
  const stop = () => { clearInterval(timer); timer = null; if (run) run.textContent = "run"; };
  select(left, "column", columns, state.x, (x) => again({ x, centres: undefined }));
  select(left, "second column", columns, state.y, (y) => again({ y, centres: undefined }));
  number(left, "components", state.k, (k) => again({ k: Math.min(Math.max(Math.round(k || 1), 1), 8) })).setAttribute("min", 1);
  select(left, "covariance", ["full", "tied", "diag", "spherical"], state.covariance || "full", (covariance) => again({ covariance }));
  const start = select(left, "start", ["k-means", "random", "clicked"], state.start, (name) => again({ start: name, centres: name === "clicked" ? [] : undefined }));
  number(left, "random seed", state.seed ?? 0, (seed) => again({ seed: Math.max(Math.round(seed || 0), 0) }));
  const centres = typed(left, "centres", "", (text) => again({ start: "clicked", centres: text.split(";").map((one) => one.trim().split(/[\s,]+/).map(Number)).filter((one) => one.length === 2 && one.every(Number.isFinite)).slice(0, 8) }), "x y; x y");
  check(left, "prior of covariances", state.prior || false, (prior) => again({ prior }));
  check(left, "floor of variances", state.floor ?? true, (floor) => again({ floor }));
  const slide = slider(left, "half steps", (step) => { stop(); set({ step: Math.round(step) }); }, { log: false, steps: 200 });
  const next = () => set({ step: Math.min(state.step + 1, last) });
  const [e, m] = buttons(left, [["E-step", () => { stop(); next(); }], ["M-step", () => { stop(); next(); }]]);
  const [run] = buttons(left, [["run", () => { if (timer) { stop(); return; } run.textContent = "pause"; timer = setInterval(() => { if (!run.isConnected || state.step >= last) stop(); else next(); }, 250); }], ["to the end", () => { stop(); set({ step: last }); }], ["rewind", () => { stop(); set({ step: 0 }); }]]);
  return {
    request: () => picked(state, NAMES),
    draw: (found) => {
      last = found.last;
      if (state.step > last) state.step = last;
      e.disabled = found.step % 2 === 1 || found.step >= last; m.disabled = found.step % 2 === 0 || found.step >= last;
      start.value = state.start; centres.value = found.start.map((one) => one.map((v) => short(v).replaceAll(",", "")).join(" ")).join("; ");
      slide.show(found.step, [0, Math.max(found.last, 1)], `${found.step} of ${found.last}`);
      figure(view, found, state, ([x, y]) => again({ start: "clicked", centres: [...(state.start === "clicked" ? state.centres || [] : []), [Number(x.toPrecision(4)), Number(y.toPrecision(4))]].slice(-(state.k || 2)) }));
      bounds(view.places[1], found);
      hard(view.places[2], found);
      const done = found.step ? [["log-likelihood per row", short(found.heights[found.step - 1], 6)], ["lower bound per row", short(found.bounds[found.step - 1], 6)]] : [];
      view.rows([["done", found.step === 0 ? "the start" : found.step % 2 ? "an E-step" : "an M-step"], ...done, ...found.components.map((one, k) => [`weight of component ${k + 1}`, short(one.weight)]), ["rows", short(found.rows)], ...(found.used < found.rows ? [["rows that EM sees, drawn at random", short(found.used)]] : [])]);
      const ended = { converged: `EM ends after ${Math.floor(found.last / 2)} iterations: the log-likelihood rises by less than the tolerance.`, "most steps": `After ${Math.floor(found.last / 2)} iterations EM is stopped.`, collapsed: `A component is singular after ${Math.floor(found.last / 2)} iterations: ${found.sentence}` }[found.ended];
      view.say(found.step >= found.last || found.ended === "collapsed" ? ended : "");
      view.write(found.python);
    },
  };
};
const figure = (view, found, state, clicked) => {
  const x = extent(found.points.map((one) => one[0])), y = extent(found.points.map((one) => one[1])), q = found.responsibilities;
  const chart = frame(view.places[0], { x, y, height: 420, width: room(view.places[0]), xlabel: found.names[0], ylabel: found.names[1], grid: false, label: "Rows and components" });
  const tones = found.components.map((_, k) => rgb(colour(k))), best = (i) => q[i].indexOf(Math.max(...q[i]));
  const blend = (i) => `rgb(${[0, 1, 2].map((c) => Math.round(q[i].reduce((sum, r, k) => sum + r * tones[k][c], 0))).join(",")})`;
  points(chart, found.points, q ? { code: best, paint: blend, size: 3.2 } : { paint: () => "var(--grey)", size: 2.6 });
  found.components.forEach((one, k) => {
    one.ellipses.forEach((ring, s) => stroke(chart, ring.map((p) => p[0]), ring.map((p) => p[1]), { colour: colour(k), dash: dash(k), width: s ? 1.2 : 2.2, ...(s ? {} : { id: `ellipse${k}` }) }));
    node("path", { d: mark(k, chart.sx(one.mean[0]), chart.sy(one.mean[1]), 7), fill: colour(k), stroke: "var(--paper)", "stroke-width": 1.5 }, chart.inside);
  });
  view.key([...found.components.map((one, k) => ({ text: `component ${k + 1}, weight ${short(one.weight, 3)}`, colour: colour(k), mark: k })), { text: "ellipses of one and two deviations", colour: "var(--soft)" }, { text: state.start === "clicked" ? "click: the next centre" : "click to place the centres", colour: "var(--grey)", mark: 5 }]);
  pointer(chart, inverse(chart, x, y), ([a, b]) => `${short(a)}, ${short(b)}`, null, clicked);
};
const bounds = (holder, found) => {
  const { bounds: lower, heights } = found, low = Math.min(...lower.slice(lower.length > 4 ? 1 : 0)), high = Math.max(...heights), space = 0.08 * (high - low) || 1;
  const chart = frame(holder, { x: [0, Math.max(lower.length, 2)], y: [low - space, high + space], height: 200, width: room(holder), xlabel: "half steps: E is odd, M is even", ylabel: "per row", least: 1, label: "Lower bound and log-likelihood" }), places = lower.map((_, k) => k + 1);
  stroke(chart, places, heights, { colour: "var(--orange)", id: "height" });
  stroke(chart, places, lower, { dash: "5 3", id: "bound" });
  places.forEach((at, k) => { if (at % 2) node("path", { d: mark(0, chart.sx(at), chart.sy(heights[k]), 3), fill: "var(--blue)" }, chart.inside); });
  if (found.step) node("line", { x1: chart.sx(found.step), x2: chart.sx(found.step), y1: chart.top, y2: chart.height - chart.bottom, stroke: "var(--soft)", "stroke-dasharray": "1 3", "stroke-width": 1.4 }, chart.inside);
  node("text", { x: chart.width - 24, y: chart.height - 74, "text-anchor": "end" }, chart.svg, "solid: log-likelihood");
  node("text", { x: chart.width - 24, y: chart.height - 58, "text-anchor": "end" }, chart.svg, "dashed: lower bound; dots: they touch");
};
const hard = (holder, found) => {
  const x = extent(found.points.map((one) => one[0])), y = extent(found.points.map((one) => one[1])), { labels, centres, inertia } = found.kmeans;
  const chart = frame(holder, { x, y, height: 260, width: room(holder), xlabel: `k-means after as many iterations${inertia === null ? "" : `: within-cluster sum of squares ${short(inertia)}`}`, ylabel: found.names[1], grid: false, label: "k-means, the hard limit" });
  points(chart, found.points, { code: (i) => labels[i], size: 2.6 });
  centres.forEach(([a, b], k) => node("path", { d: mark(k, chart.sx(a), chart.sy(b), 7), fill: colour(k), stroke: "var(--paper)", "stroke-width": 1.5 }, chart.inside));
};
