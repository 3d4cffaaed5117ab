/**
 * Save a figure as a picture, or the table under it as CSV.
 *
 * Usage: <div data-controller="figure-export" data-figure="id of the figure" hidden>
 *          <button data-format="png">PNG</button> ... </div>
 * The figure holds .plot__area and a table. Shown only where scripts run.
 */
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

export function connect(bar) {
  const figure = document.getElementById(bar.dataset.figure);
  const area = figure.querySelector(".plot__area");
  bar.hidden = false;
  bar.addEventListener("click", (event) => {
    const { format } = event.target.closest("[data-format]")?.dataset ?? {};
    if (format === "csv") save(csvOf(figure.querySelector("table")), `${figure.id}.csv`);
    else if (format && window.Plotly) {
      const { width, height } = area.getBoundingClientRect();
      window.Plotly.downloadImage(area, { format, width, height, scale: 2, filename: figure.id });
    }
  });
}
