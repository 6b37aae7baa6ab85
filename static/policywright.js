// What the pages add to htmx: the CSRF token at send time, failures shown beside
// the control, and the place of the focus. Nothing here changes state by itself.
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
// An act that htmx did not send, because a key came before its script, brings a whole page:
// the focus goes to the same place. Not before: going to the #fragment takes it away.
window.addEventListener("pageshow", () => {
  if (!$("#said .notice") || document.activeElement !== document.body) return;
  $("main [data-focus]")?.focus({ preventScroll: true });
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

// A button may send its form elsewhere: then htmx names the button and not the form.
function formOf(control) {
  return control.closest("form") || control;
}
function showProblem(control, status, html) {
  const form = formOf(control);
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
  const field = shown && $("input[name=shown]", formOf(elt));
  if (field) field.value = shown;
  if (xhr.status === 409) $(".reading", formOf(elt))?.setAttribute("data-stale", "");
});
// The session ended (FR-56): the whole page moves; the sign-in page carries what was typed.
function sendWithoutHtmx({ elt, triggeringEvent }) {
  const form = formOf(elt);
  const button = elt === form ? triggeringEvent?.submitter : elt;
  if (button?.name) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: button.name, value: button.value });
    form.append(field);
  }
  if (button?.hasAttribute("formaction")) form.action = button.formAction;
  const field = $("input[name=csrfmiddlewaretoken]", form);
  if (field && token()) field.value = token();
  form.submit();
}
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => showProblem(event.detail.elt, 0, ""));
}
document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (requestConfig.verb === "post" && elt.closest("[data-fresh]")) return event.preventDefault();
  $(".problem", formOf(elt))?.replaceChildren();
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
// The second half of a double click must not decide on a card that nobody has read (FR-55),
// nor send a form of it that htmx has not come to yet.
document.addEventListener("htmx:afterSwap", (event) => {
  const landed = event.detail.elt;
  if (!landed.matches?.("#review, .reading")) return;
  landed.dataset.fresh = "yes";
  setTimeout(() => delete landed.dataset.fresh, 500);
});
document.addEventListener("submit", (event) => {
  if (!(event.submitter || event.target).closest("[data-fresh]")) return;
  event.preventDefault();
  event.stopPropagation();
}, true);
document.addEventListener("htmx:afterSettle", (event) => {
  const landed = event.detail.elt;
  if (landed.id === "review") settle(document);
  const place = $("[data-focus]", landed);
  if (!place) return;
  place.focus({ preventScroll: true });
  if (landed.id !== "review") {
    const low = place.getBoundingClientRect().top > window.innerHeight * 0.6;
    place.scrollIntoView({ block: low ? "center" : "nearest" });
  } else if (landed.getBoundingClientRect().top < 0) landed.scrollIntoView({ block: "start" });
});

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
