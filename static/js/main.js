/**
 * Start the behaviours that the markup declares.
 *
 * Usage: <button data-controller="copy">. Each name in data-controller is a file
 * in controllers/ that exports `connect(element)`. Elements that htmx brings in
 * are started too. Pages work without any of it where that is possible.
 */

const NAME = /^[a-z][a-z-]*$/;
const started = new WeakSet();

async function start(element) {
  if (started.has(element)) return;
  started.add(element);
  for (const name of element.dataset.controller.split(/\s+/)) {
    if (!NAME.test(name)) continue;
    const { connect } = await import(`./controllers/${name}.js`);
    connect(element);
  }
}

function startWithin(root) {
  const elements = [...root.querySelectorAll("[data-controller]")];
  if (root.matches?.("[data-controller]")) elements.unshift(root);
  return Promise.all(elements.map(start));
}

/** A form that was refused says so in the title, and the keys go on at its first fault. */
function goToFault() {
  const fault = document.querySelector("main .errorlist");
  if (!fault) return;
  document.title = `Error: ${document.title}`;
  fault.closest("details")?.setAttribute("open", "");
  const field = fault.closest(".field")?.querySelector("input, select, textarea");
  if (!field) fault.tabIndex = -1;
  (field ?? fault).focus();
}

/** Done when all behaviours that the page came with have started: tests wait for that. */
export const ready = startWithin(document);
goToFault();
document.addEventListener("htmx:load", (event) => startWithin(event.detail.elt));
