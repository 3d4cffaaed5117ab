/**
 * Undo and redo over snapshots.
 *
 * A snapshot is never changed once it is here, so keeping one is keeping a reference.
 */
// What the journal keeps of them; a caption seldom has more changes.
const KEPT = 100;

export class History {
  #past = [];
  #future = [];

  constructor(now, { past = [], future = [] } = {}) {
    this.now = now;
    this.#past = past;
    this.#future = future;
  }

  /** Give what a later history can go on from. */
  get steps() {
    return { past: this.#past.slice(-KEPT), future: this.#future.slice(-KEPT) };
  }

  get canUndo() { return this.#past.length > 0; }

  get canRedo() { return this.#future.length > 0; }

  /** Make `next` the present; what was undone before can no longer be redone. */
  edit(next) {
    this.#past.push(this.now);
    this.#future = [];
    this.now = next;
  }

  undo() {
    if (!this.canUndo) return false;
    this.#future.push(this.now);
    this.now = this.#past.pop();
    return true;
  }

  redo() {
    if (!this.canRedo) return false;
    this.#past.push(this.now);
    this.now = this.#future.pop();
    return true;
  }
}
