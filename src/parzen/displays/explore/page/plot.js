// Elements, numbers as text, and charts with axes, for the report and for `parzen explore`. Text from data is set as text,
// never as markup. The report takes these lines into its own script, without the word export.
export const COLOURS = ["blue", "orange", "green", "pink", "amber", "violet", "teal", "red", "brown", "olive", "sky"].map((name) => `var(--${name})`);
export const GREY = "var(--grey)";
export const colour = (k) => COLOURS[k] || GREY; // classes beyond the last colour are grey together
const pen = document.createElement("canvas").getContext("2d");
if (pen) pen.font = '11.5px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';
export const wide = (text) => (pen ? pen.measureText(text).width : 6.5 * text.length); // of a text of a chart
export const widest = (texts) => Math.max(...texts.map(wide), 0);
export const narrow = () => document.querySelector("main").clientWidth < 700;

export const make = (one, attributes, parent, text) => {
  for (const [key, value] of Object.entries(attributes || {})) one.setAttribute(key, value);
  if (text !== undefined) one.textContent = text;
  if (parent) parent.appendChild(one);
  return one;
};
export const node = (tag, ...rest) => make(document.createElementNS("http://www.w3.org/2000/svg", tag), ...rest);
export const element = (tag, ...rest) => make(document.createElement(tag), ...rest);
// A text that is too long loses its middle: names of columns often differ at their ends.
export const cut = (text, space) => {
  if (wide(text) <= space) return text;
  let keep = text.length - 1;
  const shortened = () => `${text.slice(0, Math.ceil(0.6 * keep))}…${text.slice(text.length - Math.floor(0.4 * keep))}`;
  while (keep > 4 && wide(shortened()) > space) keep--;
  return shortened();
};

// Numbers. Commas begin at 10,000, so that years have none.
export const grouped = (text) => {
  const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(text);
  return sign + (whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole) + rest;
};
export const short = (value, digits = 4) => {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(String(value));
  const v = Number(Number(value).toPrecision(digits)), size = Math.abs(v);
  return v !== 0 && (size < 1e-4 || size >= 1e12) ? v.toExponential().replace("e+", "e") : grouped(String(v));
};
export const count = (n) => n.toLocaleString("en");
export const percent = (value) => {
  if (value === null || value === undefined) return "–";
  if (value === 0 || value === 1) return `${100 * value}%`;
  if (value < 0.0005) return "<0.1%";
  return value > 0.9995 ? ">99.9%" : `${(100 * value).toFixed(1)}%`;
};
export const range = (one, write = short) => (one.low === null || one.low === undefined ? "no interval" : `95% interval ${write(one.low)} to ${write(one.high)}`);

// Marks of an axis: each has a place and a text. All texts of an axis have the digits that tell its marks apart.
export const steps = (low, high, wanted, least) => {
  const span = high - low || 1, raw = Math.max(span / wanted, least || 0), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9), out = [];
  for (let k = first; k * step <= high + 1e-9 * span; k++) out.push(k * step);
  return { step, places: out };
};
export const linearMarks = (low, high, wanted, least) => {
  const { step, places } = steps(low, high, wanted, least);
  const size = Math.max(...places.map(Math.abs), step), digits = Math.round(Math.log10(size / step)) + 1;
  const decimals = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 20);
  const exponent = (size >= 1e7 || size < 1e-3) && digits <= 4;
  return places.map((at) => ({ at, text: exponent ? (at === 0 ? "0" : Number(at.toPrecision(digits)).toExponential().replace("e+", "e")) : Math.abs(at) < 1e-9 * step ? "0" : grouped(at.toFixed(decimals)) }));
};
export const logMarks = (low, high, wanted) => {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  for (const [each, multiples] of [[1, [1, 2, 5]], [1, [1]], [2, [1]], [4, [1]], [8, [1]], [50, [1]]]) {
    const out = [];
    for (let p = Math.ceil(from / each) * each; p <= to; p += each) out.push(...multiples.map((m) => Number(`${m}e${p}`)).filter((v) => v >= low && v <= high));
    if (out.length <= wanted && out.length > 1) return out.map((at) => ({ at, text: short(at) }));
  }
  return [low, high].map((at) => ({ at, text: short(at, 2) }));
};
// Days after a first date, as dates at the beginnings of years, months or days.
export const dateMarks = (first) => (low, high, wanted) => {
  const DAY = 864e5, zero = Date.parse(`${first}Z`), begin = zero + low * DAY, end = zero + high * DAY;
  const iso = (time) => new Date(time).toISOString();
  const mark = (time, text) => ({ at: (time - zero) / DAY, text }), month = (m) => new Date(0).setUTCFullYear(Math.floor(m / 12), m % 12, 1);
  const start = new Date(begin), now = 12 * start.getUTCFullYear() + start.getUTCMonth();
  for (const months of [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]) {
    const out = [];
    for (let m = Math.floor(now / months) * months; month(m) <= end && out.length <= wanted; m += months) {
      if (month(m) >= begin) out.push(mark(month(m), iso(month(m)).slice(0, months < 12 ? 7 : 4)));
    }
    if (out.length <= wanted && out.length > 1) return out;
    if (out.length < 2) break;
  }
  const { step, places } = steps(low, high, Math.max(wanted - 1, 2), 1 / 1440);
  return places.map((at) => mark(zero + at * DAY, step >= 1 ? iso(zero + at * DAY).slice(0, 10) : iso(zero + at * DAY).slice(5, 16).replace("T", " ")));
};
// As many marks as there is room for: two at least, if need be the first and the last of several.
export const fitting = (marks, low, high, wanted, space) => {
  let some = [];
  for (let n = wanted; n >= 2; n--) {
    const found = marks(low, high, n);
    if (found.length > 1 && found.reduce((sum, one) => sum + wide(one.text) + 14, 0) <= space) return found;
    if (found.length > 1) some = [found[0], found.at(-1)];
  }
  return some;
};

// A chart with axes: its drawing, its scales, and a group that is clipped to the space between the axes.
let clips = 0;
export const frame = (holder, options) => {
  const { x, y, height = 300, bottom = 40, top = 10, right = 14, xlabel, ylabel, label, logx, logy, grid = true, xmarks, least, names } = options;
  const width = Math.max(Math.min(options.width || 560, narrow() ? document.querySelector("main").clientWidth - 30 : 2000), 200);
  const ymarks = names ? [] : (logy ? logMarks : linearMarks)(y[0], y[1], 5);
  const left = names ? Math.min(14 + widest(names), 0.42 * width) : Math.max(20, 14 + (ylabel ? 16 : 0) + widest(ymarks.map((one) => one.text)));
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label || "" });
  const scale = (log, [a, b], from, to) => { const t = log ? Math.log10 : (v) => v; return (v) => from + ((t(v) - t(a)) / (t(b) - t(a) || 1)) * (to - from); };
  const sx = scale(logx, x, left, width - right), sy = scale(logy, y, height - bottom, top);
  for (const { at, text } of ymarks) {
    if (grid) node("line", { x1: left, x2: width - right, y1: sy(at), y2: sy(at), stroke: "var(--line)", "stroke-width": 0.7 }, svg);
    node("text", { x: left - 6, y: sy(at) + 4, "text-anchor": "end" }, svg, text);
  }
  const space = width - left - right;
  const xs = xmarks && Array.isArray(xmarks) ? xmarks : fitting(xmarks || (logx ? logMarks : (a, b, n) => linearMarks(a, b, n, least)), x[0], x[1], 6, space);
  for (const { at, text } of xs) {
    const half = wide(text) / 2, place = Math.min(Math.max(sx(at), half), width - half);
    node("line", { x1: sx(at), x2: sx(at), y1: height - bottom, y2: height - bottom + 4, stroke: "var(--soft)" }, svg);
    node("text", { x: place, y: height - bottom + 16, "text-anchor": "middle" }, svg, text);
  }
  node("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, stroke: "var(--soft)" }, svg);
  if (xlabel) node("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle", class: "strong" }, svg, cut(xlabel, width - 10));
  if (ylabel) node("text", { x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(top + height - bottom) / 2})`, class: "strong" }, svg, cut(ylabel, height - bottom));
  const id = `clip${clips++}`;
  node("rect", { x: left, y: top, width: space, height: height - top - bottom }, node("clipPath", { id }, svg));
  const inside = node("g", { "clip-path": `url(#${id})` }, svg);
  holder.replaceChildren(svg);
  return { svg, inside, sx, sy, width, height, left, right, bottom, top };
};
export const path = (xs, ys, { sx, sy }) => xs.map((v, i) => (ys[i] === null ? "" : `${i && ys[i - 1] !== null ? "L" : "M"}${sx(v).toFixed(2)},${sy(ys[i]).toFixed(2)}`)).join("");

// What the pointer is over.
export const showTip = (event, text) => {
  const tip = document.getElementById("tip");
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.textContent = text;
  tip.style.left = `${Math.max(Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8), 4)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
};
export const hover = (target, text) => {
  target.addEventListener("pointermove", (event) => showTip(event, typeof text === "function" ? text(event) : text));
  target.addEventListener("pointerleave", (event) => showTip(event, null));
};
export const nearest = (chart, xs, event) => {
  const box = chart.svg.getBoundingClientRect(), at = ((event.clientX - box.left) / box.width) * chart.width;
  return xs.reduce((best, v, i) => (Math.abs(chart.sx(v) - at) < Math.abs(chart.sx(xs[best]) - at) ? i : best), 0);
};
export const legend = (holder, names) => {
  const box = element("div", { class: "legend" }, holder), rest = names.length - COLOURS.length, shown = names.slice(0, COLOURS.length + (rest === 1));
  if (rest > 1) shown.push(`${rest} others`);
  shown.forEach((name, k) => {
    const one = element("span", {}, box);
    element("i", {}, one).style.background = colour(k);
    element("span", {}, one, name);
  });
};
// A row of controls above or below a chart: a choice among names.
export const choice = (holder, id, text, options) => {
  const control = element("div", { class: "control" }, holder);
  element("label", { for: id }, control, text);
  const pick = element("select", { id }, control);
  for (const [value, name] of options) element("option", { value }, pick, name);
  return pick;
};
