"use strict";
// Comfort only: every page works without it.
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    document.getElementById("go")?.focus();
    event.preventDefault();
  }
});
