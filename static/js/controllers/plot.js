/**
 * Draw a Plotly figure in the colours of the style sheet, and again when light turns to dark.
 *
 * Usage: <div data-controller="plot" data-plot-figure="id"></div> where #id is the
 * JSON {data, layout, links} of the figure (Django's json_script). Plotly itself is loaded
 * once a figure comes into view (_plotly_head.html). Without either, the table under the plot stands.
 * A trace names its colours in meta: tone (0 to 5, "soft" or "ink") or, for heatmaps, scale
 * ("share", "diverging", "steps" or "wash"). With data-plot-live the figure is drawn again whenever htmx
 * has brought other data under that id; a .plot__missing beside it says why it is not drawn yet. Where there are links, a point of the first trace opens its own.
 */
const CONFIG = { displaylogo: false, displayModeBar: false, responsive: true };
const TONES = 6;
// A figure is drawn before it can be seen.
const NEAR = "300px";
// Of the text in a cell with the cell; a little more than 4.5, as colours are whole numbers.
const CONTRAST = 4.6;
const PHONE = window.matchMedia("(width < 40rem)");
// On a phone, pixels: the size of names and of titles, and about the width of a letter.
const SMALL = { size: 10, title: 12, letter: 5.5 };

function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    soft: read("--ink-soft"),
    rule: read("--rule"),
    faint: read("--rule-strong"),
    mark: read("--mark"),
    paper: read("--paper"),
    raised: read("--paper-raised"),
    against: read("--series-1"),
    tones: Array.from({ length: TONES }, (_, i) => read(`--series-${i}`)),
    sans: getComputedStyle(document.body).fontFamily,
  };
}

function toneOf({ tone }, { mark, ink, faint, tones }) {
  if (tone === undefined) return mark;
  return { soft: faint, ink }[tone] ?? tones[tone % TONES];
}

/** Red, green and blue of "#rrggbb". */
const channels = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** Relative luminance of a colour (WCAG 2.2). */
function luminance(colour) {
  const [r, g, b] = channels(colour).map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const mixed = (from, to, share) => `#${channels(from)
  .map((byte, at) => Math.round(byte + share * (channels(to)[at] - byte)).toString(16).padStart(2, "0"))
  .join("")}`;

/** The colour on the way from paper to another that is as strong as one can read ink upon. */
export function readable(paper, strong, ink) {
  for (let share = 1; share > 0; share -= 0.01) {
    const colour = mixed(paper, strong, share);
    if (contrast(colour, ink) >= CONTRAST) return colour;
  }
  return paper;
}

function coloured(trace, palette) {
  const meta = trace.meta ?? {};
  const { paper, ink } = palette;
  if (meta.scale) {
    const [mark, against] = [palette.mark, palette.against].map((strong) => readable(paper, strong, ink));
    const scales = {
      share: [[0, paper], [1, mark]],
      diverging: [[0, against], [0.5, paper], [1, mark]],
      // Stands behind points, which have the accent.
      wash: [[0, `${palette.faint}00`], [1, mixed(paper, palette.faint, 0.45)]],
    };
    if (meta.scale === "steps") {
      // The first of four classes is what may be chance: no colour, a word stands in its cells.
      const steps = [mixed(paper, palette.faint, 0.14), ...[0.4, 0.7, 1].map((share) => mixed(paper, mark, share))];
      scales.steps = steps.flatMap((colour, at) => [[at / 4, colour], [(at + 1) / 4, colour]]);
    }
    return { ...trace, textfont: { ...trace.textfont, color: ink }, colorscale: scales[meta.scale] };
  }
  const color = toneOf(meta, palette);
  return {
    ...trace,
    marker: { opacity: 0.85, ...trace.marker, color },
    line: { ...trace.line, color },
  };
}

/** A text in lines of at most so many letters, cut at spaces, except after a rank, and after underscores. */
function wrapped(text, letters) {
  return String(text).replaceAll("<br>", " ").split(/(?<!^\d+\.) |(?<=_)/).reduce((lines, word) => {
    const last = lines.at(-1);
    const joined = last.endsWith("_") ? last + word : `${last} ${word}`.trim();
    return joined.length > letters ? [...lines, word] : [...lines.slice(0, -1), joined];
  }, [""]).filter(Boolean).join("<br>");
}

function axisOnPhone(own, data, name, room) {
  const axis = { ...own, tickfont: { size: SMALL.size } };
  if (own?.title?.text) {
    const text = wrapped(own.title.text, room / (SMALL.letter * SMALL.title / SMALL.size));
    axis.title = { ...own.title, text, font: { size: SMALL.title } };
  }
  if (own?.ticktext && name === "y") {
    return { ...axis, ticktext: own.ticktext.map((text) => text.split("<br>").map((line) => wrapped(line, 13)).join("<br>")) };
  }
  if (own?.type !== "category") return axis;
  if (name === "x") {
    if (!own.tickangle) return axis;
    const names = Math.max(...data.map((trace) => trace.x?.length ?? 0));
    return { ...axis, tickangle: -90, ...(own.dtick && { dtick: Math.ceil(names * (SMALL.size - 1) / room) }) };
  }
  // Violins have their names instead of places.
  const names = [...new Set(data.flatMap((trace) => trace.y ?? [trace.name]))];
  return { ...axis, tickmode: "array", tickvals: names, ticktext: names.map((text) => wrapped(text, 18)) };
}

/** Matrices with the numbers in their cells at the first of the sizes that fits, else without. */
function cellsWritten(data, room, sizes) {
  return data.map((trace) => {
    if (!trace.z?.length || !trace.text) return trace;
    const cell = room / trace.z[0].length;
    // A digit is half as wide as high, a point a quarter.
    const wide = (text) => String(text).replaceAll(".", "").length / 2 + String(text).split(".").length / 4;
    const longest = Math.max(0, ...trace.text.flat().map(wide));
    const size = sizes.find((points) => longest * points <= cell);
    return size ? { ...trace, textfont: { size } } : { ...trace, texttemplate: "" };
  });
}

/** A line of many points, its markers small enough to stand apart on a phone. */
function thinned(trace) {
  const many = trace.mode === "lines+markers" && trace.x.length > 12 && !Array.isArray(trace.marker?.size);
  return many ? { ...trace, marker: { ...trace.marker, size: 4 } } : trace;
}

/** A figure beside which there is room for the names of its axis. */
function onDesk({ data, layout }, width) {
  return { data: cellsWritten(data, width - layout.margin.l - layout.margin.r, [12, 11, 10]), layout };
}

/** A figure on a phone: small type, names in several lines or upright, numbers of cells where they fit. */
function onPhone({ data, layout }, width, square) {
  const { l, r, t, b } = layout.margin;
  const named = (axis) => layout[axis]?.type === "category";
  // Others lie on axes of their own: keys, histograms beside points.
  const main = data.filter((trace) => !trace.xaxis && !trace.yaxis);
  return {
    data: cellsWritten(data, width - 100, [10, 9]).map(thinned),
    layout: {
      ...layout,
      height: square ? Math.min(layout.height, width + 40) : layout.height,
      annotations: layout.annotations?.map((note) => ({ ...note, font: { size: SMALL.size + 1 } })),
      // What the names of an axis need beyond that, Plotly adds.
      margin: { l: named("yaxis") ? 8 : l, r, t, b: named("xaxis") ? 8 : b },
      xaxis: axisOnPhone(layout.xaxis, main, "x", width - r - Math.max(l, 100)),
      yaxis: axisOnPhone(layout.yaxis, main, "y", layout.height - 90),
    },
  };
}

/** A figure in the colours of the style sheet. */
export function themed({ data, layout }) {
  const palette = colours();
  const { ink, soft, rule, raised, sans } = palette;
  const axes = Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
  const axis = (own) => ({
    ...own, gridcolor: rule, linecolor: soft, tickcolor: rule, zerolinecolor: rule, automargin: true,
  });
  return {
    data: data.map((trace) => coloured(trace, palette)),
    layout: {
      ...layout,
      paper_bgcolor: "transparent",
      plot_bgcolor: "transparent",
      font: { family: sans, size: 12, color: soft },
      hoverlabel: { bgcolor: raised, bordercolor: soft, font: { family: sans, color: ink } },
      ...Object.fromEntries(["xaxis", "yaxis", ...axes].map((name) => [name, axis(layout[name])])),
      shapes: (layout.shapes ?? []).map((shape) => ({ ...shape, line: { color: ink, width: 1.5, dash: "dot", ...shape.line } })),
      annotations: (layout.annotations ?? []).map(({ tone, ...note }) => ({
        ...note, font: { color: ink, size: 12, ...note.font }, arrowcolor: toneOf({ tone }, palette),
      })),
    },
  };
}

let loading;

/** Plotly, which is large: loaded once, when the first figure needs it. */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.getElementById("plotly.js-style-global").dataset.script;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error("Plotly could not be loaded")));
    document.head.append(script);
  });
  return loading;
}

/** Call back once, when an element comes near what is seen of the page, or the page is printed. */
function whenSeen(element, callback) {
  const once = () => {
    observer.disconnect();
    window.removeEventListener("beforeprint", once);
    callback();
  };
  const observer = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && once(),
    { rootMargin: NEAR },
  );
  observer.observe(element);
  window.addEventListener("beforeprint", once);
}

/** Without Plotly a figure is its table. */
function standIn(element) {
  element.hidden = true;
  element.closest("figure").querySelector(".plot__table")?.setAttribute("open", "");
}

export function connect(element) {
  const source = document.getElementById(element.dataset.plotFigure);
  if (!source) return;
  const square = Boolean(element.closest(".plot--square"));
  let figure = JSON.parse(source.textContent);
  let seen = false;
  let drawn = false;
  const draw = async () => {
    const note = element.parentElement.querySelector(".plot__missing");
    if (note) {
      note.textContent = figure.missing;
      note.hidden = !figure.missing;
      element.hidden = Boolean(figure.missing);
    }
    if (figure.missing || !seen) return;
    try {
      await plotly();
    } catch {
      standIn(element);
      return;
    }
    const { data, layout } = themed((PHONE.matches ? onPhone : onDesk)(figure, element.clientWidth, square));
    await window.Plotly.react(element, data, layout, CONFIG);
    if (!drawn) openLinks(element, () => figure);
    drawn = true;
  };
  // The room that it will take: nothing moves when it is drawn.
  const { height } = figure.layout;
  element.style.minHeight = `${square && PHONE.matches ? Math.min(height, element.clientWidth + 40) : height}px`;
  whenSeen(element.closest("figure"), () => {
    seen = true;
    draw();
  });
  if ("plotLive" in element.dataset) {
    let shown = source.textContent;
    document.addEventListener("htmx:afterSettle", () => {
      const told = document.getElementById(element.dataset.plotFigure)?.textContent;
      if (!told || told === shown) return;
      shown = told;
      figure = JSON.parse(told);
      draw();
    });
  }
  for (const query of [PHONE, window.matchMedia("(prefers-color-scheme: dark)")]) {
    query.addEventListener("change", draw);
  }
}

/** A point of the first trace opens its own address, where there are any. */
function openLinks(element, shown) {
  if (!shown().links?.length) return;
  element.classList.add("plot__area--links");
  element.on("plotly_click", ({ points: [point] }) => {
    const { data, links } = shown();
    // A cell of a heatmap is numbered by row and column; its link stands row by row.
    const columns = data[0].z?.[0].length;
    const at = [point.pointNumber].flat().reduce((before, number) => before * columns + number);
    const address = point.curveNumber === 0 && links[at];
    if (address) window.location.assign(address);
  });
}
