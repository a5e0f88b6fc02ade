// Decisions: a loss to type in, a threshold, abstaining, and reliability before and after calibration.
import { element, frame, node, percent, short } from "/plot.js";
import { matrix, number, select, slider } from "/controls.js";
import { ends, inverse, layout, line, mark, picked, pointer, room, stroke } from "/parts.js";
export const title = "Decisions";
const MODELS = ["naive Bayes", "linear discriminant", "quadratic discriminant", "logistic regression"];
const METHODS = ["none", "sigmoid", "isotonic", "temperature", "beta", "histogram", "venn_abers"];
const NAMES = ["target", "model", "calibration", "loss", "abstain", "threshold"];

export const open = (holder, data, state, changed) => {
  if (!data.classes.length) { element("p", {}, holder, "This table has no column of 2 to 20 classes."); return { request: () => ({}), draw: () => {} }; }
  const view = layout(holder, "Type what each mistake costs: the threshold of least expected cost moves with it, and is right where predicted probabilities agree with observed frequencies.", "decisions", ["chart", "second", "third"]);
  const { left } = view, set = (values) => { Object.assign(state, values); changed(); }, targets = data.classes.map((one) => one.name);
  state.target ??= targets.includes(data.target) ? data.target : targets[0];
  select(left, "classes", targets, state.target, (target) => set({ target, loss: undefined, threshold: undefined }));
  select(left, "model", MODELS, state.model || MODELS[0], (model) => set({ model }));
  select(left, "calibration", METHODS, state.calibration || "isotonic", (calibration) => set({ calibration }));
  const box = element("div", {}, left);
  number(left, "cost of abstaining", state.abstain, (v) => set({ abstain: v === null ? undefined : Math.max(v, 0) })).setAttribute("min", 0);
  const slide = slider(left, "threshold", (v) => set({ threshold: Number(v.toFixed(4)) }), { log: false }), counts = element("div", {}, left);
  let known = "";
  return {
    request: () => picked(state, NAMES),
    draw: (found) => {
      if (known !== found.classes.join("\n")) { known = found.classes.join("\n"); box.replaceChildren(); matrix(box, "loss: actions in rows, classes in columns", found.classes, found.classes, found.loss, (loss) => set({ loss, threshold: undefined })); }
      const { curve, bayes } = found;
      slide.box.hidden = !curve;
      if (curve) slide.show(curve.threshold, [0, 1], `${short(curve.threshold)} for ${found.classes[1]}`, { Bayes: curve.bayes, least: curve.least.threshold });
      counts.replaceChildren();
      if (curve) confusion(counts, "at the threshold", found.classes, found.classes, curve.confusion);
      confusion(counts, "by least expected loss", found.actions, found.classes, bayes.confusion);
      const { before, after } = found.reliability, total = bayes.confusion.flat().reduce((a, b) => a + b, 0), aside = found.actions.length > found.classes.length ? bayes.confusion.at(-1).reduce((a, b) => a + b, 0) : null;
      view.rows([...(curve ? [["expected cost at the threshold", short(curve.at)], ["least cost of any threshold", short(curve.least.cost)], ["Bayes threshold", short(curve.bayes)]] : []), ["expected cost, least expected loss", short(bayes.cost)], ...(aside === null ? [] : [["abstained", `${short(aside)} of ${short(total)}`]]), ["calibration error before", short(before.error)], ["calibration error after", short(after.error)], ["log loss before", short(before.log_loss)], ["log loss after", short(after.log_loss)]]);
      view.say(`A classifier learns from ${short(found.used - found.rows)} rows and ${short(found.columns)} columns of numbers; everything here is counted on the other ${short(found.rows)}.${curve ? "" : " With more than two classes there is no single threshold; each row gets the action of least expected loss."}`);
      drawCosts(view, found);
      drawReliability(view.places[1], found);
      drawCoverage(view.places[2], found);
      view.write(found.python);
    },
  };
};
const confusion = (holder, text, actions, classes, counts) => {
  const table = element("table", { class: "confusion" }, holder), top = element("tr", {}, table);
  element("caption", {}, table, `Confusion ${text}: actions in rows, classes in columns`);
  element("td", {}, top);
  classes.forEach((name) => element("th", { scope: "col" }, top, name));
  actions.forEach((name, i) => { const row = element("tr", {}, table); element("th", { scope: "row" }, row, name); classes.forEach((_, j) => element("td", {}, row, short(counts[i][j]))); });
};
const KEY = [{ text: "before calibration", colour: "var(--orange)", dash: "6 4" }, { text: "after", colour: "var(--blue)" }];
const drawCosts = (view, found) => {
  const { curve } = found;
  if (!curve) { view.places[0].replaceChildren(); view.key(KEY); return; }
  const y = [Math.min(0, ...curve.cost), 1.06 * Math.max(...curve.cost) || 1], chart = frame(view.places[0], { x: [0, 1], y, height: 280, width: room(view.places[0]), xlabel: `threshold on the probability of ${found.classes[1]}`, ylabel: "average loss", label: "Average loss over the threshold" });
  const xs = [], ys = [];
  curve.thresholds.forEach((at, k) => { if (k) { xs.push(at); ys.push(curve.cost[k - 1]); } xs.push(at); ys.push(curve.cost[k]); });
  stroke(chart, [...xs, 1], [...ys, ys.at(-1)], { id: "curve" });
  line(chart, curve.threshold, y[0], curve.threshold, y[1], { colour: "var(--ink)", dash: "1 3", width: 1.6 });
  if (curve.bayes >= 0 && curve.bayes <= 1) line(chart, curve.bayes, y[0], curve.bayes, y[1], { colour: "var(--green)", dash: "10 3 2 3", width: 1.4 });
  node("path", { d: mark(0, chart.sx(curve.threshold), chart.sy(curve.at), 4.5), fill: "var(--ink)" }, chart.inside);
  view.key([{ text: "average loss", colour: "var(--blue)" }, { text: "threshold", colour: "var(--ink)", dash: "1 3" }, { text: "Bayes threshold", colour: "var(--green)", dash: "10 3 2 3" }, ...KEY]);
  pointer(chart, inverse(chart, [0, 1], y), ([a]) => { const k = Math.max(curve.thresholds.findLastIndex((at) => at <= a), 0); return `threshold ${short(a, 3)}\naverage loss ${short(curve.cost[k])}`; });
};
const drawReliability = (holder, found) => {
  const chart = frame(holder, { x: [0, 1], y: [0, 1], height: 300, width: room(holder), xlabel: `predicted probability of ${found.classes.length === 2 ? found.classes[1] : "the likeliest class"}`, ylabel: "observed frequency", label: "Reliability before and after calibration" });
  line(chart, 0, 0, 1, 1, { dash: "1 3" });
  for (const [one, paint, dashes, shape] of [[found.reliability.before, "var(--orange)", "6 4", 2], [found.reliability.after, "var(--blue)", "none", 0]]) {
    one.predicted.forEach((p, k) => { line(chart, p, one.low[k], p, one.high[k], { colour: paint, width: 1 }); node("path", { d: mark(shape, chart.sx(p), chart.sy(one.observed[k]), 4), fill: paint }, chart.inside); });
    stroke(chart, one.predicted, one.observed, { colour: paint, dash: dashes });
  }
};
const drawCoverage = (holder, found) => {
  const { coverage, risk } = found.coverage, y = [Math.min(0, ...risk), 1.06 * Math.max(...risk) || 1], chart = frame(holder, { x: [0, 1], y, height: 200, width: room(holder), xlabel: "part of the rows that is decided, the most certain first", ylabel: "average loss", label: "Average loss over the part of the rows that is decided" });
  stroke(chart, coverage, risk, { id: "coverage" });
  pointer(chart, inverse(chart, [0, 1], y), ([a]) => { const k = coverage.findIndex((c) => c >= a); return k < 0 ? "" : `${percent(coverage[k])} decided\naverage loss ${short(risk[k])}`; });
};
