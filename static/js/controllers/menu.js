/**
 * Close an open <details> menu by Escape, by a click elsewhere, or when focus leaves it.
 *
 * Usage: <details class="menu" data-controller="menu"><summary>Name</summary>...</details>
 */
export function connect(details) {
  const close = () => { details.open = false; };
  document.addEventListener("click", (event) => {
    if (!details.contains(event.target)) close();
  });
  details.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !details.contains(event.relatedTarget)) close();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    close();
    details.querySelector("summary").focus();
  });
}
