// Phrases offered while someone writes a rule. The text stays a plain text field: a list
// appears at the caret, Down and Up move in it, Enter or Tab takes the phrase, Escape
// closes it. Nothing is chosen before an arrow key, so Enter and Tab do what they always do.
"use strict";

const PAUSE_MS = 150;
const BEFORE = 400;

const phrases = { field: null, list: null, at: -1, timer: 0, asked: null };

document.addEventListener("input", (event) => {
  const field = event.target;
  if (!field.matches("textarea")) return;
  field.form?.querySelector(".reading")?.setAttribute("data-stale", "");
  if (!field.dataset.phrases) return;
  close();
  clearTimeout(phrases.timer);
  phrases.timer = setTimeout(() => ask(field), PAUSE_MS);
});

// A failure here is none of the text's: the list stays away, and reading the text says more.
async function ask(field) {
  const caret = field.selectionStart;
  const before = field.value.slice(0, caret);
  if (caret !== field.selectionEnd || !before.trim() || document.activeElement !== field) return;
  phrases.asked?.abort();
  phrases.asked = new AbortController();
  try {
    const response = await fetch(field.dataset.phrases, {
      method: "POST",
      body: new URLSearchParams({ before: before.slice(-BEFORE) }),
      headers: { "X-CSRFToken": token(), "HX-Request": "true" },
      signal: phrases.asked.signal,
    });
    if (!response.ok) return;
    const found = (await response.json()).phrases;
    if (field.selectionStart === caret && field.value.startsWith(before)) offer(field, found);
  } catch (error) {
    if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error;
  }
}

function offer(field, found) {
  close();
  if (!found.length || document.activeElement !== field) return;
  const list = document.createElement("ul");
  list.id = `${field.id}-phrases`;
  list.className = "phrases";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Phrases");
  found.forEach((one, index) => {
    const option = document.createElement("li");
    option.id = `${list.id}-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.dataset.typed = one.typed;
    option.textContent = one.text;
    list.append(option);
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
  field.parentElement.append(list);
  field.setAttribute("aria-controls", list.id);
  Object.assign(phrases, { field, list, at: -1 });
  place(field, list);
  const many = found.length === 1 ? "One phrase" : `${found.length} phrases`;
  say(field, `${many}. Down arrow chooses.`);
}

// Below the caret, or above it where there is no room below.
function place(field, list) {
  const caret = caretOf(field);
  const line = parseFloat(getComputedStyle(field).lineHeight);
  const { width, height } = list.getBoundingClientRect();
  const below = caret.top + line + 4;
  const room = below + height <= window.innerHeight;
  list.style.top = `${room ? below : Math.max(4, caret.top - height - 4)}px`;
  list.style.left = `${Math.max(4, Math.min(caret.left, window.innerWidth - width - 8))}px`;
}

// Where the caret is on the screen: by a copy of the text up to it, set like the field.
function caretOf(field) {
  const copy = document.createElement("div");
  const style = getComputedStyle(field);
  for (const name of ["font", "lineHeight", "letterSpacing", "padding", "border", "tabSize"]) {
    copy.style[name] = style[name];
  }
  Object.assign(copy.style, {
    position: "fixed", visibility: "hidden", boxSizing: "border-box", whiteSpace: "pre-wrap",
    overflowWrap: "break-word", width: `${field.clientWidth}px`, top: "0", left: "0",
  });
  const mark = document.createElement("span");
  mark.textContent = "|";
  copy.append(field.value.slice(0, field.selectionStart), mark);
  document.body.append(copy);
  const box = field.getBoundingClientRect();
  const spot = { top: box.top + mark.offsetTop - field.scrollTop, left: box.left + mark.offsetLeft };
  copy.remove();
  return spot;
}

document.addEventListener("keydown", (event) => {
  const { list, field, at } = phrases;
  if (!list || event.target !== field || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return close();
  const many = list.children.length;
  if (event.key === "ArrowDown") activate(at + 1 < many ? at + 1 : 0);
  else if (event.key === "ArrowUp") activate(at > 0 ? at - 1 : many - 1);
  else if (event.key === "Escape") close();
  else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) take(list.children[at]);
  else {
    if (["Enter", "Tab", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) close();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}, true);

function activate(index) {
  const { list, field } = phrases;
  list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  const option = list.children[index];
  option.setAttribute("aria-selected", "true");
  option.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", option.id);
  phrases.at = index;
}

// As if it had been typed, so that undo takes it back.
function take(option) {
  const { field } = phrases;
  const text = option.textContent;
  const caret = field.selectionStart;
  const typed = Number(option.dataset.typed);
  const starts = caret - typed === 0;
  close();
  field.focus();
  field.setSelectionRange(caret - typed, caret);
  document.execCommand("insertText", false, starts ? text[0].toUpperCase() + text.slice(1) : text);
  clearTimeout(phrases.timer);
  say(field, `${text}, put in.`);
}

function close() {
  phrases.asked?.abort();
  const { list, field } = phrases;
  if (!list) return;
  list.remove();
  field.removeAttribute("aria-activedescendant");
  field.removeAttribute("aria-controls");
  Object.assign(phrases, { field: null, list: null, at: -1 });
}

function say(field, words) {
  let voice = field.parentElement.querySelector("[data-voice]");
  if (!voice) {
    voice = document.createElement("span");
    voice.className = "hidden-visually";
    voice.dataset.voice = "";
    voice.setAttribute("role", "status");
    field.parentElement.append(voice);
  }
  voice.textContent = words;
}

document.addEventListener("focusout", close);
document.addEventListener("click", close);
document.addEventListener("scroll", close, true);
