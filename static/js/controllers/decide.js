/**
 * Decide words in dispute by single keys; the form works without.
 *
 * Usage: <form data-controller="decide"> <fieldset data-decide-question>
 *        <input type="radio" data-key="a b"> ... <input type="radio" data-decide-other>
 *        <select><option data-key="w"> ... </select> <input type="checkbox" data-key="/"> </fieldset>
 *        ... <button type="submit">
 * Keys that do the same stand side by side with a space between. A key chooses in the question that
 * has the focus, else in the first that is not decided, and the focus goes to the next that is not
 * decided, at last to the button. With data-decide-every, where all is decided and any of it can be
 * corrected, it goes to the next question instead. The key of a box ticks it or not, and the focus stays.
 */
const TYPING = "select, textarea, input:not([type=radio], [type=checkbox])";

export function connect(form) {
  const questions = [...form.querySelectorAll("[data-decide-question]")];
  const submit = form.querySelector("[type=submit]");
  const other = (question) => question.querySelector("[data-decide-other]");
  const list = (question) => question.querySelector("select");
  const decided = (question) => {
    const chosen = question.querySelector("input:checked");
    return chosen !== null && (chosen !== other(question) || list(question).value !== "");
  };
  const current = () =>
    questions.find((question) => question.contains(document.activeElement)) ??
    questions.find((question) => !decided(question));

  const every = "decideEvery" in form.dataset;

  const goOn = (from) => {
    const at = questions.indexOf(from);
    const open = [...questions.slice(at + 1), ...questions.slice(0, at)].find((question) => !decided(question));
    const next = open ?? (every ? questions[at + 1] : undefined);
    const target = next ? next.querySelector("input") : submit;
    target.focus();
    (next ?? submit).scrollIntoView({ block: "nearest" });
  };

  const choose = (question, key) => {
    const found = [...question.querySelectorAll("[data-key]")]
      .find((one) => one.dataset.key.split(" ").includes(key));
    if (!found) return false;
    if (found.type === "checkbox") {
      found.click();
      return true;
    }
    if (found instanceof HTMLOptionElement) {
      list(question).value = found.value;
      other(question).checked = true;
    } else {
      found.checked = true;
    }
    goOn(question);
    return true;
  };

  form.addEventListener("change", ({ target }) => {
    const question = target.closest("[data-decide-question]");
    if (question && target === list(question) && target.value) other(question).checked = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPING)) return;
    const question = current();
    if (question && choose(question, event.key)) event.preventDefault();
    else if (event.key === "Enter" && event.target === document.body) form.requestSubmit();
  });
  // Where the page is opened the first question is at hand; who is elsewhere already stays there.
  if (document.activeElement !== document.body) return;
  const first = questions.find((question) => !decided(question)) ?? (every ? questions[0] : undefined);
  (first?.querySelector("input") ?? submit).focus({ preventScroll: true });
}
