"use strict";
const run = document.body.dataset.run;
const cases = [...document.querySelectorAll(".case")];
const store = `medveil-review-${document.body.dataset.page}`;
const svg = "http://www.w3.org/2000/svg";
const SMALLEST = 3; // pixels of the film: less is a click
const FAR = 5; // pixels of the screen that make a drag
let decided = {};
try { decided = JSON.parse(localStorage.getItem(store)) || {}; } catch { /* a page opened from disk may have no storage */ }
const undone = new Map(cases.map((item) => [item, []]));
let current = -1;
let moving = false;

// what is decided of a case: `regions` by frame and number, `drawn` by frame
function stateOf(item) {
  const drawn = {};
  for (const film of item.querySelectorAll(".film")) drawn[film.dataset.frame] = JSON.parse(film.dataset.drawn);
  return decided[item.dataset.file] || { decision: "", note: "", regions: {}, drawn };
}

function keep(item, state) {
  decided[item.dataset.file] = state;
  try { localStorage.setItem(store, JSON.stringify(decided)); } catch { /* kept in memory until it is downloaded */ }
  show(item);
  tally();
}

// a change to the regions of a film that was decided is a new question
function change(item, alter, again = true) {
  const state = structuredClone(stateOf(item));
  undone.get(item).push(structuredClone(state));
  alter(state);
  if (again) state.decision = "";
  keep(item, state);
}

function undo(item) {
  const earlier = undone.get(item).pop();
  if (earlier) keep(item, { ...earlier, note: stateOf(item).note });
}

function kindOf(film, region) { return film.querySelector(`li[data-region="${region}"]`).dataset.kind; }
function said(state, film, region) {
  return state.regions[`${film.dataset.frame}:${region}`] || (kindOf(film, region) === "kept" ? "keep" : "");
}

function say(item, film, region, what) {
  const plain = kindOf(film, region) === "kept" ? "keep" : "";
  change(item, (state) => {
    const name = `${film.dataset.frame}:${region}`;
    if (what === plain) delete state.regions[name]; else state.regions[name] = what;
  });
}

// by clicks: what was painted is restored and back; what is doubtful or still read is text, then none, then open again
function next(kind, now) {
  if (kind === "painted") return now === "keep" ? "" : "keep";
  if (kind === "kept") return now === "keep" ? "remove" : "keep";
  return { "": "remove", remove: "keep", keep: "" }[now];
}

const WORDS = {
  painted: { "": "removed", keep: "restored" },
  doubtful: { "": "may be text", remove: "text, is removed", keep: "no text, stays" },
  left: { "": "still read as text", remove: "text, is removed", keep: "looked at, stays" },
  kept: { keep: "kept by an earlier review", remove: "is removed" },
};

function open(item, state) {
  return [...item.querySelectorAll(".film")].reduce((count, film) =>
    count + [...film.querySelectorAll('li[data-kind="doubtful"]')].filter((one) => !said(state, film, one.dataset.region)).length, 0);
}

function isChanged(item, state) {
  return Object.keys(state.regions).length > 0 ||
    [...item.querySelectorAll(".film")].some((film) => JSON.stringify(state.drawn[film.dataset.frame]) !== JSON.stringify(JSON.parse(film.dataset.drawn)));
}

function show(item) {
  const state = stateOf(item);
  item.dataset.decided = state.decision;
  for (const film of item.querySelectorAll(".film")) showFilm(film, state);
  for (const button of item.querySelectorAll("[data-decision]")) {
    button.setAttribute("aria-pressed", String(button.dataset.decision === state.decision));
  }
  const left = open(item, state);
  const accept = item.querySelector('[data-decision="accept"]');
  accept.disabled = left > 0 || "unacceptable" in item.dataset;
  item.querySelector("[data-undo]").disabled = !undone.get(item).length;
  let why = "";
  if ("unacceptable" in item.dataset) why = "It has more frames to decide about than can be shown here, and stays withheld.";
  else if (left) why = `${left} ${left === 1 ? "region" : "regions"} to decide about before it can be accepted.`;
  else if (!state.decision && isChanged(item, state)) why = "Changed, not accepted yet.";
  item.querySelector(".why").textContent = why;
  const note = item.querySelector("[data-note]");
  if (note !== document.activeElement) note.value = state.note;
}

function showFilm(film, state) {
  for (const entry of film.querySelectorAll("li[data-region]")) {
    const now = said(state, film, entry.dataset.region);
    entry.dataset.state = now;
    entry.querySelector(".said").textContent = WORDS[entry.dataset.kind][now];
    for (const button of entry.querySelectorAll("[data-say]")) button.setAttribute("aria-pressed", String(button.dataset.say === now));
    for (const mark of film.querySelectorAll(`.region[data-region="${entry.dataset.region}"], .patch[data-region="${entry.dataset.region}"]`)) mark.dataset.state = now;
  }
  for (const group of film.querySelectorAll("g.drawn")) {
    group.replaceChildren(...(state.drawn[film.dataset.frame] || []).map((box, index) => {
      const mark = rectangle(box);
      mark.dataset.drawn = String(index);
      return mark;
    }));
  }
}

function rectangle([left, top, right, bottom]) {
  const mark = document.createElementNS(svg, "rect");
  for (const [name, value] of Object.entries({ x: left, y: top, width: right - left, height: bottom - top })) mark.setAttribute(name, String(value));
  return mark;
}

function tally() {
  const states = cases.map((item) => [item, stateOf(item)]);
  const waiting = states.filter(([item, state]) => !state.decision && isChanged(item, state)).length;
  document.getElementById("decided").textContent = String(states.filter(([, state]) => state.decision).length);
  document.getElementById("rejected").textContent = String(states.filter(([, state]) => state.decision === "reject").length);
  document.getElementById("open").textContent = waiting ? `, ${waiting} changed and not accepted` : "";
}

function decide(item, decision) {
  if (item.querySelector(`[data-decision="${decision}"]`).disabled) return false;
  change(item, (state) => { state.decision = state.decision === decision ? "" : decision; }, false);
  return true;
}

function go(index) {
  current = Math.max(0, Math.min(cases.length - 1, index));
  cases[current].focus({ preventScroll: true });
  cases[current].scrollIntoView();
}

// both sides of a film show the same window of it
function windowOf(film) { return film.querySelector(".view").getAttribute("viewBox").split(" ").map(Number); }
function look(film, [x, y, width, height]) {
  const [most, high] = [Number(film.dataset.width), Number(film.dataset.height)];
  const scale = Math.min(1, Math.max(width / most, height / high, 8 / Math.max(most, high)));
  const [wide, tall] = [most * scale, high * scale];
  const left = Math.max(0, Math.min(most - wide, x + (width - wide) / 2));
  const top = Math.max(0, Math.min(high - tall, y + (height - tall) / 2));
  for (const view of film.querySelectorAll(".view")) {
    view.setAttribute("viewBox", [left, top, wide, tall].join(" "));
    for (const number of view.querySelectorAll(".number")) number.setAttribute("font-size", String(Math.max(wide, tall) / 32));
  }
}
function zoom(film, factor, at) {
  const [x, y, width, height] = windowOf(film);
  const [px, py] = at || [x + width / 2, y + height / 2];
  look(film, [px - (px - x) * factor, py - (py - y) * factor, width * factor, height * factor]);
}
function lookAt(film, region) {
  const box = film.querySelector(`.region[data-region="${region}"]`).getBBox();
  const around = Math.max(box.height, 24);
  look(film, [box.x - around, box.y - around, box.width + 2 * around, box.height + 2 * around]);
}

function pointIn(view, event) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(view.getScreenCTM().inverse());
  return [at.x, at.y];
}
function boxOf(film, [x0, y0], [x1, y1]) {
  const most = [Number(film.dataset.width), Number(film.dataset.height)];
  const inside = (value, limit) => Math.max(0, Math.min(limit, value));
  return [
    Math.floor(inside(Math.min(x0, x1), most[0])), Math.floor(inside(Math.min(y0, y1), most[1])),
    Math.ceil(inside(Math.max(x0, x1), most[0])), Math.ceil(inside(Math.max(y0, y1), most[1])),
  ];
}

function draw(item, film, view) {
  let start = null;
  let live = null;
  view.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    current = cases.indexOf(item);
    start = { screen: [event.clientX, event.clientY], film: pointIn(view, event), window: windowOf(film), mark: event.target };
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointermove", (event) => {
    if (!start) return;
    const moved = Math.hypot(event.clientX - start.screen[0], event.clientY - start.screen[1]);
    if (!start.dragged && moved < FAR) return;
    start.dragged = true;
    const at = pointIn(view, event);
    if (moving || event.shiftKey) {
      const [x, y, width, height] = windowOf(film);
      look(film, [x + start.film[0] - at[0], y + start.film[1] - at[1], width, height]);
      return;
    }
    if (live) live.remove();
    live = rectangle(boxOf(film, start.film, at));
    live.classList.add("live");
    view.querySelector("g.drawn").append(live);
  });
  view.addEventListener("pointercancel", () => { start = null; if (live) live.remove(); live = null; });
  view.addEventListener("pointerup", (event) => {
    if (!start) return;
    const { dragged, mark, film: from } = start;
    start = null;
    if (live) {
      const box = boxOf(film, from, pointIn(view, event));
      live.remove();
      live = null;
      if (box[2] - box[0] >= SMALLEST && box[3] - box[1] >= SMALLEST) {
        change(item, (state) => { (state.drawn[film.dataset.frame] ||= []).push(box); });
      }
    } else if (!dragged && mark.classList.contains("region")) {
      const region = mark.dataset.region;
      say(item, film, region, next(kindOf(film, region), said(stateOf(item), film, region)));
    } else if (!dragged && mark.dataset.drawn) {
      change(item, (state) => { state.drawn[film.dataset.frame].splice(Number(mark.dataset.drawn), 1); });
    }
  });
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(film, event.deltaY < 0 ? 0.8 : 1.25, pointIn(view, event));
  }, { passive: false });
  view.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [x, y, width, height] = windowOf(film);
    look(film, [x + step[0] * width / 8, y + step[1] * height / 8, width, height]);
  });
}

function move(on) {
  moving = on;
  document.body.classList.toggle("moving", on);
  for (const button of document.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(on));
}

for (const item of cases) {
  for (const film of item.querySelectorAll(".film")) {
    for (const view of film.querySelectorAll(".view")) draw(item, film, view);
    look(film, [0, 0, Number(film.dataset.width), Number(film.dataset.height)]);
  }
  item.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    current = cases.indexOf(item);
    const film = button.closest(".film");
    const region = button.closest("li")?.dataset.region;
    const data = button.dataset;
    if (data.decision) decide(item, data.decision);
    if ("undo" in data) undo(item);
    if ("mode" in data) move(!moving);
    if (data.zoom === "whole") look(film, [0, 0, Number(film.dataset.width), Number(film.dataset.height)]);
    else if (data.zoom) zoom(film, data.zoom === "in" ? 0.6 : 1 / 0.6);
    if ("look" in data) lookAt(film, region);
    if (data.say) {
      const now = said(stateOf(item), film, region);
      say(item, film, region, now === data.say && kindOf(film, region) !== "kept" ? "" : data.say);
    }
  });
  item.querySelector("[data-note]").addEventListener("input", (event) => {
    keep(item, { ...structuredClone(stateOf(item)), note: event.target.value });
  });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !cases.length || event.target.closest("textarea")) return;
  const key = event.key.toLowerCase();
  if (key === "j") go(current + 1);
  if (key === "k") go(current - 1);
  if (key === "m") move(!moving);
  if (key === "o") document.body.classList.toggle("plain");
  const item = cases[current];
  if (!item) return;
  if ((key === "a" || key === "r") && decide(item, key === "a" ? "accept" : "reject") && stateOf(item).decision) go(current + 1);
  if (key === "u") undo(item);
  const film = item.querySelector(".film");
  if (!film) return;
  if (key === "+" || key === "=") zoom(film, 0.6);
  if (key === "-") zoom(film, 1 / 0.6);
  if (key === "0") look(film, [0, 0, Number(film.dataset.width), Number(film.dataset.height)]);
  const region = String(Number(key) - 1);
  if (/^[1-9]$/.test(key) && film.querySelector(`li[data-region="${region}"]`)) {
    say(item, film, region, next(kindOf(film, region), said(stateOf(item), film, region)));
  }
});

// what is carried out of one film, by frame: every frame that is shown, also where nothing is to be done any more
function choices(item, state) {
  const frames = {};
  for (const film of item.querySelectorAll(".film")) {
    const chosen = { keep: [], remove: [], accept: "asks" in film.dataset };
    for (const mark of film.querySelectorAll(".before .region")) {
      const box = ["x", "y", "width", "height"].map((name) => Number(mark.getAttribute(name)));
      const now = said(state, film, mark.dataset.region);
      if (now) chosen[now].push([box[0], box[1], box[0] + box[2], box[1] + box[3]]);
    }
    chosen.remove.push(...(state.drawn[film.dataset.frame] || []));
    frames[film.dataset.frame] = chosen;
  }
  return frames;
}

// a report is shown with every image of its study: one rejection is enough for it to leave
function byFile() {
  const told = {};
  for (const item of cases) {
    const state = stateOf(item);
    if (!state.decision) continue;
    told[item.dataset.file] = { decision: state.decision, frames: state.decision === "accept" ? choices(item, state) : {}, note: state.note };
    for (const file of item.dataset.reports.split(" ").filter(Boolean)) {
      if (told[file]?.decision !== "reject") told[file] = { decision: state.decision, frames: {}, note: "" };
    }
  }
  return told;
}

document.getElementById("save").addEventListener("click", () => {
  const content = JSON.stringify({ format: "medveil.decisions/2", run, decisions: byFile() }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = "decisions.json";
  link.click();
  URL.revokeObjectURL(link.href);
});
cases.forEach(show);
tally();
