// Controls of a view, the line of Python, and pictures as files.
import { element } from "/plot.js";
let ids = 0;
const labelled = (holder, text, make) => {
  const box = element("div", { class: "control" }, holder), id = `c${ids++}`;
  element("label", { for: id }, box, text);
  return make(box, id);
};
export const select = (holder, text, options, value, change) => labelled(holder, text, (box, id) => {
  const pick = element("select", { id }, box);
  for (const one of options) element("option", { value: one }, pick, one);
  pick.value = value;
  pick.addEventListener("change", () => change(pick.value));
  return pick;
});
export const check = (holder, text, value, change) => labelled(holder, text, (box, id) => {
  const one = element("input", { id, type: "checkbox" }, box);
  one.checked = value;
  one.addEventListener("change", () => change(one.checked));
  return one;
});
export const number = (holder, text, value, change) => labelled(holder, text, (box, id) => {
  const one = element("input", { id, type: "number", step: "any" }, box);
  one.value = value ?? "";
  one.addEventListener("change", () => change(one.value === "" ? null : Number(one.value)));
  return one;
});
// A slider over a logarithmic range, with marks; its value text is the number itself.
export const slider = (holder, text, change) => labelled(holder, text, (box, id) => {
  const one = element("input", { id, type: "range", min: 0, max: 1000, step: 1, list: `${id}l` }, box), list = element("datalist", { id: `${id}l` }, box);
  let low = 1, high = 10;
  const value = () => low * (high / low) ** (Number(one.value) / 1000), place = (v) => Math.round(1000 * Math.log(v / low) / Math.log(high / low));
  one.addEventListener("input", () => change(value()));
  return {
    input: one,
    show: (v, range, marks, words) => {
      [low, high] = range;
      list.replaceChildren();
      for (const [name, at] of Object.entries(marks)) element("option", { value: place(at), label: name }, list);
      if (document.activeElement !== one || Math.abs(place(v) - Number(one.value)) > 1) one.value = place(v);
      one.setAttribute("aria-valuetext", words);
    },
  };
});
export const python = (holder) => {
  const box = element("div", { class: "python" }, holder), code = element("code", {}, box), copy = element("button", { type: "button" }, box, "copy");
  copy.addEventListener("click", async () => { await navigator.clipboard.writeText(code.textContent); copy.textContent = "copied"; setTimeout(() => { copy.textContent = "copy"; }, 1500); });
  return (text) => { code.textContent = text; };
};
// A picture with the colours that it has on the page, which needs nothing else.
const standalone = (svg) => {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((one, k) => { const style = getComputedStyle(one); for (const name of ["fill", "stroke", "font-size", "font-family"]) to[k].setAttribute(name, style.getPropertyValue(name)); });
  const { width, height } = svg.viewBox.baseVal;
  for (const [name, value] of [["width", width], ["height", height], ["xmlns", "http://www.w3.org/2000/svg"]]) copy.setAttribute(name, value);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
};
const save = (url, name) => element("a", { href: url, download: name }).click();
export const exports = (holder, svg, name) => {
  const row = element("div", { class: "row" }, holder);
  element("button", { type: "button" }, row, "SVG").addEventListener("click", () => save(URL.createObjectURL(new Blob([standalone(svg()).text], { type: "image/svg+xml" })), `${name}.svg`));
  element("button", { type: "button" }, row, "PNG").addEventListener("click", async () => {
    const { text, width, height } = standalone(svg()), image = new Image(), canvas = element("canvas", { width: 2 * width, height: 2 * height });
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const pen = canvas.getContext("2d");
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    save(canvas.toDataURL("image/png"), `${name}.png`);
  });
  const link = element("button", { type: "button" }, row, "copy link");
  link.addEventListener("click", () => navigator.clipboard.writeText(location.href));
};
