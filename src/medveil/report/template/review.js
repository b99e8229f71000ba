"use strict";
const run = document.body.dataset.run;
const cases = [...document.querySelectorAll(".case")];
const store = `medveil-review-${run}`;
let decisions = {};
try { decisions = JSON.parse(localStorage.getItem(store)) || {}; } catch { /* a page opened from disk may have no storage */ }
let current = -1;

function show() {
  for (const item of cases) {
    const decision = decisions[item.dataset.file] || "";
    item.dataset.decided = decision;
    for (const button of item.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.decision === decision));
    }
  }
  const made = Object.values(decisions);
  document.getElementById("decided").textContent = String(made.length);
  document.getElementById("rejected").textContent = String(made.filter((one) => one === "reject").length);
}

function decide(item, decision) {
  decisions[item.dataset.file] = decision;
  try { localStorage.setItem(store, JSON.stringify(decisions)); } catch { /* kept in memory until saved */ }
  show();
}

function go(index) {
  current = Math.max(0, Math.min(cases.length - 1, index));
  cases[current].focus({ preventScroll: true });
  cases[current].scrollIntoView();
}

for (const item of cases) {
  item.addEventListener("click", (event) => {
    const decision = event.target.dataset.decision;
    if (decision) { current = cases.indexOf(item); decide(item, decision); }
  });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !cases.length) return;
  const key = event.key.toLowerCase();
  if (key === "j") go(current + 1);
  if (key === "k") go(current - 1);
  if ((key === "a" || key === "r") && current >= 0) {
    decide(cases[current], key === "a" ? "accept" : "reject");
    go(current + 1);
  }
});
// a report is shown with every image of its study: one rejection is enough for it to leave
function byFile() {
  const told = {};
  for (const item of cases) {
    const decision = decisions[item.dataset.file];
    if (!decision) continue;
    for (const file of [item.dataset.file, ...item.dataset.reports.split(" ").filter(Boolean)]) {
      if (told[file] !== "reject") told[file] = decision;
    }
  }
  return told;
}

document.getElementById("save").addEventListener("click", () => {
  const content = JSON.stringify({ format: "medveil.decisions/1", run, decisions: byFile() }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = "decisions.json";
  link.click();
  URL.revokeObjectURL(link.href);
});
show();
