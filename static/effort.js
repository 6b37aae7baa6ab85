// Active seconds: counted only while the page is in sight and somebody used it within the last
// half minute. Sent once a minute, before another card comes, and when the page is left.
"use strict";

(() => {
  const url = document.querySelector("[data-effort]")?.dataset.effort;
  if (!url) return;
  const IDLE = 30_000;
  let used = performance.now();
  let last = used;
  let active = 0;

  // Not `scroll`: a page scrolls to its place by itself.
  for (const name of ["pointermove", "pointerdown", "touchmove", "wheel", "keydown", "input"]) {
    addEventListener(name, () => { used = performance.now(); }, { passive: true, capture: true });
  }
  function count() {
    const now = performance.now();
    // A computer that slept was not used: a step is never long.
    const step = Math.min(now - last, 2000);
    last = now;
    if (document.visibilityState === "visible" && now - used < IDLE) active += step;
  }
  function send() {
    const seconds = Math.floor(active / 1000);
    if (!seconds) return;
    const body = new FormData();
    body.append("csrfmiddlewaretoken", token());
    body.append("seconds", Math.min(seconds, 120));
    body.append("card", /\/review\/([0-9a-f]+)\//.exec(location.pathname)?.[1] || "");
    if (navigator.sendBeacon(url, body)) active -= seconds * 1000;
  }
  setInterval(() => {
    count();
    if (active >= 60_000) send();
  }, 1000);
  // At the end of what was in sight, up to then.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") send();
    last = performance.now();
  });
  addEventListener("pagehide", send);
  document.addEventListener("htmx:beforeSwap", send);
})();
