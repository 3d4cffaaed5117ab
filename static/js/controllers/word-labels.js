/**
 * Show "New span" only at words where one can: the word before has the same label.
 *
 * Usage: <fieldset data-controller="word-labels"> with a select for each word, named word-N, whose
 *        first option is no label, and a checkbox begins-N in a label.
 */
export function connect(element) {
  const selects = [...element.querySelectorAll("select")];
  const show = () => selects.forEach((select, word) => {
    const box = element.querySelector(`[name="begins-${word}"]`);
    if (!box) return;
    box.closest("label").hidden = !select.selectedIndex || select.value !== selects[word - 1].value;
  });
  element.addEventListener("change", show);
  show();
}
