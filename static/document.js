// The page of a document: the sentence of the panel is the one that is marked.
"use strict";

function markSentence(panel) {
  for (const one of document.querySelectorAll(".doc .pick[aria-current]")) {
    one.removeAttribute("aria-current");
  }
  const own = document.querySelectorAll(`.doc .pick[data-s="${panel.dataset.s}"]`);
  for (const one of own) one.setAttribute("aria-current", "true");
  document.querySelector(".reader")?.classList.toggle("opened", Boolean(panel.dataset.s));
  return own[0];
}
document.addEventListener("htmx:afterSettle", (event) => {
  const panel = event.detail.elt.id === "panel" && document.getElementById("panel");
  if (!panel) return;
  const own = markSentence(panel);
  if (own) return own.scrollIntoView({ block: "nearest" });
  // A neighbour that stands on another page of the document.
  location.reload();
});
// Escape leaves the panel for its sentence, so that Tab goes on from there.
document.addEventListener("keydown", (event) => {
  const panel = event.key === "Escape" && event.target.closest(".panel[data-s]");
  if (!panel || event.target.matches("input, textarea, select")) return;
  document.getElementById(`s${panel.dataset.s}`)?.focus();
});
// Not before: going to the #fragment takes the focus away.
window.addEventListener("pageshow", () => {
  const opened = document.querySelector(".panel[data-s]");
  if (!opened) return;
  document.getElementById(`s${opened.dataset.s}`)?.scrollIntoView({ block: "nearest" });
  opened.querySelector("[data-focus]")?.focus({ preventScroll: true });
});
