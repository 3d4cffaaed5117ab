/**
 * Copy a text to the clipboard and say so on the button.
 *
 * Usage: <span class="copy"><code>text</code>
 *        <button type="button" data-controller="copy" hidden>Copy</button></span>
 * The text is that of the sibling <code>, or of the element that data-copy-from names
 * by its id. The button is hidden in the markup and shown where copying works.
 */
export function connect(button) {
  if (!navigator.clipboard) return;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { copyFrom } = button.dataset;
    const source = copyFrom
      ? document.getElementById(copyFrom)
      : button.parentElement.querySelector("code");
    await navigator.clipboard.writeText((source.value ?? source.textContent).trim());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
}
