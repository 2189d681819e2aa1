// SPDX-License-Identifier: MIT
// Tables sort by a click on a heading, or by Enter or Space when it has the focus. Numbers are
// those of data-value; what has none comes last in both directions.
"use strict";
for (const table of document.querySelectorAll("table.sorts")) {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const first = [...body.rows];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const was = heading.getAttribute("aria-sort");
      const now = was === "none" ? "ascending" : was === "ascending" ? "descending" : "none";
      for (const other of headings) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", now);
      const sign = now === "descending" ? -1 : 1;
      const sorted = now === "none" ? first : [...first].sort((one, other) => {
        const [a, b] = [one, other].map((row) => {
          const cell = row.cells[column];
          const value = cell.dataset.value ?? cell.textContent.trim();
          return { value, number: value === "" ? NaN : Number(value) };
        });
        if (a.value === "" || b.value === "") return (a.value === "") - (b.value === "");
        if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return sign * (a.number - b.number);
        return sign * a.value.localeCompare(b.value, "en", { numeric: true });
      });
      body.append(...sorted);
    });
  });
}
