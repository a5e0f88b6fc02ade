// The state of the page is in its address: a link restores the view. Values are JSON; the secret stays in the fragment.
// In a notebook the page is a frame without an address, and keeps it as a text.
const framed = location.protocol === "about:";
let kept = "";
const parts = () => new URLSearchParams(framed ? kept : location.hash.slice(1));
export const read = () => {
  const found = parts();
  try { return { table: found.get("table") || "", view: found.get("view") || "", ...JSON.parse(found.get("state") || "{}") }; } catch { return { table: "", view: "" }; }
};
export const linked = ({ table, view, ...state }) => {
  const now = parts();
  for (const [name, value] of [["table", table], ["view", view], ["state", JSON.stringify(state)]]) if (value && value !== "{}") now.set(name, value); else now.delete(name);
  return `#${now}`;
};
export const write = (state) => { if (framed) kept = linked(state).slice(1); else history.replaceState(null, "", linked(state)); };
