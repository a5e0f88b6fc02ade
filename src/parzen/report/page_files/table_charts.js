// Charts of the table as a whole: densities of columns, dependence, the mixture.
const data = JSON.parse(document.getElementById("data").textContent);
const draw = {
  density(holder, index) {
    const column = data.columns[index], found = column.density, middle = found.factors.indexOf(1);
    const picture = element("div", {}, holder), control = element("div", { class: "control" }, holder);
    element("label", { for: `h${index}` }, control, "bandwidth");
    const slider = element("input", { type: "range", id: `h${index}`, min: 0, max: found.factors.length - 1, value: middle }, control);
    const shown = element("output", { for: `h${index}`, class: "wide" }, control);
    const { edges, heights, step } = found.histogram;
    const highest = Math.max(...heights), top = Math.min(1.1 * Math.max(...found.curves.slice(Math.max(middle - 2, 0)).flat(), highest), 2.5 * highest);
    const dated = column.first_date, ends = [Math.min(found.grid[0], edges[0]), Math.max(found.grid.at(-1), edges.at(-1))];
    const place = (v) => (dated ? new Date(Date.parse(`${dated}Z`) + 864e5 * v).toISOString().slice(0, 16).replace("T", " ").replace(" 00:00", "") : short(v));
    const redraw = () => {
      const k = Number(slider.value), curve = found.curves[k];
      const chart = frame(picture, { x: ends, y: [0, top], height: 190, width: 330, bottom: 24, label: column.finding, least: step && step >= 1 ? step : 0, xmarks: dated ? dateMarks(dated) : undefined });
      const each = chart.sx(edges[1]) - chart.sx(edges[0]), gap = step && each > 6 ? 0.15 * each : 0;
      heights.forEach((h, i) => node("rect", { x: chart.sx(edges[i]) + gap / 2, width: Math.max(chart.sx(edges[i + 1]) - chart.sx(edges[i]) - gap - 0.4, 0.3), y: chart.sy(h), height: chart.sy(0) - chart.sy(h), fill: "var(--bars)" }, chart.inside));
      node("path", { d: path(found.grid, curve, chart), fill: "none", stroke: k === middle ? colour(0) : colour(1), "stroke-width": 2 }, chart.inside);
      hover(chart.svg, (event) => { const i = nearest(chart, found.grid, event); return `${column.name} = ${place(found.grid[i])}\ndensity ${short(curve[i], 3)}`; });
      shown.textContent = `h = ${short(Number((found.bandwidth * found.factors[k]).toPrecision(3)))}${dated ? " days" : ""}${k === middle ? ` (${found.rule})` : ""}${Math.max(...curve) > top ? "; the curve is cut at the top" : ""}`;
    };
    slider.addEventListener("input", redraw);
    redraw();
  },

  dependence(holder) {
    const { names, matrix, finding } = data.dependence, d = names.length, size = Math.max(Math.min(34, 480 / d), 12), room = Math.min(14 + widest(names), 130), right = 0.5 * room;
    const width = room + d * size + right, svg = node("svg", { viewBox: `0 0 ${width} ${room + d * size + 4}`, role: "img", "aria-label": finding }, element("div", { class: "scroll" }, holder));
    svg.style.maxWidth = `${1.15 * width}px`;
    svg.style.minWidth = `${Math.min(width, 0.8 * width)}px`;
    names.forEach((name, i) => {
      node("text", { x: room - 6, y: room + i * size + size / 2 + 4, "text-anchor": "end" }, svg, cut(name, room - 10));
      const x = room + i * size + size / 2 + 4, y = room - 6;
      node("text", { x, y, transform: `rotate(-60 ${x} ${y})` }, svg, cut(name, room - 6));
      matrix[i].forEach((value, j) => {
        const cell = node("rect", { x: room + j * size, y: room + i * size, width: size - 1, height: size - 1, fill: i === j ? "var(--line)" : `rgba(var(--heat), ${0.06 + 0.94 * value})` }, svg);
        if (i !== j) hover(cell, `${names[i]}\n${names[j]}\nstrength ${short(value, 2)}`);
      });
    });
  },

  tree(holder) {
    const { nodes } = data.dependence.tree, unit = 64, step = 62, box = 24;
    const wide = (one) => Math.min(14 + widest([one.name]), 130);
    const xs = nodes.map((one) => unit * one.at[0]), ys = nodes.map((one) => -step * one.at[1]);
    const left = Math.min(...xs.map((x, i) => x - wide(nodes[i]) / 2)) - 6, right = Math.max(...xs.map((x, i) => x + wide(nodes[i]) / 2)) + 6;
    const height = Math.max(...ys) + box + 12;
    const svg = node("svg", { viewBox: `${left} -18 ${right - left} ${height + 6}`, role: "img", "aria-label": "tree of dependence between columns" }, element("div", { class: "scroll" }, holder));
    svg.style.maxWidth = `${1.1 * (right - left)}px`;
    svg.style.minWidth = `${Math.min(0.7 * (right - left), 1400)}px`;
    const inside = node("g", {}, svg);
    nodes.forEach((one, i) => {
      if (one.parent === null) return;
      const [x, y, u, v] = [xs[one.parent], ys[one.parent] + box / 2, xs[i], ys[i] - box / 2], turn = Math.atan2(v - y, u - x);
      const head = [0.45, -0.45].map((bend) => `${u - 8 * Math.cos(turn + bend)} ${v - 8 * Math.sin(turn + bend)}`);
      node("path", { d: `M${x} ${y}L${u} ${v}M${head[0]}L${u} ${v}L${head[1]}`, fill: "none", stroke: "var(--soft)", "stroke-width": 1.3 }, inside);
    });
    nodes.forEach((one, i) => {
      const group = node("g", {}, svg), width = wide(one);
      node("rect", { x: xs[i] - width / 2, y: ys[i] - box / 2, width, height: box, rx: 5, fill: "var(--paper)", stroke: one.parent === null ? colour(1) : colour(0), "stroke-width": 1.4 }, group);
      node("text", { x: xs[i], y: ys[i] + 4, "text-anchor": "middle" }, group, cut(one.name, width - 8));
      const lines = one.table ? one.table.shares.map((row, k) => `${one.table.given[k] ? `${nodes[one.parent].name} ${one.table.given[k]}: ` : ""}${row.map((p, s) => `${one.table.states[s]} ${percent(p)}`).join(", ")}`) : ["too many states for a table"];
      hover(group, [one.name, ...lines].join("\n"));
    });
  },

  bic(holder) {
    const rows = data.mixture.criterion.filter((one) => one.bic !== null), shapes = [...new Set(rows.map((one) => one.covariance_type))];
    const values = rows.map((one) => one.bic), low = Math.min(...values), high = Math.max(...values), room = 0.06 * (high - low || 1);
    if (shapes.length > 1) legend(holder, shapes.map((shape) => ({ full: "full covariance matrices", diag: "diagonal covariance matrices" })[shape] || shape));
    const most = Math.max(...rows.map((one) => one.n_components), 2);
    const chart = frame(element("div", {}, holder), { x: [0.8, most + 0.2], y: [low - room, high + room], height: 240, xlabel: "components", ylabel: "BIC (lower is better)", label: data.mixture.finding, least: 1 });
    shapes.forEach((shape, k) => {
      const own = rows.filter((one) => one.covariance_type === shape);
      node("path", { d: path(own.map((one) => one.n_components), own.map((one) => one.bic), chart), fill: "none", stroke: colour(k), "stroke-width": 1.8 }, chart.inside);
      own.forEach((one) => hover(node("circle", { cx: chart.sx(one.n_components), cy: chart.sy(one.bic), r: 4, fill: colour(k) }, chart.svg), `${one.n_components} components, ${shape}\nBIC ${short(one.bic, 7)}`));
    });
    const best = rows.find((one) => one.bic === low);
    node("circle", { cx: chart.sx(best.n_components), cy: chart.sy(best.bic), r: 8, fill: "none", stroke: "var(--ink)", "stroke-width": 1.4 }, chart.svg);
  },

  mixture(holder) {
    const { columns, components, points, range: ends } = data.mixture.projection;
    legend(holder, data.mixture.components.map((one, k) => `component ${k + 1} (${percent(one.weight)})`));
    scatter(holder, columns, points, data.mixture.finding, ends, (chart) => components.forEach((one, k) => {
      const [[a, b], [, c]] = one.covariance, half = (a + c) / 2, root = Math.sqrt(((a - c) / 2) ** 2 + b * b), angle = 0.5 * Math.atan2(2 * b, a - c);
      for (const size of [1, 2]) {
        const turn = [...Array(73).keys()].map((i) => (i / 72) * 2 * Math.PI);
        const u = turn.map((t) => size * Math.sqrt(Math.max(half + root, 0)) * Math.cos(t)), v = turn.map((t) => size * Math.sqrt(Math.max(half - root, 0)) * Math.sin(t));
        const xs = turn.map((_, i) => one.mean[0] + u[i] * Math.cos(angle) - v[i] * Math.sin(angle)), ys = turn.map((_, i) => one.mean[1] + u[i] * Math.sin(angle) + v[i] * Math.cos(angle));
        node("path", { d: path(xs, ys, chart), fill: "none", stroke: colour(k), "stroke-width": 1.6, "stroke-dasharray": size === 2 ? "5 4" : "none" }, chart.inside);
      }
    }));
  },
};

// Rows as points over two columns, above what is drawn first; points outside of the axes are counted below.
function scatter(holder, columns, points, finding, [x, y], behind) {
  const chart = frame(element("div", {}, holder), { x, y, height: 400, width: 520, xlabel: columns[0], ylabel: columns[1], label: finding, grid: false });
  behind(chart);
  const within = points.filter(([a, b]) => a >= x[0] && a <= x[1] && b >= y[0] && b <= y[1]);
  within.forEach(([a, b, k]) => node("circle", { cx: chart.sx(a), cy: chart.sy(b), r: 2.4, fill: colour(k), "fill-opacity": 0.75, "pointer-events": "none" }, chart.inside));
  const beyond = points.length - within.length;
  if (beyond) element("div", { class: "soft" }, holder, `${count(beyond)} of ${count(points.length)} rows lie outside of the picture.`);
  return chart;
}
