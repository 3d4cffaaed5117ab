/**
 * A form as the view of a kind of work: text fields inside the part "work", named by data-field.
 *
 * What is typed is on the screen and in the journal at once. A field with data-one-line has no line ends.
 */
export class FormView {
  #work = null;

  constructor(root, session) {
    this.session = session;
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.place = this.part("work");
    this.fields = [...this.place.querySelectorAll("[data-field]")];
    this.place.addEventListener("input", (event) => this.#typed(event));
    this.place.addEventListener("beforeinput", (event) => this.#asked(event));
  }

  actions = {};

  /** The work that is shown, null where none is. */
  get work() { return this.#work; }

  show(work) {
    this.#work = work;
    this.fields.forEach((field) => this.#fill(field, work.value[field.dataset.field]));
  }

  shows(work) { return this.#work === work; }

  clear() {
    this.#work = null;
    this.fields.forEach((field) => this.#fill(field, ""));
  }

  /** Only what differs is written, so that the caret stays where it is. */
  #fill(field, text) {
    if (field.value !== text) field.value = text;
  }

  #typed({ target, inputType: act, data, timeStamp: at }) {
    const { field: name, oneLine } = target.dataset;
    if (!name || !this.#work) return;
    const text = oneLine === undefined ? target.value : target.value.replace(/\s*[\r\n]+\s*/g, " ");
    this.session.acts += 1;
    this.#work.type(name, text, { act, data, at });
    this.session.editor.edited();
  }

  /** The browser's own undo, as a menu has it, knows only what was typed. */
  #asked(event) {
    const name = { historyUndo: "undo", historyRedo: "redo" }[event.inputType];
    if (!name) return;
    event.preventDefault();
    this.session.act(name, { isTyping: true });
  }
}
