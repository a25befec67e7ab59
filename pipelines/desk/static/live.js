"use strict";
// The floor as it plays. Everything is made of text nodes: what a table says is never markup.
(() => {
  const MOST = 200;
  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const link = (href, text) => {
    const made = element("a", text);
    made.href = href;
    return made;
  };
  const ago = (s) => {
    if (s < 60) return `${Math.max(0, Math.round(s))} s`;
    if (s < 5400) return `${Math.round(s / 60)} min`;
    return s < 172800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} days`;
  };

  const box = document.querySelector(".live");
  if (box) {
    const floor = document.getElementById("floor");
    const told = document.getElementById("told");
    const about = document.getElementById("live-about");
    const shown = new Map([...floor.children].map((li) => [li.dataset.table, li]));
    let skew = Date.now() / 1000 - Number(box.dataset.now);
    const fill = (li, t) => {
      li.className = `table ${t.state.replaceAll(" ", "-")}${t.whole ? "" : " broken"}`;
      li.dataset.heard = t.heard ?? "";
      const parts = [link(`/live/${encodeURIComponent(t.table)}`, t.table),
        element("span", t.whole ? t.state : `${t.state}, chain broken`, "what"),
        element("span", "", "silent"), element("span", `${t.rounds_hour}/h`, "rate")];
      if (t.findings) parts.push(element("span", t.findings, "found"));
      li.replaceChildren(...parts);
    };
    const put = (t) => {
      let li = shown.get(t.table);
      if (!li) {
        li = element("li");
        li.dataset.table = t.table;
        shown.set(t.table, li);
        const after = [...shown.keys()].sort();
        const next = shown.get(after[after.indexOf(t.table) + 1]);
        floor.insertBefore(li, next ?? null);
      }
      fill(li, t);
    };
    const tell = (w) => {
      const f = w.finding ?? w.withdrawn;
      const li = element("li", undefined, w.withdrawn ? "withdrawn" : f.severity);
      const words = ` ${w.withdrawn ? "withdrawn: " : ""}${f.message} `;
      li.append(link(`/finding/${encodeURIComponent(f.id)}`, f.kind.replaceAll("_", " ")), words);
      if (w.open) li.append(element("small", `open: ${w.open.join(", ")}`));
      told.prepend(li);
      while (told.children.length > MOST) told.lastChild.remove();
    };
    const quiet = () => {
      const now = Date.now() / 1000 - skew;
      for (const li of shown.values()) {
        const since = now - Number(li.dataset.heard || now);
        li.querySelector(".silent").textContent = since > 30 ? `silent ${ago(since)}` : "";
      }
    };
    const source = new EventSource(`/live/events?after=${box.dataset.after}`);
    source.onmessage = (event) => {
      const said = JSON.parse(event.data);
      skew = Date.now() / 1000 - said.now;
      said.tables.forEach(put);
      said.told.forEach(tell);
      const lag = said.lag === null || said.lag === undefined ? "reading on"
        : said.lag === 0 ? "up to date with the log" : `${said.lag} messages behind the log`;
      const playing = [...shown.values()].filter((li) => li.classList.contains("in-a-round")).length;
      about.textContent = said.alive
        ? `${shown.size} tables, ${playing} in a round, ${lag}`
        : "No watcher is at work: evenhand watch shows the floor here";
      quiet();
    };
    source.onerror = () => { about.textContent = "The desk does not answer; trying again"; };
    quiet();
    setInterval(quiet, 5000);
  }

  const play = document.getElementById("play");
  if (play) {
    const again = async () => {
      try {
        const answer = await fetch(`/live/${encodeURIComponent(play.dataset.table)}/play`);
        const version = answer.headers.get("x-version");
        if (answer.ok && version !== play.dataset.version) {
          // a part of our own page, rendered and escaped by the desk
          play.innerHTML = await answer.text();
          play.dataset.version = version;
        }
      } catch { /* the desk is away: the next look may find it */ }
    };
    setInterval(again, 1000);
  }
})();
