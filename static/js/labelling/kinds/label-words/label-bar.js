/**
 * The labels as buttons with their keys; one of them may be armed for the pointer.
 *
 * Pressed with words selected, or by a key, a label goes to what the cursor is on; else it is armed (and disarmed), and
 * then each click or drag over words labels them. "No label" takes labels off in the same way.
 */
import { shownKey } from "../../keys.js";

export const NONE = "";

export class LabelBar {
  /** The label's name, NONE for taking labels off, or null: nothing is armed. */
  armed = null;

  constructor(bar, press) {
    this.buttons = [...bar.querySelectorAll("[data-label]")];
    bar.addEventListener("click", (event) => {
      const button = event.target.closest("[data-label]");
      if (button) press(event, button.dataset.label);
    });
  }

  toggle(name) {
    this.armed = this.armed === name ? null : name;
    this.buttons.forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.label === this.armed));
    });
  }

  /** Write the keys on the buttons. */
  showKeys(keys) {
    this.buttons.forEach((button) => {
      const { label } = button.dataset;
      const key = keys.keyOf(label === NONE ? "unlabel" : `label:${label}`);
      const cap = button.querySelector("kbd");
      cap.textContent = shownKey(key);
      cap.hidden = !key;
      if (key) button.setAttribute("aria-keyshortcuts", shownKey(key));
      else button.removeAttribute("aria-keyshortcuts");
    });
  }
}
