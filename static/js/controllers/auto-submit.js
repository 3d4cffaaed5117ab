/**
 * Submit a form as soon as one of its fields changes; its own button is then not needed.
 *
 * Usage: <form method="get" data-controller="auto-submit"> <select ...>
 *        <button data-auto-submit-fallback>Show</button> </form>
 */
export function connect(form) {
  form.querySelectorAll("[data-auto-submit-fallback]").forEach((button) => { button.hidden = true; });
  form.addEventListener("change", () => form.requestSubmit());
}
