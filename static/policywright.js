// What the pages add to htmx: the CSRF token at send time, failures shown beside
// the control, keys, and the place of the focus. Nothing here changes state by itself.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);

// The token is read when sending: signing in again in another tab renews it (FR-54).
function token() {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return cookie ? cookie.slice("csrftoken=".length) : "";
}
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb === "get") return;
  delete event.detail.parameters.csrfmiddlewaretoken;
  event.detail.headers["X-CSRFToken"] = token();
});
document.addEventListener("submit", (event) => {
  const field = $("input[name=csrfmiddlewaretoken]", event.target);
  if (field && token()) field.value = token();
  if (event.target.matches("form[method=post]:not([hx-post])")) sendOnce(event);
});

// A second click while the first is under way sends nothing; the server checks as well (FR-55).
function sendOnce(event) {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
}
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// Failures: our server's own fragment if it sent one, else a sentence; always beside the control.
const SENTENCES = {
  0: "The server did not answer. Check the connection and send again: sent twice, it counts once.",
  403: "You may not do this. Nothing was changed.",
  404: "This is no longer here. Reload the page.",
  409: "Someone changed this after you opened the page. Nothing was changed. Reload the page.",
  413: "This is too large to send. Nothing was changed.",
  422: "The server could not accept this. Nothing was changed.",
  429: "Too many requests. Wait a moment and try again.",
};
const FAILED = "Something went wrong on the server. Nothing was changed. Try again.";

function showProblem(control, status, html) {
  const form = control.closest("form") || control;
  const slot = $(".problem", form) || form.appendChild(document.createElement("div"));
  slot.className = "problem";
  slot.setAttribute("role", "alert");
  if (html) {
    slot.innerHTML = html;
  } else {
    const line = document.createElement("p");
    line.textContent = SENTENCES[status] || FAILED;
    slot.replaceChildren(line);
  }
  slot.scrollIntoView({ block: "nearest" });
}
document.addEventListener("htmx:responseError", (event) => {
  const { xhr, elt } = event.detail;
  if (xhr.status === 401) return sendWithoutHtmx(event.detail.requestConfig);
  const ours = xhr.getResponseHeader("X-Problem") === "shown";
  showProblem(elt, xhr.status, ours ? xhr.responseText : "");
  const shown = xhr.getResponseHeader("X-Shown");
  const field = shown && $("input[name=shown]", elt);
  if (field) field.value = shown;
});
// The session ended (FR-56): the whole page moves; the sign-in page carries what was typed.
function sendWithoutHtmx({ elt, triggeringEvent }) {
  const button = triggeringEvent?.submitter;
  if (button?.name) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: button.name, value: button.value });
    elt.append(field);
  }
  const field = $("input[name=csrfmiddlewaretoken]", elt);
  if (field && token()) field.value = token();
  elt.submit();
}
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => showProblem(event.detail.elt, 0, ""));
}
document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (requestConfig.verb === "post" && elt.closest("[data-fresh]")) return event.preventDefault();
  $(".problem", elt)?.replaceChildren();
});

// Focus and the source sentence, after loading and after each swap (FR-57).
function settle(root) {
  const sentence = $(".pane .sentence[aria-current]", root);
  const pane = sentence && sentence.closest(".pane");
  if (pane) {
    const offset = sentence.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    pane.scrollTop += offset - pane.clientHeight / 3;
  }
}
// The second half of a double click must not decide on a card that nobody has read (FR-55).
document.addEventListener("htmx:afterSwap", () => {
  const review = $("#review");
  if (review) review.dataset.fresh = "yes";
  setTimeout(() => delete review?.dataset.fresh, 500);
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id !== "review") return;
  settle(document);
  const title = $("#review [data-focus]");
  title.focus({ preventScroll: true });
  const review = title.closest("#review");
  if (review.getBoundingClientRect().top < 0) review.scrollIntoView({ block: "start" });
});

// Keys: an element names its own key; keys rest while someone types.
function typing(element) {
  return element.isContentEditable || element.matches("input, textarea, select");
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape" && typing(event.target)) return leave(event.target);
  if (typing(event.target) || $("dialog[open]")) return;
  const control = [...document.querySelectorAll("[data-key]")].find(
    (element) => element.dataset.key === event.key && element.getClientRects().length,
  );
  if (!control) return;
  event.preventDefault();
  if (event.repeat) return;
  control.click();
  // At once, so that what is typed next is text and not another key.
  if (control.parentElement.open) enter(control.parentElement);
});
function enter(details) {
  $("textarea, input:not([type=hidden]), select", details)?.focus();
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

// Help on the keys opens in place; without script its link leads to a page.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) {
    event.preventDefault();
    document.getElementById(opener.dataset.dialog).showModal();
  }
});

settle(document);
const tab = $(".tabs [aria-current]");
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 60;
