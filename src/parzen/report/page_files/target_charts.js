// Charts of the prediction of a target.
Object.assign(draw, {
  regions(holder) {
    const { columns, grid, predicted_class: winner, probability, points, classes, finding } = data.regions, K = classes.length;
    legend(holder, classes);
    const half = grid.map((axis) => (axis[1] - axis[0]) / 2), ends = grid.map((axis, j) => [axis[0] - half[j], axis.at(-1) + half[j]]);
    scatter(holder, columns, points, finding, ends, (chart) => {
      const [xs, ys] = grid, across = Math.abs(chart.sx(xs[1]) - chart.sx(xs[0])), high = Math.abs(chart.sy(ys[1]) - chart.sy(ys[0]));
      xs.forEach((x, i) => ys.forEach((y, j) => {
        const strength = Math.max((probability[i][j] - 1 / K) / (1 - 1 / K), 0);
        const cell = node("rect", { x: chart.sx(x) - across / 2, y: chart.sy(y) - high / 2, width: across + 0.6, height: high + 0.6 }, chart.inside);
        cell.style.fill = `color-mix(in srgb, ${colour(winner[i][j])} ${(8 + 32 * strength).toFixed(1)}%, var(--paper))`; // opaque: no seams
        hover(cell, `${classes[winner[i][j]]}: ${percent(probability[i][j])}`);
      }));
    });
  },

  models(holder) {
    const measures = { log_loss: "log loss (lower is better)", accuracy: "accuracy (higher is better)", brier_score: "Brier score (lower is better)", calibration_error: "expected calibration error (lower is better)", cost: "mean cost per row (lower is better)" };
    const pick = choice(holder, "measure", "compare by", Object.entries(measures)), picture = element("div", {}, holder), note = element("div", { class: "soft" }, holder);
    const redraw = () => {
      const key = pick.value, sign = key === "accuracy" ? -1 : 1, write = key === "accuracy" ? percent : short;
      const rows = data.models.filter((one) => one[key].value !== null).sort((a, b) => sign * (a[key].value - b[key].value));
      const low = (one) => one[key].low ?? one[key].value, high = (one) => one[key].high ?? one[key].value;
      const { x, log, beyond } = compared(rows.map((one) => [low(one), one[key].value, high(one)]));
      const names = rows.map((one) => one.name);
      const chart = frame(picture, { x, y: [0, rows.length], height: 46 + 26 * rows.length, logx: log, names, xlabel: measures[key] + (log ? ", log scale" : ""), label: data.models_finding, xmarks: key === "accuracy" ? (a, b, n) => linearMarks(100 * a, 100 * b, n).map((one) => ({ at: one.at / 100, text: `${one.text}%` })) : undefined });
      rows.forEach((one, i) => {
        const y = chart.sy(rows.length - i - 0.5), ink = one.kind === "generative" ? colour(0) : one.kind === "discriminative" ? colour(1) : GREY;
        node("text", { x: chart.left - 8, y: y + 4, "text-anchor": "end", class: "strong" }, chart.svg, cut(one.name, chart.left - 8));
        const text = `${one.name} (${one.kind})\n${write(one[key].value)}, ${range(one[key], write)}`;
        if (one[key].value > x[1]) {
          hover(node("text", { x: chart.width - chart.right, y: y + 4, "text-anchor": "end", class: "strong" }, chart.svg, `${short(one[key].value)} →`), text);
          return;
        }
        node("line", { x1: chart.sx(low(one)), x2: chart.sx(high(one)), y1: y, y2: y, stroke: ink, "stroke-width": 2 }, chart.inside);
        hover(node("circle", { cx: chart.sx(one[key].value), cy: y, r: 5, fill: ink }, chart.svg), text);
      });
      note.textContent = beyond ? "An arrow marks a value beyond the axis." : "";
    };
    pick.addEventListener("change", redraw);
    redraw();
  },

  calibration(holder) {
    const pick = choice(holder, "calibrated", "model", Object.keys(data.calibration).map((name) => [name, name])), picture = element("div", {}, holder);
    pick.value = data.best;
    const redraw = () => {
      const rows = data.calibration[pick.value];
      const chart = frame(picture, { x: [0, 1], y: [0, 1], height: 380, width: 520, xlabel: "predicted probability", ylabel: "observed frequency", label: "reliability diagram" });
      node("line", { x1: chart.sx(0), x2: chart.sx(1), y1: chart.sy(0), y2: chart.sy(1), stroke: "var(--soft)", "stroke-dasharray": "4 4" }, chart.svg);
      node("path", { d: path(rows.map((one) => one.predicted_probability), rows.map((one) => one.observed_frequency), chart), fill: "none", stroke: colour(0), "stroke-width": 1.6 }, chart.svg);
      rows.forEach((one) => {
        node("line", { x1: chart.sx(one.predicted_probability), x2: chart.sx(one.predicted_probability), y1: chart.sy(one.low), y2: chart.sy(one.high), stroke: colour(0), "stroke-width": 1.4 }, chart.svg);
        hover(node("circle", { cx: chart.sx(one.predicted_probability), cy: chart.sy(one.observed_frequency), r: 4.5, fill: colour(0) }, chart.svg), `predicted probability ${percent(one.predicted_probability)}\nobserved frequency ${percent(one.observed_frequency)}\n${range(one, percent)}\n${count(one.rows)} rows`);
      });
    };
    pick.addEventListener("change", redraw);
    redraw();
  },

  threshold(holder) {
    const found = data.threshold, [negative, positive] = found.class_rows, total = negative + positive;
    const pair = element("div", { class: "pair" }, holder), picture = element("div", {}, pair), side = element("div", {}, pair);
    const controls = element("div", {}, side), facts = element("div", { class: "scroll" }, side);
    const number = (id, text, value) => {
      const row = element("div", { class: "control" }, controls);
      element("label", { for: id }, row, text);
      return element("input", { type: "number", id, min: 0, step: "any", value }, row);
    };
    const falsePositive = number("false-positive-cost", `cost of deciding “${found.classes[1]}” when “${found.classes[0]}” is true`, found.loss[1][0]);
    const falseNegative = number("false-negative-cost", `cost of deciding “${found.classes[0]}” when “${found.classes[1]}” is true`, found.loss[0][1]);
    const row = element("div", { class: "control" }, controls);
    element("label", { for: "threshold-slider" }, row, "threshold");
    const slider = element("input", { type: "range", id: "threshold-slider", min: 0, max: 100, value: found.best === null ? 50 : Math.round(100 * found.best) }, row);
    const shown = element("output", { for: "threshold-slider", id: "threshold-cost", class: "wide" }, row);
    const cost = (k) => (found.loss[0][0] * (negative - found.false_positives[k]) + found.loss[1][1] * found.true_positives[k] + Number(falsePositive.value) * found.false_positives[k] + Number(falseNegative.value) * (positive - found.true_positives[k])) / total;
    const redraw = () => {
      const k = Number(slider.value), costs = found.thresholds.map((_, i) => cost(i)), least = costs.indexOf(Math.min(...costs));
      const chart = frame(picture, { x: [0, 1], y: [Math.min(0, costs[least]), 1.05 * Math.max(...costs) || 1], height: 300, xlabel: `threshold of the predicted probability of “${found.classes[1]}”`, ylabel: "mean cost per row", label: "mean cost over the threshold" });
      node("path", { d: path(found.thresholds, costs, chart), fill: "none", stroke: colour(0), "stroke-width": 2 }, chart.inside);
      node("line", { x1: chart.sx(k / 100), x2: chart.sx(k / 100), y1: chart.top, y2: chart.height - chart.bottom, stroke: colour(1) }, chart.svg);
      node("circle", { cx: chart.sx(k / 100), cy: chart.sy(costs[k]), r: 5, fill: colour(1) }, chart.svg);
      hover(chart.svg, (event) => { const i = nearest(chart, found.thresholds, event); return `threshold ${i}%\ncost per row ${short(costs[i])}`; });
      shown.textContent = `${k}%: cost per row ${short(costs[k])} (lowest on these rows: ${short(costs[least])} at ${least}%)`;
      facts.replaceChildren();
      const table = element("table", { id: "threshold-table" }, facts), head = element("tr", {}, table);
      ["decision", ...found.classes.map((name) => `true class: ${name}`)].forEach((text) => element("th", {}, head, text));
      [[found.classes[0], negative - found.false_positives[k], positive - found.true_positives[k]], [found.classes[1], found.false_positives[k], found.true_positives[k]]].forEach((cells) => {
        const line = element("tr", {}, table);
        cells.forEach((cell) => element("td", {}, line, typeof cell === "number" ? count(cell) : cell));
      });
    };
    [slider, falsePositive, falseNegative].forEach((one) => one.addEventListener("input", redraw));
    redraw();
  },

  learning(holder) {
    const found = data.learning_curves;
    legend(holder, found.names);
    const both = element("div", { class: "pair even" }, holder);
    for (const [key, text] of [["error", "error"], ["log_loss", "log loss"]]) {
      const all = found[key].flat().flatMap((one) => [one.low ?? one.value, one.value, one.high ?? one.value]).filter((v) => v !== null);
      const top = Math.max(...all), low = Math.min(...all), log = low > 0 && top > 30 * low;
      const marks = found.sizes.map((at) => ({ at, text: count(at) }));
      const chart = frame(element("div", {}, both), { width: 510, x: [found.sizes[0], found.sizes.at(-1)], y: log ? [low / 1.2, 1.2 * top] : [0, 1.05 * top || 1], height: 230, logx: true, logy: log, xmarks: narrow() ? undefined : marks, xlabel: "training rows, log scale", ylabel: text + (log ? ", log scale" : ""), label: found.finding });
      found[key].forEach((line, k) => {
        const band = path(found.sizes, line.map((one) => one.low), chart) + path([...found.sizes].reverse(), [...line].reverse().map((one) => one.high), chart).replace("M", "L") + "Z";
        node("path", { d: band, fill: colour(k), "fill-opacity": 0.13 }, chart.inside);
        node("path", { d: path(found.sizes, line.map((one) => one.value), chart), fill: "none", stroke: colour(k), "stroke-width": 1.8 }, chart.inside);
        line.forEach((one, i) => hover(node("circle", { cx: chart.sx(found.sizes[i]), cy: chart.sy(one.value), r: 4, fill: colour(k) }, chart.svg), `${found.names[k]}\n${count(found.sizes[i])} rows: ${short(one.value)}\n80% of repetitions ${short(one.low)} to ${short(one.high)}`));
      });
    }
  },

  information(holder) {
    const clear = data.information.filter((one) => (one.information.low ?? 0) > 0).slice(0, 20);
    bars(holder, clear.map((one) => ({ name: one.column, ...one.information, more: `most about ${one.most_about}` })), "information about the class (nats)");
  },

  words(holder, index) {
    const clear = data.words[index].words.filter((one) => one.low > 0);
    bars(holder, clear.map((one) => ({ name: one.word, ...one, more: `in ${count(one.rows)} rows` })), "log-odds ratio");
  },
});

// The axis of scores (low, value, high): a log scale where one is far above the others; beyond the axis where zero is among them.
function compared(scores, far = 12) {
  const ends = scores.flat(), low = Math.min(...ends), high = Math.max(...ends), values = scores.map((one) => one[1]);
  const most = Math.max(...values), middle = [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (low > 0 && most > far * Math.min(...values)) return { x: [low / 1.15, high * 1.15], log: true, beyond: false };
  if (middle > 0 && most > 20 * middle) {
    const within = scores.filter((one) => one[1] <= 20 * middle).map((one) => one[2]);
    return { x: [Math.min(low, 0), 1.3 * Math.max(...within)], log: false, beyond: true };
  }
  const room = 0.06 * (high - low || 1);
  return { x: [low < 0 || low - room > 0 ? low - room : 0, high + room], log: false, beyond: false };
}

function bars(holder, rows, label) {
  const ends = rows.flatMap((one) => [one.low ?? one.value, one.high ?? one.value, 0]), low = Math.min(...ends), high = Math.max(...ends);
  const chart = frame(holder, { x: [low, high + 0.04 * (high - low || 1)], y: [0, rows.length], height: 48 + 22 * rows.length, names: rows.map((one) => one.name), xlabel: label, label });
  rows.forEach((one, i) => {
    const y = chart.sy(rows.length - i - 0.5);
    node("text", { x: chart.left - 8, y: y + 4, "text-anchor": "end", class: "strong" }, chart.svg, cut(one.name, chart.left - 8));
    const bar = node("rect", { x: Math.min(chart.sx(0), chart.sx(one.value)), y: y - 7, width: Math.max(Math.abs(chart.sx(one.value) - chart.sx(0)), 1), height: 14, fill: colour(0), "fill-opacity": 0.8 }, chart.svg);
    node("line", { x1: chart.sx(one.low ?? one.value), x2: chart.sx(one.high ?? one.value), y1: y, y2: y, stroke: "var(--ink)", "stroke-width": 1.2 }, chart.svg);
    hover(bar, `${one.name}\n${short(one.value)}, ${range(one)}\n${one.more}`);
  });
}
