"use strict";
// Shows that a question runs and lets one stop it. Without it the question ends by its time limit.
(() => {
  const form = document.getElementById("ask");
  const stop = document.getElementById("stop");
  const told = document.getElementById("asking");
  const text = document.getElementById("q");
  let token = "";
  form.addEventListener("submit", () => {
    token = [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join("");
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = "token";
    field.value = token;
    form.append(field);
    stop.hidden = false;
    told.textContent = "asking …";
    setTimeout(() => field.remove(), 0);
  });
  stop.addEventListener("click", () => fetch(`/sql/stop/${token}`, { method: "POST" }));
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
})();
