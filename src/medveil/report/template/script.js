// Colours, tooltips, keyboard and print. Everything the page says is there without this script.
(() => {
  "use strict";
  const root = document.documentElement;

  const toggle = document.getElementById("theme");
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const nameToggle = () => {
    toggle.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameToggle();
  });
  nameToggle();
  toggle.hidden = false;

  // Titles become tooltips that also show on keyboard focus and touch.
  for (const title of document.querySelectorAll(".mark > title")) {
    const mark = title.parentElement;
    mark.dataset.tip = title.textContent;
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  for (const term of document.querySelectorAll(".term[title]")) {
    term.dataset.tip = term.title;
    term.setAttribute("aria-describedby", "tip");
    term.removeAttribute("title");
  }

  const tip = document.getElementById("tip");
  let owner = null;
  const show = (target) => {
    owner = target;
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const box = target.getBoundingClientRect();
    const left = box.left + box.width / 2 - tip.offsetWidth / 2;
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(8, Math.min(left, root.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
  };
  const hide = () => {
    owner = null;
    tip.hidden = true;
  };
  const tipped = (event) => event.target instanceof Element && event.target.closest("[data-tip]");
  const meet = (event) => (tipped(event) ? show(tipped(event)) : hide());
  document.addEventListener("focusin", meet);
  document.addEventListener("pointerover", (event) => {
    // The page scrolling under a pointer at rest is no wish to leave a mark chosen by keyboard.
    if (!owner || !owner.matches(":focus-visible")) meet(event);
  });
  document.addEventListener("focusout", hide);
  // Moving to a mark by keyboard may scroll; its tooltip goes along.
  const follow = () => (owner && owner === document.activeElement ? show(owner) : hide());
  document.addEventListener("scroll", follow, { passive: true });

  // One tab stop a plot; the arrow keys go from mark to mark.
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  for (const plot of document.querySelectorAll(".plot")) {
    const marks = [...plot.querySelectorAll(".mark")];
    marks.forEach((mark, place) => mark.setAttribute("tabindex", place ? "-1" : "0"));
    plot.addEventListener("keydown", (event) => {
      const seen = marks.filter((mark) => mark.getClientRects().length);
      const place = seen.indexOf(document.activeElement);
      const next = seen[place + (steps[event.key] || 0)];
      if (!steps[event.key] || place < 0 || !next) return;
      event.preventDefault();
      next.focus();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });

  // The contents show where the reader is.
  const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a]));
  const watch = new IntersectionObserver(
    (entries) => {
      const entered = entries.filter((entry) => entry.isIntersecting).pop();
      if (!entered) return;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entered.target.id).setAttribute("aria-current", "true");
    },
    { rootMargin: "-10% 0px -75% 0px" },
  );
  for (const id of links.keys()) watch.observe(document.getElementById(id));

  // Paper shows everything but the numbers behind figures, which report.json holds.
  let closed = [];
  addEventListener("beforeprint", () => {
    hide();
    closed = [...document.querySelectorAll("details:not([open], .repeats)")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
})();
