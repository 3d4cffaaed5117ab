/**
 * Show what the server answers to a form below it, even where it refuses.
 *
 * Usage: <form hx-post="..." hx-target="#ID" hx-swap="outerHTML" data-controller="answer-form"
 *        data-answer="ID"> ... </form> <div id="ID"></div>
 * The answer may name the fields that it refuses: data-invalid="caption references", or ask to
 * be asked again in some seconds, since others come first: data-again="5".
 * While it is under way the old answer is marked busy.
 */
const UNREACHABLE = "The server could not be reached. What you typed is still here; try again.";
const FAILED = "The server could not answer this. What you typed is still here; try again.";
const WAITING = "Captions of others come first. Yours is sent again automatically.";
const MOST_TRIES = 12;

export function connect(form) {
  let tries = 0;
  let timer;
  const answer = () => document.getElementById(form.dataset.answer);
  const fields = () => form.querySelectorAll("input:not([type=hidden]), textarea");

  const mark = () => {
    const wrong = (answer().dataset.invalid ?? "").split(/\s+/);
    fields().forEach((field) => {
      if (wrong.includes(field.name)) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    });
    // What a page without JavaScript says beside its fields the new answer says itself.
    form.querySelectorAll(".errorlist").forEach((list) => list.remove());
  };
  const say = (text) => {
    const line = document.createElement("p");
    line.className = "notice notice--warning";
    line.setAttribute("role", "alert");
    line.textContent = text;
    answer().replaceChildren(line);
  };

  const sendAgain = () => {
    const seconds = Number(answer().dataset.again);
    tries = seconds ? tries + 1 : 0;
    if (!seconds || tries > MOST_TRIES) return;
    say(WAITING);
    timer = setTimeout(() => form.requestSubmit(), 1000 * seconds);
  };

  form.addEventListener("htmx:beforeRequest", () => {
    clearTimeout(timer);
    answer().setAttribute("aria-busy", "true");
  });
  form.addEventListener("htmx:afterRequest", () => answer().removeAttribute("aria-busy"));
  form.addEventListener("htmx:sendError", () => say(UNREACHABLE));
  // Of what htmx does with an answer only the place that it goes to hears.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt, requestConfig, xhr } = event.detail;
    if (requestConfig?.elt !== form && elt !== form) return;
    if (xhr.status < 400) return;
    if (xhr.status === 403 || xhr.status === 500) say(FAILED);
    else { event.detail.shouldSwap = true; event.detail.isError = false; }
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig?.elt !== form) return;
    mark();
    sendAgain();
  });
}
