/**
 * What a figure offers: itself as a picture, its numbers as CSV, its table.
 *
 * Usage: <div popover data-controller="figure-menu" data-figure="id of the figure">
 *          <button data-format="png" hidden>...</button> <button data-table hidden>...</button> </div>
 * The figure holds .plot__area and details.plot__table. What needs a script is hidden without;
 * the table then opens by its own summary, which this takes away until the table is open.
 */
import { plotly } from "./plot.js";

const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?[\d.,]+( %)?$/;

function cellText(cell) {
  const text = cell.textContent.trim();
  // A spreadsheet would run a text that looks like a formula.
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function csvOf(table) {
  const rows = [...table.rows].map((row) => [...row.cells].map(cellText).join(","));
  return new Blob([`${rows.join("\r\n")}\r\n`], { type: "text/csv;charset=utf-8" });
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function connect(menu) {
  const figure = document.getElementById(menu.dataset.figure);
  const area = figure.querySelector(".plot__area");
  const table = figure.querySelector(".plot__table");
  const toggle = menu.querySelector("[data-table]");
  for (const button of menu.querySelectorAll("button")) button.hidden = false;
  figure.classList.add("plot--menu");
  table?.addEventListener("toggle", () => {
    toggle.textContent = table.open ? "Hide the table" : "Show as table";
  });
  menu.addEventListener("click", async ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    menu.hidePopover();
    if (button === toggle) {
      table.open = !table.open;
      if (table.open) table.querySelector(".table-region").focus();
      return;
    }
    const { format } = button.dataset;
    if (format === "csv") save(csvOf(figure.querySelector("table")), `${figure.id}.csv`);
    else {
      const { width, height } = area.getBoundingClientRect();
      (await plotly()).downloadImage(area, { format, width, height, scale: 2, filename: figure.id });
    }
  });
}
