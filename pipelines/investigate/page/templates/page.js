"use strict";
(() => {
  const pieces = [...document.querySelectorAll("#table [data-a]")];
  const rows = [...document.querySelectorAll("#steps li")];
  const slider = document.getElementById("step");
  const caption = document.getElementById("caption");
  const count = document.getElementById("count");
  const buttons = Object.fromEntries(
    [...document.querySelectorAll(".controls button")].map((b) => [b.dataset.go, b]));
  const last = rows.length - 1;
  let now = last;

  function show(step) {
    now = Math.max(0, Math.min(last, step));
    for (const piece of pieces) {
      piece.toggleAttribute("hidden", now < +piece.dataset.a || now > +piece.dataset.b);
    }
    rows.forEach((row, n) => n === now
      ? row.setAttribute("aria-current", "step") : row.removeAttribute("aria-current"));
    const row = rows[now];
    const list = row.parentElement;
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight >
        list.scrollTop + list.clientHeight) {
      list.scrollTop = row.offsetTop - list.clientHeight / 2;
    }
    caption.replaceChildren(...row.cloneNode(true).childNodes);
    slider.value = now;
    slider.setAttribute("aria-valuetext", row.textContent);
    count.value = `${now + 1} of ${last + 1}`;
    buttons.first.disabled = buttons.back.disabled = now === 0;
    buttons.next.disabled = buttons.last.disabled = now === last;
  }

  let timer = null;
  function stop() {
    clearInterval(timer);
    timer = null;
    buttons.play.textContent = "▶ play";
  }
  function play() {
    if (timer !== null) { stop(); return; }
    if (now === last) show(0);
    buttons.play.textContent = "❚❚ pause";
    timer = setInterval(() => { now === last ? stop() : show(now + 1); }, 900);
  }

  const go = { first: () => show(0), back: () => show(now - 1), play,
    next: () => show(now + 1), last: () => show(last) };
  for (const [name, button] of Object.entries(buttons)) {
    button.addEventListener("click", () => { if (name !== "play") stop(); go[name](); });
  }
  slider.addEventListener("input", () => { stop(); show(+slider.value); });
  rows.forEach((row, n) => row.addEventListener("click", () => { stop(); show(n); }));
  for (const button of document.querySelectorAll("button[data-step]")) {
    button.addEventListener("click", () => {
      stop();
      show(+button.dataset.step);
      document.getElementById("table").scrollIntoView({ block: "nearest" });
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === slider) return;
    const key = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (key) { stop(); go[key](); event.preventDefault(); }
  });
  const opened = [...document.querySelectorAll("details")];
  let before = [];
  addEventListener("beforeprint", () => {
    before = opened.map((d) => d.open);
    opened.forEach((d) => { d.open = true; });
    show(last);
  });
  addEventListener("afterprint", () => opened.forEach((d, n) => { d.open = before[n]; }));
  show(last);
})();
