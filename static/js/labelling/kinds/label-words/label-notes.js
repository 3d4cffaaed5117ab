/**
 * What the label in focus is for: its definition and examples, as the project's inventory has them.
 *
 * The label that the pointer or the focus is on goes first, then the one that hands came to in the
 * caption. All notes come with the page. On wide screens they are open from the start.
 */
const WIDE = "(min-width: 60rem)";

export class LabelNotes {
  #pointed = null;
  #reached = "";

  constructor(root) {
    const panel = root.querySelector("[data-part=label-notes]");
    const bar = root.querySelector("[data-part=labels]");
    this.notes = new Map([...panel.querySelectorAll("[data-note]")].map((note) => [note.dataset.note, note]));
    const wide = window.matchMedia(WIDE);
    panel.open = wide.matches;
    wide.addEventListener("change", () => { panel.open = wide.matches; });
    const point = ({ target }) => this.#point(target.closest("[data-label]")?.dataset.label);
    bar.addEventListener("pointerover", point);
    bar.addEventListener("focusin", point);
    ["pointerleave", "focusout"].forEach((event) => bar.addEventListener(event, () => this.#point()));
  }

  /** Hands came to a label in the caption; without one the latest stays. */
  show(name) {
    if (this.notes.has(name) && name) this.#reached = name;
    this.#write();
  }

  #point(name) {
    // "No label" has nothing to be read.
    this.#pointed = name || null;
    this.#write();
  }

  #write() {
    const shown = this.#pointed ?? this.#reached;
    this.notes.forEach((note, name) => { note.hidden = name !== shown; });
  }
}
