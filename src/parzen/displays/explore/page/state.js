// The state of the page is in its address: a link restores the view. Values are JSON; the secret stays in the fragment.
const parts = () => new URLSearchParams(location.hash.slice(1));
export const read = () => {
  const found = parts();
  try { return { table: found.get("table") || "", view: found.get("view") || "", ...JSON.parse(found.get("state") || "{}") }; } catch { return { table: "", view: "" }; }
};
export const linked = ({ table, view, ...state }) => {
  const now = parts();
  for (const [name, value] of [["table", table], ["view", view], ["state", JSON.stringify(state)]]) if (value && value !== "{}") now.set(name, value); else now.delete(name);
  return `#${now}`;
};
export const write = (state) => history.replaceState(null, "", linked(state));
