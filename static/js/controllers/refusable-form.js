/**
 * Show why a form that htmx sent was refused, on the page as it is: chosen files stay chosen.
 *
 * Usage: <form hx-post="..." hx-target="#ID" hx-select="#ID" data-controller="refusable-form"
 *        data-answer="ID"> <div id="ID"></div> ... </form>
 * Success leads on by HX-Redirect.
 */
const UNREACHABLE = "The server could not be reached. Nothing was submitted; all you entered is still here.";
const FAILED = "The server could not answer this. Check whether it was submitted before you try again.";
const REFUSED = new Set([409, 422]);

export function connect(form) {
  const say = (text) => {
    const line = document.createElement("p");
    line.className = "notice notice--warning";
    line.setAttribute("role", "alert");
    line.textContent = text;
    document.getElementById(form.dataset.answer).replaceChildren(line);
  };
  const isMine = ({ detail }) => detail.requestConfig?.elt === form;

  form.addEventListener("htmx:sendError", (event) => { if (isMine(event)) say(UNREACHABLE); });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (!isMine(event) || xhr.status < 400) return;
    if (REFUSED.has(xhr.status)) { event.detail.shouldSwap = true; event.detail.isError = false; }
    else say(xhr.status === 429 ? xhr.responseText : FAILED);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!isMine(event)) return;
    const fault = form.querySelector(".errorlist, .fault-table");
    (fault?.closest(".field")?.querySelector("input, select, textarea") ?? fault)?.scrollIntoView({ block: "center" });
    fault?.closest(".field")?.querySelector("input, select, textarea")?.focus();
  });
}
