"use strict";
// Draws the figures of a report from the numbers that the page carries. Text from data is set as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const INK = ["--blue", "--orange", "--green", "--pink", "--amber", "--sky", "--grey"].map((name) => `var(${name})`);
  const tip = document.getElementById("tip");

  const node = (tag, attributes, parent, text) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes || {})) one.setAttribute(key, value);
    if (text !== undefined) one.textContent = text;
    if (parent) parent.appendChild(one);
    return one;
  };
  const element = (tag, attributes, parent, text) => {
    const one = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) one.setAttribute(key, value);
    if (text !== undefined) one.textContent = text;
    if (parent) parent.appendChild(one);
    return one;
  };
  const short = (value, digits = 3) => {
    if (value === null || value === undefined) return "–";
    const v = Number(Number(value).toPrecision(digits)), size = Math.abs(v);
    return v !== 0 && (size < 1e-3 || size >= 1e7) ? v.toExponential().replace("e+", "e") : v.toLocaleString("en", { maximumSignificantDigits: digits });
  };
  const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)}%`);
  const showTip = (event, text) => {
    if (!text) { tip.style.display = "none"; return; }
    tip.textContent = text;
    tip.style.display = "block";
    tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 200)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  };
  const hover = (target, text) => {
    target.addEventListener("pointermove", (event) => showTip(event, typeof text === "function" ? text(event) : text));
    target.addEventListener("pointerleave", (event) => showTip(event, null));
  };
  const ticks = (low, high, wanted = 5) => {
    const span = high - low || 1, raw = span / wanted, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= wanted) || 10 * power;
    const out = [];
    for (let at = Math.ceil(low / step) * step; at <= high + 1e-9 * span; at += step) out.push(Math.abs(at) < step * 1e-9 ? 0 : at);
    return out;
  };

  // A frame with axes; returns the drawing, the scales and the size.
  const frame = (holder, { x, y, width = 560, height = 300, left = 52, bottom = 38, top = 10, right = 12, xlabel, ylabel, label, logx = false, grid = true }) => {
    holder.replaceChildren();
    left = Math.max(left, 16 + (ylabel ? 14 : 0) + 6.2 * Math.max(...ticks(y[0], y[1]).map((at) => short(at).length)));
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label || "" }, holder);
    const tx = logx ? Math.log10 : (v) => v;
    const sx = (v) => left + ((tx(v) - tx(x[0])) / (tx(x[1]) - tx(x[0]) || 1)) * (width - left - right);
    const sy = (v) => height - bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (height - bottom - top);
    for (const at of ticks(y[0], y[1])) {
      if (grid) node("line", { x1: left, x2: width - right, y1: sy(at), y2: sy(at), stroke: "var(--line)", "stroke-width": 0.7 }, svg);
      node("text", { x: left - 6, y: sy(at) + 4, "text-anchor": "end" }, svg, short(at));
    }
    const marks = logx ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000].filter((v) => v >= x[0] && v <= x[1]) : ticks(x[0], x[1], 6);
    for (const at of marks) node("text", { x: sx(at), y: height - bottom + 15, "text-anchor": "middle" }, svg, short(at, 4));
    node("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, stroke: "var(--soft)" }, svg);
    if (xlabel) node("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle", class: "strong" }, svg, xlabel);
    if (ylabel) node("text", { x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(top + height - bottom) / 2})`, class: "strong" }, svg, ylabel);
    return { svg, sx, sy, width, height, left, right, bottom, top };
  };
  const path = (xs, ys, { sx, sy }) => xs.map((v, i) => (ys[i] === null ? "" : `${i && ys[i - 1] !== null ? "L" : "M"}${sx(v).toFixed(2)},${sy(ys[i]).toFixed(2)}`)).join("");
  const nearest = (chart, xs, event) => {
    const box = chart.svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * chart.width;
    let best = 0;
    xs.forEach((v, i) => { if (Math.abs(chart.sx(v) - at) < Math.abs(chart.sx(xs[best]) - at)) best = i; });
    return best;
  };
  const legend = (svg, names, { left, top }) => names.forEach((name, k) => {
    node("rect", { x: left + 8, y: top + 4 + 15 * k, width: 10, height: 10, fill: INK[k % INK.length] }, svg);
    node("text", { x: left + 22, y: top + 13 + 15 * k }, svg, name);
  });

  const draw = {
    density(holder, index) {
      const column = data.columns[index], found = column.density;
      const picture = element("div", {}, holder), control = element("div", { class: "control" }, holder);
      const middle = found.factors.indexOf(1);
      element("label", { for: `h${index}` }, control, "bandwidth");
      const slider = element("input", { type: "range", id: `h${index}`, min: 0, max: found.factors.length - 1, value: middle }, control);
      const shown = element("output", { for: `h${index}`, class: "wide" }, control);
      const top = 1.15 * Math.max(...found.curves.slice(middle - 2).flat(), ...found.histogram.heights);
      const redraw = () => {
        const k = Number(slider.value), curve = found.curves[k];
        const chart = frame(picture, { x: [found.grid[0], found.grid.at(-1)], y: [0, top], height: 210, width: 420, left: 48, label: column.finding });
        const { edges, heights } = found.histogram;
        heights.forEach((h, i) => node("rect", { x: chart.sx(edges[i]), width: Math.max(chart.sx(edges[i + 1]) - chart.sx(edges[i]) - 0.5, 0.2), y: chart.sy(h), height: chart.sy(0) - chart.sy(h), fill: "var(--line)" }, chart.svg));
        node("path", { d: path(found.grid, curve.map((v) => Math.min(v, top)), chart), fill: "none", stroke: k === middle ? INK[0] : INK[1], "stroke-width": 2 }, chart.svg);
        hover(chart.svg, (event) => { const i = nearest(chart, found.grid, event); return `${column.name} = ${short(found.grid[i], 4)}\ndensity ${short(curve[i])}`; });
        shown.textContent = `h = ${short(found.bandwidth * found.factors[k])}${k === middle ? ` (${found.rule})` : ""}`;
      };
      slider.addEventListener("input", redraw);
      redraw();
    },

    dependence(holder) {
      const { names, matrix, finding } = data.dependence, d = names.length, size = Math.max(Math.min(34, 520 / d), 11), room = 120;
      const svg = node("svg", { viewBox: `0 0 ${room + d * size + 8} ${room + d * size + 4}`, role: "img", "aria-label": finding }, holder);
      svg.style.maxWidth = `${room + d * size * 1.4}px`;
      const cut = (name) => (name.length > 16 ? `${name.slice(0, 15)}…` : name);
      names.forEach((name, i) => {
        node("text", { x: room - 6, y: room + i * size + size / 2 + 4, "text-anchor": "end" }, svg, cut(name));
        const x = room + i * size + size / 2 + 4, y = room - 6;
        node("text", { x, y, transform: `rotate(-60 ${x} ${y})` }, svg, cut(name));
        matrix[i].forEach((value, j) => {
          const cell = node("rect", { x: room + j * size, y: room + i * size, width: size - 1, height: size - 1, fill: i === j ? "var(--line)" : `rgba(var(--heat), ${0.06 + 0.94 * value})` }, svg);
          if (i !== j) hover(cell, `${names[i]}\n${names[j]}\nstrength ${short(value, 2)}`);
        });
      });
    },

    bic(holder) {
      const rows = data.mixture.criterion.filter((one) => one.bic !== null);
      const shapes = [...new Set(rows.map((one) => one.covariance_type))];
      const values = rows.map((one) => one.bic), low = Math.min(...values), high = Math.max(...values);
      const sorted = [...values].sort((a, b) => a - b), cap = Math.min(high, sorted[Math.floor(0.8 * (sorted.length - 1))] + 0.2 * (high - low)) || high;
      const chart = frame(holder, { x: [1, Math.max(...rows.map((one) => one.n_components), 2)], y: [low - 0.05 * (cap - low || 1), cap + 0.05 * (cap - low || 1)], height: 240, left: 70, xlabel: "components", ylabel: "BIC (lower is better)", label: data.mixture.finding });
      shapes.forEach((shape, k) => {
        const own = rows.filter((one) => one.covariance_type === shape && one.bic <= cap * (cap > 0 ? 1.000001 : 0.999999));
        node("path", { d: path(own.map((one) => one.n_components), own.map((one) => one.bic), chart), fill: "none", stroke: INK[k], "stroke-width": 1.8 }, chart.svg);
        own.forEach((one) => hover(node("circle", { cx: chart.sx(one.n_components), cy: chart.sy(one.bic), r: 4, fill: INK[k] }, chart.svg), `${one.n_components} components, ${shape}\nBIC ${short(one.bic, 6)}`));
      });
      legend(chart.svg, shapes, { left: chart.width - 100, top: chart.top });
    },

    mixture(holder) {
      const { columns, components, points } = data.mixture.projection;
      scatter(holder, columns, points, null, data.mixture.finding, (chart) => {
        components.forEach((one, k) => {
          const [[a, b], [, c]] = one.covariance, half = (a + c) / 2, root = Math.sqrt(((a - c) / 2) ** 2 + b * b), angle = 0.5 * Math.atan2(2 * b, a - c);
          for (const size of [1, 2]) {
            const xs = [], ys = [];
            for (let i = 0; i <= 72; i++) {
              const t = (i / 72) * 2 * Math.PI, u = size * Math.sqrt(Math.max(half + root, 0)) * Math.cos(t), v = size * Math.sqrt(Math.max(half - root, 0)) * Math.sin(t);
              xs.push(one.mean[0] + u * Math.cos(angle) - v * Math.sin(angle));
              ys.push(one.mean[1] + u * Math.sin(angle) + v * Math.cos(angle));
            }
            node("path", { d: path(xs, ys, chart), fill: "none", stroke: INK[k % INK.length], "stroke-width": 1.6, "stroke-dasharray": size === 2 ? "5 4" : "none" }, chart.svg);
          }
        });
      });
    },

    regions(holder) {
      const { columns, grid, predicted_class: winner, probability, points, classes, finding } = data.regions, K = classes.length;
      scatter(holder, columns, points, classes, finding, (chart) => {
        const [xs, ys] = grid, wide = Math.abs(chart.sx(xs[1]) - chart.sx(xs[0])), high = Math.abs(chart.sy(ys[1]) - chart.sy(ys[0]));
        xs.forEach((x, i) => ys.forEach((y, j) => {
          const strength = Math.max((probability[i][j] - 1 / K) / (1 - 1 / K), 0);
          const cell = node("rect", { x: chart.sx(x) - wide / 2, y: chart.sy(y) - high / 2, width: wide, height: high, fill: INK[winner[i][j] % INK.length], "fill-opacity": 0.06 + 0.3 * strength, "shape-rendering": "crispEdges" }, chart.svg);
          hover(cell, `${classes[winner[i][j]]}: ${percent(probability[i][j])}`);
        }));
      }, [grid[0][0], grid[0].at(-1)], [grid[1][0], grid[1].at(-1)]);
    },

    models(holder) {
      const measures = { log_loss: "log loss (lower is better)", accuracy: "accuracy (higher is better)", brier_score: "Brier score (lower is better)", calibration_error: "expected calibration error (lower is better)", cost: "mean cost per row (lower is better)" };
      const control = element("div", { class: "control" }, holder), picture = element("div", {}, holder);
      element("label", { for: "measure" }, control, "compare by");
      const pick = element("select", { id: "measure" }, control);
      for (const [key, text] of Object.entries(measures)) element("option", { value: key }, pick, text);
      const redraw = () => {
        const key = pick.value, rows = data.models.filter((one) => one[key].value !== null).sort((a, b) => (key === "accuracy" ? b[key].value - a[key].value : a[key].value - b[key].value));
        const ends = rows.flatMap((one) => [one[key].low ?? one[key].value, one[key].high ?? one[key].value]);
        const low = Math.min(...ends), high = Math.max(...ends), room = 0.06 * (high - low || 1);
        const chart = frame(picture, { x: [low - room, high + room], y: [0, rows.length], height: 46 + 26 * rows.length, left: 168, grid: false, xlabel: measures[key], label: data.models_finding });
        chart.svg.querySelectorAll("text[text-anchor=end]").forEach((one) => one.remove());
        rows.forEach((one, i) => {
          const y = chart.sy(rows.length - i - 0.5), colour = one.kind === "generative" ? INK[0] : one.kind === "discriminative" ? INK[1] : INK[6];
          node("text", { x: chart.left - 8, y: y + 4, "text-anchor": "end", class: "strong" }, chart.svg, one.name);
          node("line", { x1: chart.sx(one[key].low ?? one[key].value), x2: chart.sx(one[key].high ?? one[key].value), y1: y, y2: y, stroke: colour, "stroke-width": 2 }, chart.svg);
          hover(node("circle", { cx: chart.sx(one[key].value), cy: y, r: 5, fill: colour }, chart.svg), `${one.name} (${one.kind})\n${short(one[key].value, 4)}, 95% interval ${short(one[key].low, 4)} to ${short(one[key].high, 4)}`);
        });
      };
      pick.addEventListener("change", redraw);
      redraw();
    },

    calibration(holder) {
      const control = element("div", { class: "control" }, holder), picture = element("div", {}, holder);
      element("label", { for: "calibrated" }, control, "model");
      const pick = element("select", { id: "calibrated" }, control);
      for (const name of Object.keys(data.calibration)) element("option", { value: name }, pick, name);
      pick.value = data.best;
      const redraw = () => {
        const rows = data.calibration[pick.value];
        const chart = frame(picture, { x: [0, 1], y: [0, 1], height: 320, width: 420, xlabel: "predicted probability", ylabel: "observed frequency", label: "reliability diagram" });
        node("line", { x1: chart.sx(0), x2: chart.sx(1), y1: chart.sy(0), y2: chart.sy(1), stroke: "var(--soft)", "stroke-dasharray": "4 4" }, chart.svg);
        node("path", { d: path(rows.map((one) => one.predicted_probability), rows.map((one) => one.observed_frequency), chart), fill: "none", stroke: INK[0], "stroke-width": 1.6 }, chart.svg);
        rows.forEach((one) => {
          node("line", { x1: chart.sx(one.predicted_probability), x2: chart.sx(one.predicted_probability), y1: chart.sy(one.low), y2: chart.sy(one.high), stroke: INK[0], "stroke-width": 1.4 }, chart.svg);
          hover(node("circle", { cx: chart.sx(one.predicted_probability), cy: chart.sy(one.observed_frequency), r: 4.5, fill: INK[0] }, chart.svg), `predicted probability ${percent(one.predicted_probability)}\nobserved frequency ${percent(one.observed_frequency)}\n95% interval ${percent(one.low)} to ${percent(one.high)}\n${one.rows.toLocaleString("en")} rows`);
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
      const best = found.best === null ? 50 : Math.round(100 * found.best);
      const slider = element("input", { type: "range", id: "threshold-slider", min: 0, max: 100, value: best }, row);
      const shown = element("output", { for: "threshold-slider", id: "threshold-cost", class: "wide" }, row);
      const cost = (k) => (found.loss[0][0] * (negative - found.false_positives[k]) + found.loss[1][1] * found.true_positives[k] + Number(falsePositive.value) * found.false_positives[k] + Number(falseNegative.value) * (positive - found.true_positives[k])) / total;
      const redraw = () => {
        const k = Number(slider.value), costs = found.thresholds.map((_, i) => cost(i));
        const limit = 1.08 * Math.max(...costs.slice(4, 97), costs[k]) || 1;
        const chart = frame(picture, { x: [0, 1], y: [0, limit], height: 300, xlabel: `threshold of the predicted probability of “${found.classes[1]}”`, ylabel: "mean cost per row", label: "mean cost over the threshold" });
        node("path", { d: path(found.thresholds, costs.map((v) => Math.min(v, limit)), chart), fill: "none", stroke: INK[0], "stroke-width": 2 }, chart.svg);
        node("line", { x1: chart.sx(k / 100), x2: chart.sx(k / 100), y1: chart.top, y2: chart.sy(0), stroke: INK[1] }, chart.svg);
        node("circle", { cx: chart.sx(k / 100), cy: chart.sy(costs[k]), r: 5, fill: INK[1] }, chart.svg);
        hover(chart.svg, (event) => { const i = nearest(chart, found.thresholds, event); return `threshold ${percent(found.thresholds[i])}\ncost per row ${short(costs[i], 4)}`; });
        const least = costs.indexOf(Math.min(...costs));
        shown.textContent = `${percent(k / 100)}: cost per row ${short(costs[k], 4)} (minimum ${short(costs[least], 4)} at ${percent(least / 100)})`;
        facts.replaceChildren();
        const table = element("table", { id: "threshold-table" }, facts), head = element("tr", {}, table);
        ["decision", ...found.classes.map((name) => `true class: ${name}`)].forEach((text) => element("th", {}, head, text));
        [[found.classes[0], negative - found.false_positives[k], positive - found.true_positives[k]], [found.classes[1], found.false_positives[k], found.true_positives[k]]].forEach((cells) => {
          const line = element("tr", {}, table);
          cells.forEach((cell) => element("td", {}, line, typeof cell === "number" ? cell.toLocaleString("en") : cell));
        });
      };
      [slider, falsePositive, falseNegative].forEach((one) => one.addEventListener("input", redraw));
      redraw();
    },

    learning(holder) {
      const found = data.learning_curves;
      for (const [key, text] of [["error", "error"], ["log_loss", "log loss"]]) {
        const box = element("div", {}, holder), all = found[key].flat();
        const top = 1.05 * Math.max(...all.map((one) => one.high ?? one.value));
        const chart = frame(box, { x: [found.sizes[0], found.sizes.at(-1)], y: [0, top], height: 230, logx: true, xlabel: "training rows", ylabel: text, label: found.finding });
        found[key].forEach((line, k) => {
          const band = path(found.sizes, line.map((one) => one.low), chart) + path([...found.sizes].reverse(), [...line].reverse().map((one) => one.high), chart).replace("M", "L") + "Z";
          node("path", { d: band, fill: INK[k], "fill-opacity": 0.13 }, chart.svg);
          node("path", { d: path(found.sizes, line.map((one) => one.value), chart), fill: "none", stroke: INK[k], "stroke-width": 1.8 }, chart.svg);
          line.forEach((one, i) => hover(node("circle", { cx: chart.sx(found.sizes[i]), cy: chart.sy(one.value), r: 4, fill: INK[k] }, chart.svg), `${found.names[k]}\n${found.sizes[i]} rows: ${short(one.value)}\n80% of repetitions ${short(one.low)} to ${short(one.high)}`));
        });
        legend(chart.svg, found.names, { left: chart.width - 150, top: chart.top });
      }
    },

    information(holder) { bars(holder, data.information.slice(0, 20).map((one) => ({ name: one.column, ...one.information, more: `most about ${one.most_about}` })), "information about the class (nats)"); },

    words(holder, index) { bars(holder, data.words[index].words.map((one) => ({ name: one.word, ...one, more: `in ${one.rows} rows` })), "log-odds ratio"); },
  };

  function scatter(holder, columns, points, classes, finding, behind, xr, yr) {
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    const range = (values) => { const low = Math.min(...values), high = Math.max(...values), room = 0.06 * (high - low || 1); return [low - room, high + room]; };
    const chart = frame(holder, { x: xr || range(xs), y: yr || range(ys), height: 400, width: 520, xlabel: columns[0], ylabel: columns[1], label: finding, grid: false });
    behind(chart);
    points.forEach(([a, b, k]) => node("circle", { cx: chart.sx(a), cy: chart.sy(b), r: 2.4, fill: INK[k % INK.length], "fill-opacity": 0.75, "pointer-events": "none" }, chart.svg));
    if (classes) legend(chart.svg, classes.slice(0, 7), { left: chart.left, top: chart.top });
  }

  function bars(holder, rows, label) {
    const ends = rows.flatMap((one) => [one.low ?? one.value, one.high ?? one.value, 0]), low = Math.min(...ends), high = Math.max(...ends);
    const chart = frame(holder, { x: [low, high + 0.04 * (high - low || 1)], y: [0, rows.length], height: 48 + 22 * rows.length, left: 150, grid: false, xlabel: label, label });
    chart.svg.querySelectorAll("text[text-anchor=end]").forEach((one) => one.remove());
    rows.forEach((one, i) => {
      const y = chart.sy(rows.length - i - 0.5), name = one.name.length > 22 ? `${one.name.slice(0, 21)}…` : one.name;
      node("text", { x: chart.left - 8, y: y + 4, "text-anchor": "end", class: "strong" }, chart.svg, name);
      const bar = node("rect", { x: Math.min(chart.sx(0), chart.sx(one.value)), y: y - 7, width: Math.max(Math.abs(chart.sx(one.value) - chart.sx(0)), 1), height: 14, fill: INK[0], "fill-opacity": 0.8 }, chart.svg);
      node("line", { x1: chart.sx(one.low ?? one.value), x2: chart.sx(one.high ?? one.value), y1: y, y2: y, stroke: "var(--ink)", "stroke-width": 1.2 }, chart.svg);
      hover(bar, `${one.name}\n${short(one.value)}, 95% interval ${short(one.low)} to ${short(one.high)}\n${one.more}`);
    });
  }

  document.querySelectorAll("[data-chart]").forEach((holder) => draw[holder.dataset.chart](holder, holder.dataset.index));
  const theme = document.getElementById("theme");
  const dark = () => document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && window.matchMedia("(prefers-color-scheme: dark)").matches);
  const named = () => { theme.textContent = dark() ? "light" : "dark"; };
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; named(); });
  named();
  document.documentElement.dataset.drawn = "yes";
})();
