// Classes: class-conditional densities, the boundary, posterior probabilities along a line, errors.
import { colour, element, frame, node, percent, short } from "/plot.js";
import { select, slider } from "/controls.js";
import { contour, dash, ends, grid, image, inverse, layout, line, picked, pointer, points, rgb, room, stroke } from "/parts.js";
export const title = "Classes";
const MODELS = ["Gaussian, quadratic", "Gaussian, linear", "Gaussian, diagonal", "Gaussian, spherical", "kernel", "mixture", "naive Bayes"];
const OVERLAYS = ["nothing", "logistic, degree 1", "logistic, degree 2"];
const NAMES = ["target", "x", "y", "model", "over", "priors", "missing", "line", "pair"];

export const open = (holder, data, state, changed) => {
  if (!data.classes.length) { element("p", {}, holder, "This table has no column of 2 to 20 classes."); return { request: () => ({}), draw: () => {} }; }
  const view = layout(holder, "Change the model: the covariances decide whether the boundary is a line, an ellipse or a hyperbola; the priors move it towards the rarer class.", "classes", ["chart", "second"]);
  const { left } = view, set = (values) => { Object.assign(state, values); changed(); }, targets = data.classes.map((one) => one.name);
  state.target ??= targets.includes(data.target) ? data.target : targets[0];
  const columns = data.numbers.map((one) => one.name), fitting = columns.filter((name) => name !== state.target);
  state.x ??= fitting.at(-2) ?? fitting[0] ?? columns[0];
  if (state.y === undefined) state.y = fitting.length > 1 ? fitting.at(-1) : null;
  select(left, "classes", targets, state.target, (target) => set({ target, priors: undefined, pair: undefined }));
  select(left, "column", columns, state.x, (x) => set({ x, line: undefined }));
  select(left, "second column", ["none", ...columns], state.y ?? "none", (y) => set({ y: y === "none" ? null : y, line: undefined, missing: undefined }));
  select(left, "model", MODELS, state.model || MODELS[0], (model) => set({ model }));
  const over = select(left, "over it", OVERLAYS, state.over || "nothing", (name) => set({ over: name }));
  const missing = select(left, "missing", ["nothing", "x", "y"], state.missing || "nothing", (name) => set({ missing: name }));
  const cut = slider(left, "line", (v) => set({ line: Number(v.toPrecision(4)) }), { log: false });
  const box = element("div", {}, left), pairs = element("div", {}, left);
  let sliders = [], known = "";
  const choose = (found) => {
    known = found.classes.join("\n");
    box.replaceChildren(); pairs.replaceChildren();
    sliders = found.classes.map((name, k) => slider(box, `prior of ${name}`, (v) => { const now = [...(state.priors || found.priors)], rest = now.reduce((sum, p, i) => sum + (i === k ? 0 : p), 0); set({ priors: now.map((p, i) => (i === k ? v : rest > 0 ? (p * (1 - v)) / rest : (1 - v) / (now.length - 1))) }); }, { log: false }));
    if (found.classes.length > 2) {
      const names = found.classes.flatMap((one, i) => found.classes.slice(i + 1).map((other, j) => ({ text: `${one} or ${other}`, pair: [i, i + 1 + j] })));
      select(pairs, "equation of", names.map((one) => one.text), names.find(({ pair }) => pair.join() === found.pair.join())?.text, (text) => set({ pair: names.find((one) => one.text === text).pair }));
    }
  };
  return {
    request: () => picked(state, NAMES),
    draw: (found) => {
      const two = found.names.length === 2, gone = { x: 0, y: 1 }[state.missing];
      if (known !== found.classes.join("\n")) choose(found);
      sliders.forEach((one, k) => one.show(found.priors[k], [0.001, 0.999], percent(found.priors[k])));
      missing.parentElement.hidden = cut.box.hidden = !two;
      over.disabled = two && gone !== undefined;
      if (two) cut.show(found.line, ends(found.axes[1]), `${found.names[1]} = ${short(found.line)}`);
      (two ? drawPair : drawLine)(view, found, (v) => set({ line: Number(v.toPrecision(4)) }));
      const pair = found.pair.map((k) => found.classes[k]).join(" and ");
      const words = [found.boundary && `Boundary of ${pair}: ${found.boundary.words}${two ? ", where x is the first column and y the second" : ""}.`, found.boundary?.roots?.length && `Roots at ${found.boundary.roots.map((v) => short(v)).join(" and ")}.`, !found.boundary && (two && gone !== undefined ? `With ${found.names[gone]} missing, each row is judged by ${found.names[1 - gone]} alone.` : "The boundary of this model is no conic: it has no equation of degree two."), found.over && found.over.boundary && `${found.over.name}: ${found.over.boundary.words}.`];
      view.say(words.filter(Boolean).join(" "));
      view.rows([["errors on these rows", `${short(found.errors)} of ${short(found.used)}`], ...(found.over ? [[`errors of ${found.over.name}`, short(found.over.errors)]] : []), ...found.classes.map((name, k) => [`rows of ${name}`, short(found.counts[k])]), ["kind of the boundary", found.boundary ? found.boundary.kind : "–"]], found.used < data.rows ? `${short(found.used)} rows without missing cells, drawn at random where there are more than 20,000.` : "");
      view.write(found.python);
    },
  };
};
const keyed = (view, found, more = []) => view.key([...found.classes.map((name, k) => ({ text: name, colour: colour(k), mark: k })), ...more]);
const drawPair = (view, found, moved) => {
  const [xs, ys] = found.axes, x = ends(xs), y = ends(ys), chart = frame(view.places[0], { x, y, height: 440, width: room(view.places[0]), xlabel: found.names[0], ylabel: found.names[1], grid: false, label: `Classes over ${found.names.join(" and ")}` });
  const tones = found.classes.map((_, k) => rgb(colour(k))), probability = grid(found.probability), K = found.classes.length;
  image(chart, found.axes, (i, j) => [...tones[found.predicted[j][i]], 0.05 + 0.3 * Math.max((probability[j][i] - 1 / K) / (1 - 1 / K), 0)]);
  points(chart, found.points, { code: (i) => found.codes[i], size: 2.8, opacity: 0.8 });
  found.densities.forEach((one, k) => { const values = grid(one); found.levels[k].forEach(({ level }, s) => node("path", { d: contour(values, found.axes, level, chart), fill: "none", stroke: colour(k), "stroke-width": s ? 1 : 1.6, "stroke-dasharray": dash(k), class: "contour" }, chart.inside)); });
  (K === 2 ? found.odds.slice(0, 1) : found.odds).forEach((one, k) => node("path", { d: contour(grid(one), found.axes, 0, chart), fill: "none", stroke: "var(--ink)", "stroke-width": 2.2, class: "boundary", id: `boundary${k}` }, chart.inside));
  if (found.over_odds) (K === 2 ? found.over_odds.slice(0, 1) : found.over_odds).forEach((one) => node("path", { d: contour(grid(one), found.axes, 0, chart), fill: "none", stroke: "var(--ink)", "stroke-width": 1.6, "stroke-dasharray": "6 4", class: "over" }, chart.inside));
  line(chart, x[0], found.line, x[1], found.line, { dash: "1 3", width: 1.6, colour: "var(--ink)" });
  keyed(view, found, [{ text: "boundary", colour: "var(--ink)" }, ...(found.over ? [{ text: `boundary, ${found.over.name}`, colour: "var(--ink)", dash: "6 4" }] : []), { text: "contours: half and 90% of a class", colour: "var(--soft)", dash: "8 4" }]);
  pointer(chart, inverse(chart, x, y), ([a, b]) => { const i = Math.round(((a - x[0]) / (x[1] - x[0])) * (xs.length - 1)), j = Math.round(((b - y[0]) / (y[1] - y[0])) * (ys.length - 1)); return found.predicted[j]?.[i] === undefined ? "" : `${found.classes[found.predicted[j][i]]}\nprobability ${percent(probability[j][i])}`; }, null, ([, b]) => moved(b));
  posteriors(view.places[1], found, `${found.names[0]}, along the dotted line`);
};
const drawLine = (view, found) => {
  const xs = found.along, x = ends(xs), top = 1.08 * Math.max(...found.joint.flat()), chart = frame(view.places[0], { x, y: [0, top], height: 340, width: room(view.places[0]), xlabel: found.names[0], ylabel: "prior times density", label: `Densities of the classes over ${found.names[0]}` });
  found.points.forEach(([at], i) => node("line", { x1: chart.sx(at), x2: chart.sx(at), y1: chart.sy(0) - 4 - 5 * found.codes[i], y2: chart.sy(0) - 1 - 5 * found.codes[i], stroke: colour(found.codes[i]), "stroke-width": 0.8 }, chart.inside));
  found.joint.forEach((one, k) => stroke(chart, xs, one, { colour: colour(k), dash: dash(k), id: `joint${k}` }));
  (found.boundary?.roots || []).forEach((at) => { line(chart, at, 0, at, top, { colour: "var(--ink)", dash: "1 3", width: 1.6, class: "root" }); node("text", { x: chart.sx(at) + 4, y: chart.sy(top) + 12 }, chart.inside, short(at)); });
  view.key([...found.classes.map((name, k) => ({ text: name, colour: colour(k), dash: dash(k) })), ...(found.boundary?.roots?.length ? [{ text: "roots: equally probable", colour: "var(--ink)", dash: "1 3" }] : [])]);
  posteriors(view.places[1], found, found.names[0]);
};
const posteriors = (holder, found, xlabel) => {
  const x = ends(found.along), chart = frame(holder, { x, y: [0, 1.02], height: 200, width: room(holder), xlabel, ylabel: "posterior", label: "Posterior probabilities" });
  found.posterior.forEach((one, k) => stroke(chart, found.along, one, { colour: colour(k), dash: dash(k), id: `posterior${k}` }));
  (found.over_posterior || []).forEach((one, k) => stroke(chart, found.along, one, { colour: colour(k), dash: "1 4", width: 2.4 }));
  (found.boundary?.roots || []).forEach((at) => line(chart, at, 0, at, 1.02, { colour: "var(--ink)", dash: "1 3" }));
  pointer(chart, inverse(chart, x, [0, 1.02]), ([a]) => { const k = Math.min(Math.max(Math.round(((a - x[0]) / (x[1] - x[0])) * (found.along.length - 1)), 0), found.along.length - 1); return [short(found.along[k]), ...found.classes.map((name, c) => `${name} ${percent(found.posterior[c][k])}`)].join("\n"); });
};
