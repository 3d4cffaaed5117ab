/**
 * Draw a Plotly figure in the colours of the style sheet, and again when light turns to dark.
 *
 * Usage: <div data-controller="plot" data-plot-figure="id"></div> where #id is the
 * JSON {data, layout} of the figure (Django's json_script). Plotly itself is loaded
 * by the page, in a deferred script. Without either, the table under the plot stands.
 */
const CONFIG = { displaylogo: false, displayModeBar: false, responsive: true };

function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    soft: read("--ink-soft"),
    rule: read("--rule"),
    mark: read("--mark"),
    raised: read("--paper-raised"),
    sans: getComputedStyle(document.body).fontFamily,
  };
}

function themed({ data, layout }) {
  const { ink, soft, rule, mark, raised, sans } = colours();
  const axis = (own) => ({
    ...own, gridcolor: rule, linecolor: soft, tickcolor: rule, zerolinecolor: rule, automargin: true,
  });
  return {
    data: data.map((trace) => ({ ...trace, marker: { color: mark, opacity: 0.85 } })),
    layout: {
      ...layout,
      paper_bgcolor: "transparent",
      plot_bgcolor: "transparent",
      font: { family: sans, size: 12, color: soft },
      hoverlabel: { bgcolor: raised, bordercolor: soft, font: { family: sans, color: ink } },
      xaxis: axis(layout.xaxis),
      yaxis: axis(layout.yaxis),
      shapes: (layout.shapes ?? []).map((shape) => ({ ...shape, line: { color: ink, width: 1.5, dash: "dot" } })),
      annotations: (layout.annotations ?? []).map((note) => ({ ...note, font: { color: ink, size: 12 } })),
    },
  };
}

export function connect(element) {
  const source = document.getElementById(element.dataset.plotFigure);
  if (!source || !window.Plotly) return;
  const figure = JSON.parse(source.textContent);
  const draw = () => {
    const { data, layout } = themed(figure);
    window.Plotly.react(element, data, layout, CONFIG);
  };
  draw();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
