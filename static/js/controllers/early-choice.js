/**
 * Tell of choices that were made before htmx listened (a slow line, a busy machine), or that the
 * browser kept over a reload.
 *
 * Usage: <div id="data" data-controller="early-choice"> around the inputs on whose change
 *        something is loaded.
 */
const isChanged = (input) =>
  ["checkbox", "radio"].includes(input.type)
    ? input.checked !== input.defaultChecked
    : input.value !== input.defaultValue;

export function connect(element) {
  const tell = () => {
    if (![...element.querySelectorAll("input")].some(isChanged)) return;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };
  if (document.readyState === "complete") tell();
  else window.addEventListener("load", tell, { once: true });
}
