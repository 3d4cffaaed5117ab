/**
 * Let a file be dropped on a field, and show how its check goes.
 *
 * Usage: <div class="file-drop" data-controller="file-drop" data-report="ID" data-max-bytes="N">
 *          <input type="file" hx-post="..." hx-target="#ID" hx-trigger="change"> </div>
 * htmx sends the chosen file; this refuses what is too large before it is sent, says that
 * the check is under way, and shows what the server answers even where it refuses the file.
 * [data-file-drop-hint] inside is shown, since only with JavaScript does dropping work.
 */
const UNREACHABLE = "The file could not be checked just now. It is checked again when you submit.";

export function connect(zone) {
  const input = zone.querySelector("input[type=file]");
  const report = document.getElementById(zone.dataset.report);
  const limit = Number(zone.dataset.maxBytes);
  zone.querySelectorAll("[data-file-drop-hint]").forEach((hint) => { hint.hidden = false; });

  const say = (text, kind) => {
    const line = document.createElement("p");
    line.className = `notice notice--${kind}`;
    line.textContent = text;
    report.replaceChildren(line);
  };
  const over = (state) => (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.toggle("is-over", state);
  };

  // A file that misses the field would otherwise replace the page and all that was typed.
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => event.preventDefault());

  zone.addEventListener("dragenter", over(true));
  zone.addEventListener("dragover", over(true));
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) over(false)(event);
  });
  zone.addEventListener("drop", (event) => {
    over(false)(event);
    if (!event.dataTransfer.files.length) return;
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    input.files = one.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });

  input.addEventListener("htmx:beforeRequest", (event) => {
    const file = input.files[0];
    if (!file) {
      event.preventDefault();
      report.replaceChildren();
    } else if (file.size > limit) {
      event.preventDefault();
      say(`${file.name} is larger than the limit of ${limit / 1e6} MB.`, "error");
    } else {
      say(`Checking ${file.name}`, "info");
      report.setAttribute("aria-busy", "true");
    }
  });
  input.addEventListener("htmx:afterRequest", () => report.removeAttribute("aria-busy"));
  input.addEventListener("htmx:sendError", () => say(UNREACHABLE, "warning"));
  report.addEventListener("htmx:beforeSwap", (event) => {
    const { status } = event.detail.xhr;
    if (status < 400) return;
    if (status >= 500) say(UNREACHABLE, "warning");
    else if (status === 429) say(event.detail.xhr.responseText, "warning");
    else event.detail.shouldSwap = true;
  });

  // A file chosen before htmx listened (a slow line), or kept by the browser over a reload.
  const checkEarlyChoice = () => {
    if (!input.files.length || report.childElementCount) return;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  if (document.readyState === "complete") checkEarlyChoice();
  else window.addEventListener("load", checkEarlyChoice, { once: true });
}
