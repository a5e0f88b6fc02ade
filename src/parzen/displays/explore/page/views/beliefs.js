// Beliefs: prior, likelihood, posterior and predictive distribution of a coin, a rate or a mean on one axis.
import { frame, node, short } from "/plot.js";
import { buttons, number, select, slider, typed } from "/controls.js";
import { ends, inverse, layout, line, picked, pointer, room, stroke } from "/parts.js";
export const title = "Beliefs";
const MODELS = ["coins", "counts", "normal mean"];
const PRIORS = { coins: ["a", "b"], counts: ["shape", "rate"], "normal mean": ["location", "deviation", "noise"] };
const WORDS = { a: "prior heads, a", b: "prior tails, b", shape: "prior events, shape", rate: "prior rows, rate", location: "prior mean", deviation: "prior deviation", noise: "known deviation of a row" };
const PARAMETER = { coins: "probability of heads; next toss", counts: "rate; next count", "normal mean": "mean; next value" };

export const open = (holder, data, state, changed) => {
  const view = layout(holder, "Add observations: the posterior leaves the prior and follows the likelihood, and the predictive stays wider than the posterior.", "beliefs");
  const { left } = view, columns = data.numbers.map((one) => one.name), set = (values) => { Object.assign(state, values); changed(); };
  state.model ??= "normal mean";
  if (state.x === undefined && state.typed === undefined) { state.x = columns[0]; state.count = 1; }
  const range = () => { const one = data.numbers.find(({ name }) => name === (state.x ?? columns[0])); return [one.low, one.high > one.low ? one.high : one.low + 1]; };
  const scaled = () => { const [low, high] = range(), span = high - low; return { location: Number(short((low + high) / 2, 2).replaceAll(",", "")), deviation: Number((span / 4).toPrecision(2)), noise: Number((span / 8).toPrecision(2)) }; };
  if (state.location === undefined) Object.assign(state, scaled());
  select(left, "model", MODELS, state.model, (model) => set({ model, ...(model === "normal mean" ? { x: columns[0], typed: undefined, count: 1 } : { x: undefined, typed: model === "coins" ? [1, 1, 0] : [3, 4] }) }));
  const source = select(left, "data from", ["typing", ...columns], state.x ?? "typing", (x) => (x === "typing" ? set({ x: undefined, typed: state.typed || [] }) : set({ x, typed: undefined, count: state.count ?? 1, ...(state.model === "normal mean" ? (state.x = x, scaled()) : {}) })));
  const sliders = {};
  for (const name of Object.values(PRIORS).flat()) sliders[name] = slider(left, WORDS[name], (v) => set({ [name]: Number(v.toPrecision(4)) }), { log: name !== "location" });
  const count = slider(left, "first rows of the column", (n) => set({ count: Math.round(n) }), { log: false });
  const jump = buttons(left, [["one", () => set({ count: 1 })], ["seven", () => set({ count: 7 })], ["a month (30)", () => set({ count: 30 })], ["none", () => set({ count: 0 })]])[0].parentElement;
  const read = (text) => text.split(/[\s,;]+/).filter(Boolean).map(Number).filter(Number.isFinite);
  const box = typed(left, "typed data", "", (text) => set({ typed: read(text) }), "1 0 1 1");
  const add = number(left, "add one", null, (v) => { if (v !== null) { set({ typed: [...(state.typed || []), v] }); add.value = ""; } });
  const toss = buttons(left, [["heads", () => set({ typed: [...(state.typed || []), 1] })], ["tails", () => set({ typed: [...(state.typed || []), 0] })], ["clear", () => set({ typed: [] })]]);
  const bounds = { a: [0.1, 100], b: [0.1, 100], shape: [0.1, 1000], rate: [0.01, 100] };
  return {
    request: () => picked(state, ["model", ...PRIORS[state.model], ...(state.x === undefined ? ["typed"] : ["x", "count"])]),
    draw: (found) => {
      const [low, high] = range(), span = high - low, typing = state.x === undefined;
      for (const [name, one] of Object.entries(sliders)) {
        one.box.hidden = !PRIORS[found.model].includes(name);
        if (!one.box.hidden) one.show(found.parameters[name], bounds[name] || (name === "location" ? [Math.min(low - span, found.parameters[name]), Math.max(high + span, found.parameters[name])] : [span / 200, span * 5]), short(found.parameters[name]));
      }
      const known = data.numbers.find(({ name }) => name === state.x)?.known || 0;
      count.box.hidden = jump.hidden = typing;
      box.parentElement.hidden = add.parentElement.hidden = toss[2].parentElement.hidden = !typing;
      toss[0].hidden = toss[1].hidden = found.model !== "coins";
      if (!typing) count.show(found.count, [0, Math.min(known, 365)], short(found.count));
      source.value = state.x ?? "typing"; box.value = (state.typed || []).join(" ");
      figure(view, found);
      const e = found.estimates;
      view.rows([["observations", short(found.count)], ["maximum likelihood (ML)", short(e["maximum likelihood"])], ["maximum a posteriori (MAP)", short(e["maximum a posteriori"])], ["Bayes: posterior mean", short(e["Bayes (posterior mean)"])], ["95% credible interval", `${short(e.low)} to ${short(e.high)}`], ["log evidence", short(e["log evidence"])]]);
      view.write(found.python);
    },
  };
};
const figure = (view, found) => {
  const { grid, prior, likelihood, posterior, outcomes, predictive } = found, e = found.estimates;
  const finite = [...prior, ...posterior].filter((v) => v !== null), sorted = [...finite].sort((a, b) => a - b), peak = Math.max(...posterior.slice(2, -2)), top = 1.1 * Math.max(peak, Math.min(sorted.at(-1), 3 * peak), found.model === "normal mean" ? Math.max(...predictive) : 0);
  const x = found.model === "coins" ? [-0.06, 1.06] : found.model === "counts" ? [-0.5, Math.max(grid.at(-1), 3)] : ends(grid), y = [0, top];
  const chart = frame(view.places[0], { x, y, height: 380, width: room(view.places[0]), xlabel: PARAMETER[found.model], ylabel: "density", label: `Prior, likelihood, posterior and predictive: ${found.model}` }), { inside, sx, sy } = chart;
  const scale = found.model === "normal mean" ? 1 : (0.6 * top) / Math.max(...predictive), half = Math.min(found.model === "coins" ? 9 : (sx(1) - sx(0)) * 0.35, 16);
  if (found.discrete) outcomes.forEach((at, k) => {
    node("rect", { x: sx(at) - half, width: 2 * half, y: sy(predictive[k] * scale), height: sy(0) - sy(predictive[k] * scale), fill: "var(--bars)", class: "bar" }, inside);
    if (outcomes.length < 14) node("text", { x: sx(at), y: sy(predictive[k] * scale) - 4, "text-anchor": "middle" }, inside, short(predictive[k], 3));
  });
  else stroke(chart, outcomes, predictive, { colour: "var(--grey)", dash: "10 3 2 3", id: "predictive" });
  const inner = grid.map((v, i) => [v, posterior[i]]).filter(([v]) => v >= e.low && v <= e.high);
  if (inner.length > 1) node("path", { d: `M${sx(inner[0][0])},${sy(0)}L${inner.map(([v, f]) => `${sx(v)},${sy(f)}`).join("L")}L${sx(inner.at(-1)[0])},${sy(0)}Z`, fill: "var(--blue)", "fill-opacity": 0.13 }, inside);
  stroke(chart, grid, prior, { colour: "var(--soft)", dash: "8 4", id: "prior" });
  if (likelihood) stroke(chart, grid, likelihood, { colour: "var(--orange)", dash: "2 3", id: "likelihood" });
  stroke(chart, grid, posterior, { id: "curve", width: 2.2 });
  for (const [value, name, row] of [[e["maximum likelihood"], "ML", 0], [e["maximum a posteriori"], "MAP", 1], [e["Bayes (posterior mean)"], "Bayes", 2]]) if (value !== null) {
    line(chart, value, 0, value, top, { dash: "1 3" });
    node("text", { x: sx(value) + 3, y: sy(top) + 11 + 13 * row }, inside, name);
  }
  if (found.model !== "coins") for (const at of found.values) node("line", { x1: sx(at), x2: sx(at), y1: sy(0) - 8, y2: sy(0), stroke: "var(--ink)", "stroke-width": 1 }, inside);
  view.key([{ text: "prior", colour: "var(--soft)", dash: "8 4" }, { text: "likelihood (scaled)", colour: "var(--orange)", dash: "2 3" }, { text: "posterior, 95% shaded", colour: "var(--blue)" }, found.discrete ? { text: "posterior predictive: probability", colour: "var(--bars)", fill: 1 } : { text: "posterior predictive", colour: "var(--grey)", dash: "10 3 2 3" }]);
  pointer(chart, inverse(chart, x, y), ([at]) => {
    const k = grid.reduce((best, v, i) => (Math.abs(v - at) < Math.abs(grid[best] - at) ? i : best), 0);
    return `${short(grid[k])}\nprior ${short(prior[k])}\nposterior ${short(posterior[k])}`;
  });
};
