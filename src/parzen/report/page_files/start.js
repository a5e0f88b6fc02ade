// Draws all charts; the theme; sections that open when they are linked to, and for printing.
document.querySelectorAll("[data-chart]").forEach((holder) => draw[holder.dataset.chart](holder, holder.dataset.index));
const root = document.documentElement, theme = document.getElementById("theme");
const dark = () => root.dataset.theme === "dark" || (!root.dataset.theme && window.matchMedia("(prefers-color-scheme: dark)").matches);
const named = () => { theme.textContent = dark() ? "light" : "dark"; };
theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; named(); });
named();
const sections = [...document.querySelectorAll("details")], everything = document.getElementById("everything");
const unfold = () => {
  const found = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (found && found.closest("details")) { found.closest("details").open = true; found.closest("details").scrollIntoView(); }
};
window.addEventListener("hashchange", unfold);
unfold();
if (everything) everything.addEventListener("click", () => {
  const open = sections.some((one) => !one.open);
  sections.forEach((one) => { one.open = open; });
  everything.textContent = open ? "fold all" : "unfold all";
});
let folded = [];
window.addEventListener("beforeprint", () => { folded = sections.filter((one) => !one.open); folded.forEach((one) => { one.open = true; }); });
window.addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }));
root.dataset.drawn = "yes";
