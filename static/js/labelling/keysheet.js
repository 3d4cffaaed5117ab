/**
 * The sheet of all keys, on which they are changed.
 */
import { letterOf, shownKey } from "./keys.js";

export class KeySheet {
  #waiting = null;

  /** `changed()` is called after every change. */
  constructor(root, keys, changed) {
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.dialog = this.part("keys");
    this.list = this.part("key-list");
    this.keys = keys;
    this.changed = changed;
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.#await(button.dataset.id);
    });
    this.dialog.addEventListener("keydown", (event) => this.#pressed(event));
    this.dialog.addEventListener("close", () => { this.#waiting = null; });
  }

  open() {
    this.#say("");
    this.#write();
    this.dialog.showModal();
  }

  reset() {
    this.keys.reset();
    this.#done("All keys are those of the scheme again.");
  }

  #await(id) {
    this.#waiting = id;
    this.#write();
    this.#say(`Press the new key for ${this.#row(id).title}. Escape leaves it as it is.`);
  }

  #pressed(event) {
    if (!this.#waiting || ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const id = this.#waiting;
    const key = event.key === "Escape" ? null : letterOf(event);
    this.#waiting = null;
    if (event.key === "Escape") {
      this.#done("Nothing was changed.", id);
    } else if (!key || /\d/.test(key)) {
      this.#done("Digits belong to the labels in their order, and capitals cannot be used. Nothing was changed.", id);
    } else {
      this.keys.change(id, key);
      this.#done(`${this.#row(id).title}: ${shownKey(key)}`, id);
    }
  }

  #row(id) { return this.keys.list().find((row) => row.id === id); }

  #done(text, id = null) {
    this.changed();
    this.#write();
    this.#say(text);
    if (id) this.list.querySelector(`[data-id="${CSS.escape(id)}"]`)?.focus();
  }

  #say(text) { this.part("key-said").textContent = text; }

  #write() {
    this.list.replaceChildren(...this.keys.list().map(({ id, key, title }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sheet__key";
      button.dataset.id = id;
      const cap = document.createElement("kbd");
      cap.textContent = this.#waiting === id ? "…" : shownKey(key) || "none";
      const name = document.createElement("span");
      name.textContent = title;
      button.append(cap, name);
      const line = document.createElement("li");
      line.append(button);
      return line;
    }));
    if (this.#waiting) this.list.querySelector(`[data-id="${CSS.escape(this.#waiting)}"]`)?.focus();
  }
}
