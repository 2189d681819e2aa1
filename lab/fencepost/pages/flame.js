// SPDX-License-Identifier: MIT
// A flame graph in a browser: what the pointer is on is told in full, a click widens a column.
const columns = [...document.querySelectorAll(".flame .columns > g")];
const told = document.querySelector(".flame .told");
const whole = Number(columns[0].dataset.w);
const letter = 6.9;

function show(left, width) {
  const factor = whole / width;
  for (const column of columns) {
    const x = Number(column.dataset.x), w = Number(column.dataset.w);
    // Those around it stay as a frame: what it is called from.
    const from = Math.max(0, (x - left) * factor);
    const to = Math.min(whole, (x + w - left) * factor);
    column.style.display = to - from < 0.3 ? "none" : "";
    const [box, text] = [column.querySelector("rect"), column.querySelector("text")];
    box.setAttribute("x", from);
    box.setAttribute("width", Math.max(0, to - from));
    text.setAttribute("x", from + 3);
    const most = Math.floor((to - from - 6) / letter), name = column.dataset.n;
    text.textContent = most < 4 ? "" : name.length <= most ? name
      : name.slice(0, most - 1 - (most >> 1)) + "…" + name.slice(-(most >> 1));
  }
}

for (const column of columns) {
  column.addEventListener("click", () => show(Number(column.dataset.x), Number(column.dataset.w)));
  column.addEventListener("mouseover", () => {
    told.textContent = column.querySelector("title").textContent;
  });
}
