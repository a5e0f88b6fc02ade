// Charts of the prediction of a number.
Object.assign(draw, {
  regressionModels(holder) {
    const found = data.regression, measures = { rmse: "RMSE (lower is better)", mae: "mean absolute error (lower is better)", r_squared: "R² (higher is better)", log_loss: "log loss in nats (lower is better)", coverage_90: "coverage of 90% intervals (90% is right)", width_90: "mean width of 90% intervals (narrower is better)" };
    const pick = choice(holder, "regression-measure", "compare by", Object.entries(measures)), picture = element("div", {}, holder);
    const redraw = () => {
      const key = pick.value, sign = key === "r_squared" ? -1 : 1, write = key === "coverage_90" ? percent : short;
      const away = (one) => (key === "coverage_90" ? Math.abs(one[key].value - 0.9) : sign * one[key].value);
      const rows = found.models.filter((one) => one[key].value !== null).sort((a, b) => away(a) - away(b));
      const low = (one) => one[key].low ?? one[key].value, high = (one) => one[key].high ?? one[key].value;
      const { x, log } = compared(rows.map((one) => [low(one), one[key].value, high(one)]), 4);
      const marks = key === "coverage_90" ? (a, b, n) => linearMarks(100 * a, 100 * b, n).map((one) => ({ at: one.at / 100, text: `${one.text}%` })) : undefined;
      const chart = frame(picture, { x, y: [0, rows.length], height: 46 + 26 * rows.length, logx: log, names: rows.map((one) => one.name), xlabel: measures[key] + (log ? ", log scale" : ""), label: found.finding, xmarks: marks });
      rows.forEach((one, i) => {
        const y = chart.sy(rows.length - i - 0.5), ink = { linear: colour(1), reference: GREY }[one.kind] || colour(0);
        node("text", { x: chart.left - 8, y: y + 4, "text-anchor": "end", class: "strong" }, chart.svg, cut(one.name, chart.left - 8));
        node("line", { x1: chart.sx(low(one)), x2: chart.sx(high(one)), y1: y, y2: y, stroke: ink, "stroke-width": 2 }, chart.inside);
        hover(node("circle", { cx: chart.sx(one[key].value), cy: y, r: 5, fill: ink }, chart.inside), `${one.name} (${one.kind})\n${write(one[key].value)}, ${range(one[key], write)}`);
      });
    };
    pick.addEventListener("change", redraw);
    redraw();
  },

  coverage(holder) {
    const rows = data.regression.coverage, names = [...new Set(rows.map((one) => one.model))];
    if (names.length > 1) legend(holder, names);
    const chart = frame(element("div", {}, holder), { x: [0.45, 1], y: [Math.min(0.45, ...rows.map((one) => one.coverage.low - 0.02)), 1], height: 330, width: 520, xlabel: "nominal coverage", ylabel: "held-out coverage", label: "held-out coverage of prediction intervals" });
    node("line", { x1: chart.sx(0.45), x2: chart.sx(1), y1: chart.sy(0.45), y2: chart.sy(1), stroke: "var(--soft)", "stroke-dasharray": "4 4" }, chart.inside);
    rows.forEach((one) => {
      const k = names.indexOf(one.model), x = chart.sx(one.nominal) + 7 * (k - (names.length - 1) / 2);
      node("line", { x1: x, x2: x, y1: chart.sy(one.coverage.low), y2: chart.sy(one.coverage.high), stroke: colour(k), "stroke-width": 2 }, chart.inside);
      hover(node("circle", { cx: x, cy: chart.sy(one.coverage.value), r: 4.5, fill: colour(k) }, chart.inside), `${one.model}\nnominal ${percent(one.nominal)}, held-out ${percent(one.coverage.value)}\n${range(one.coverage, percent)}\nmean width ${short(one.width.value)}`);
    });
  },

  fit(holder) {
    const { points, tenths, range: ends } = data.regression.predicted_observed;
    const drawn = scatter(holder, ["predicted", `observed ${data.target.name}`], points.map(([a, b]) => [a, b, 0]), "predicted against observed values", [ends, ends], (chart) => {
      node("line", { x1: chart.sx(ends[0]), x2: chart.sx(ends[1]), y1: chart.sy(ends[0]), y2: chart.sy(ends[1]), stroke: "var(--soft)", "stroke-dasharray": "4 4" }, chart.inside);
    });
    tenths.forEach((one) => hover(node("circle", { cx: drawn.sx(one.predicted), cy: drawn.sy(one.observed), r: 5, fill: colour(1), stroke: "var(--paper)" }, drawn.inside), `mean prediction ${short(one.predicted)}\nmean observed ${short(one.observed)}\n${count(one.rows)} rows`));
  },

  residuals(holder) {
    const { points, range: ends, histogram: bins } = data.regression.residuals;
    scatter(holder, ["predicted", "residual"], points.map(([a, b]) => [a, b, 0]), data.regression.residuals.finding, ends, (chart) => {
      node("line", { x1: chart.sx(ends[0][0]), x2: chart.sx(ends[0][1]), y1: chart.sy(0), y2: chart.sy(0), stroke: "var(--ink)", "stroke-dasharray": "4 4" }, chart.inside);
    });
    if (!bins) return;
    const { edges, heights } = bins, chart = frame(element("div", {}, holder), { x: [edges[0], edges.at(-1)], y: [0, 1.05 * Math.max(...heights)], height: 170, width: 520, xlabel: "residual", label: "histogram of residuals" });
    heights.forEach((h, i) => hover(node("rect", { x: chart.sx(edges[i]), width: Math.max(chart.sx(edges[i + 1]) - chart.sx(edges[i]) - 0.5, 0.3), y: chart.sy(h), height: chart.sy(0) - chart.sy(h), fill: "var(--bars)" }, chart.inside), `${short(edges[i])} to ${short(edges[i + 1])}\ndensity ${short(h)}`));
  },

  explained(holder) {
    const clear = data.regression.information.filter((one) => one.r_squared.low > 0).slice(0, 20);
    bars(holder, clear.map((one) => ({ name: one.column, ...one.r_squared, more: "R² of the column alone" })), "R² of the column alone");
  },

  strip(holder) {
    const { column, grid, levels, quantiles, points, range: ends } = data.regression.strip, middle = (levels.length - 1) / 2;
    scatter(holder, [column, data.target.name], points.map(([a, b]) => [a, b, -1]), `quantiles of ${data.target.name} over ${column}`, ends, (chart) => {
      for (let k = 0; k < middle; k += 1) {
        const band = path(grid, quantiles[k], chart) + path([...grid].reverse(), [...quantiles.at(-1 - k)].reverse(), chart).replace("M", "L") + "Z";
        node("path", { d: band, fill: colour(0), "fill-opacity": 0.16 + 0.1 * k }, chart.inside);
      }
      node("path", { d: path(grid, quantiles[middle], chart), fill: "none", stroke: colour(0), "stroke-width": 2.2 }, chart.inside);
      hover(chart.svg, (event) => { const i = nearest(chart, grid, event); return `${column} = ${short(grid[i])}\n${levels.map((level, k) => `${percent(level)}: ${short(quantiles[k][i])}`).join("\n")}`; });
    });
  },
});
