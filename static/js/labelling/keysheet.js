/**
 * The sheet of all keys by what they are for, on which they are changed.
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
    this.single = this.part("single-keys");
    this.single.addEventListener("change", () => {
      keys.setSingle(this.single.checked);
      changed();
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
    this.#done("All keys are reset.");
  }

  #await(id) {
    this.#waiting = id;
    this.#write();
    this.#say(`Press the new key for ${this.#row(id).title}. Escape leaves it as it is.`);
  }

  #pressed(event) {
    if (!this.#waiting || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    if (event.key === "Tab") {
      // The browser moves the focus on from the row.
      this.#done("Nothing was changed.", this.#waiting);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const id = this.#waiting;
    const key = event.key === "Escape" ? null : letterOf(event);
    if (event.key === "Escape") {
      this.#done("Nothing was changed.", id);
    } else if (!key || /\d/.test(key)) {
      this.#done("Only a letter, a sign or space can be used; digits stay as they are. Nothing was changed.", id);
    } else {
      const loser = this.keys.list().find((row) => row.key === key && row.id !== id);
      this.keys.change(id, key);
      const changed = [id, loser?.id].filter(Boolean).map((one) => this.#row(one));
      this.#done(changed.map((row) => `${row.title}: ${shownKey(row.key) || "no key"}.`).join(" "), id);
    }
  }

  #row(id) { return this.keys.list().find((row) => row.id === id); }

  #done(text, id = null) {
    this.#waiting = null;
    this.changed();
    this.#write();
    this.#say(text);
    if (id) this.list.querySelector(`[data-id="${CSS.escape(id)}"]`)?.focus();
  }

  #say(text) { this.part("key-said").textContent = text; }

  #write() {
    const rows = this.keys.list();
    this.single.checked = this.keys.isSingle;
    this.list.querySelectorAll("[data-group]").forEach((list) => {
      const own = rows.filter(({ group }) => group === list.dataset.group);
      // Choices before what else is done with them.
      own.sort((one, other) => Number(Boolean(other.isChoice)) - Number(Boolean(one.isChoice)));
      list.replaceChildren(...this.#lines(own));
    });
    if (this.#waiting) this.list.querySelector(`[data-id="${CSS.escape(this.#waiting)}"]`)?.focus();
  }

  #lines(rows) {
    return rows.map(({ id, key, title }) => {
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
    });
  }
}
