"use strict";
const cases = [...document.querySelectorAll(".case")];
const store = `medveil-labels-${document.body.dataset.page}-${cases.length}`;
let labels = {};
try { labels = JSON.parse(localStorage.getItem(store)) || {}; } catch { /* a page opened from disk may have no storage */ }
let current = -1;

function show(item) {
  const label = labels[item.dataset.item] || "";
  item.dataset.decided = { 1: "accept", 0: "reject" }[label] || "";
  for (const button of item.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.label === label));
  }
}

function say(item, label) {
  if (label) labels[item.dataset.item] = label; else delete labels[item.dataset.item];
  try { localStorage.setItem(store, JSON.stringify(labels)); } catch { /* kept in memory until it is downloaded */ }
  show(item);
  tally();
}

function tally() {
  document.getElementById("done").textContent = cases.filter((item) => labels[item.dataset.item]).length;
}

function go(to) {
  current = Math.max(0, Math.min(cases.length - 1, to));
  cases[current]?.focus({ preventScroll: true });
  cases[current]?.scrollIntoView({ block: "center" });
}

cases.forEach((item, place) => {
  item.addEventListener("focusin", () => { current = place; });
  for (const button of item.querySelectorAll("button")) {
    button.addEventListener("click", () => say(item, labels[item.dataset.item] === button.dataset.label ? "" : button.dataset.label));
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "j") go(current + 1);
  else if (key === "k") go(current - 1);
  else if ((key === "1" || key === "0") && cases.length) {
    const item = cases[Math.max(0, current)];
    say(item, key);
    go(cases.indexOf(item) + 1);
  } else if (key === "u" && current >= 0) say(cases[current], "");
  else return;
  event.preventDefault();
});

document.getElementById("save").addEventListener("click", () => {
  const rows = cases.map((item) => `${item.dataset.item},${labels[item.dataset.item] || ""}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`item,label\n${rows.join("\n")}\n`], { type: "text/csv" }));
  link.download = "labels.csv";
  link.click();
  URL.revokeObjectURL(link.href);
});
cases.forEach(show);
tally();
