// SPDX-License-Identifier: MIT
// Replays a counterexample. The page as it stands shows the end; this takes it back to any step.
// A view is the whole execution or the part of it that the violation needs; each has its own bar,
// graph, sources and table, and its steps as data: the cells of memory that change, and for each
// thread the line it is at and what it does there.
"use strict";
document.documentElement.classList.add("replayed");

const views = [...document.querySelectorAll(".view")].map((root) => {
  const data = JSON.parse(root.querySelector("script").textContent);
  const one = (selector) => root.querySelector(selector);
  const all = (selector) => [...root.querySelectorAll(selector)];
  const cells = all(".memory td");
  const threads = all("section.thread");
  const slider = one(".bar input");
  const last = data.steps.length;
  let at = last;

  // What the cells hold at each step, from what changes at it.
  const memory = [];
  let held = cells.map(() => "");
  for (const step of data.steps) {
    held = [...held];
    for (const [place, text] of step.memory) held[place] = text;
    memory.push(held);
  }

  function bringIntoSight(pane, element) {
    if (!pane || !element) return;
    const own = element.getBoundingClientRect(), around = pane.getBoundingClientRect();
    // Of a tall pane only the upper part may be in the window.
    const bottom = Math.min(around.bottom, Math.max(innerHeight, around.top + 200));
    const margin = Math.min(80, (bottom - around.top) / 4);
    if (own.top < around.top + margin) pane.scrollTop -= around.top + margin - own.top;
    else if (own.bottom > bottom - margin) pane.scrollTop += own.bottom - bottom + margin;
    if (!pane.classList.contains("graph")) return;
    if (own.left < around.left) pane.scrollLeft -= around.left - own.left + 20;
    else if (own.right > around.right) pane.scrollLeft += own.right - around.right + 20;
  }

  function show(place) {
    at = Math.max(0, Math.min(last, place));
    const ended = at === last;
    const shown = Math.min(at, last - 1);
    const step = data.steps[shown];
    const number = ended ? Infinity : step.number;
    slider.value = at + 1;
    slider.setAttribute("aria-valuetext", ended ? "the end" : `step ${step.number}`);
    one(".bar .number").textContent = ended ? "the end" : `step ${step.number}`;
    one(".bar output").textContent = ended ? data.end : step.text;

    cells.forEach((cell, place) => {
      cell.textContent = memory[shown][place];
      const before = shown > 0 ? memory[shown - 1][place] : "";
      cell.classList.toggle("changed", !ended && memory[shown][place] !== before);
    });
    threads.forEach((thread, place) => {
      const now = ended ? data.threads_at_end[place] : step.threads[place];
      thread.classList.toggle("acts", !ended && data.threads[place] === step.thread);
      thread.querySelector(".doing").textContent = now.doing;
      for (const line of thread.querySelectorAll(".here, .wrong"))
        line.classList.remove("here", "wrong");
      const line = thread.querySelector(`[data-line="${CSS.escape(now.line)}"]`);
      if (line) line.classList.add(now.mark);
      bringIntoSight(thread.querySelector(".source"), line);
    });
    for (const element of all("[data-step]")) {
      const own = Number(element.dataset.step);
      element.classList.toggle("now", own === number);
      element.classList.toggle("later", own > number);
    }
    for (const element of all("[data-to]")) {
      const latest = Math.max(element.dataset.from, element.dataset.to);
      element.classList.toggle("later", latest > number);
    }
    const graph = one(".graph");
    if (ended) graph.scrollTop = graph.scrollHeight;
    else bringIntoSight(graph, one(`svg [data-step="${number}"]`));
  }

  function showStep(number) {
    // The step itself, or where it is left out the last one before it.
    let place = 0;
    data.steps.forEach((step, other) => { if (step.number <= number) place = other; });
    show(place);
  }

  slider.addEventListener("input", () => show(slider.value - 1));
  one(".bar").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) move(button.dataset.go);
  });
  root.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-step]");
    if (!chosen) return;
    event.preventDefault();
    showStep(Number(chosen.dataset.step));
  });
  function move(where) {
    if (where === "first") show(0);
    else if (where === "last") show(last);
    else show(at + (where === "next" ? 1 : -1));
  }
  const here = () => (at === last ? Infinity : data.steps[at].number);
  show(last);
  return { root, slider, move, show, showStep, here, last };
});

const shown = () => views.find((view) => view.root.offsetParent !== null) || views[0];

const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  shown().move(keys[event.key]);
});

const everything = document.getElementById("all");
if (everything) {
  let from = shown();
  everything.addEventListener("change", () => {
    const number = from.here();
    from = shown();
    if (number === Infinity) from.show(from.last);
    else from.showStep(number);
  });
}

const wanted = /^#step-(\d+)$/.exec(location.hash);
if (wanted) shown().showStep(Number(wanted[1]));
