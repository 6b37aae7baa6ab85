// Keys: an element names its own key with `data-key`; keys rest while someone types.
"use strict";

function typing(element) {
  return element.isContentEditable || element.matches("input, textarea, select");
}
document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return read(event);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && typing(event.target)) return leave(event.target);
  if (event.key === "Enter" && event.target.matches("input")) return press(event);
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  const control = named(event.key);
  if (!control) return;
  event.preventDefault();
  if (event.repeat) return;
  const details = control.parentElement;
  // An open form is entered again and not closed: what it holds stays in sight.
  if (!(details.open && fieldOf(details))) control.click();
  // At once, so that what is typed next is text and not another key.
  if (details.open) enter(details);
});
// The control of a key that can be seen; a form that is open goes before the card around it,
// and the panel of a sentence before the page around that.
function named(key) {
  const found = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].filter(
    (element) => element.getClientRects().length,
  );
  const within = (selector) => found.find((element) => element.closest(selector));
  return within(".reading") || within(".panel") || found[0];
}
// Enter in a small form within a form presses the small form's own button.
function press(event) {
  const button = event.target.closest(".declares")?.querySelector("[data-enter]");
  if (!button) return;
  event.preventDefault();
  button.click();
}
function fieldOf(details) {
  return details.querySelector("textarea, input:not([type=hidden]), select");
}
function enter(details) {
  if (!details.contains(document.activeElement) || document.activeElement.matches("summary")) {
    fieldOf(details)?.focus();
  }
}
// Ctrl and Enter in a text: read it.
function read(event) {
  const button = event.target.matches("textarea") && event.target.form?.querySelector("[data-reads]");
  if (!button) return;
  event.preventDefault();
  if (!event.repeat) button.click();
}
function leave(field) {
  const summary = field.closest("details")?.querySelector("summary");
  field.blur();
  summary?.focus();
}
document.addEventListener(
  "toggle",
  (event) => {
    if (!event.target.matches(".acts > details") || !event.target.open) return;
    for (const other of document.querySelectorAll(".acts > details[open]")) {
      if (other !== event.target) other.open = false;
    }
    enter(event.target);
  },
  true,
);
