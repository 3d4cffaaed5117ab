/**
 * One task under someone's hands: what is said of it, its undo, its clock.
 *
 * Each kind of work derives its own from this and adds what its answer is. What is said is the
 * present of the history, but for the comment; a state of the history is never changed in place.
 * `base` is the version that the server has (0: none) and `edits` the names of all changes
 * that were made here, so that the server's answer to one of them is known as our own.
 */
import { History } from "./history.js";

// In milliseconds and in seconds: a longer pause is no work, and no answer takes longer than a day.
const IDLE = 120_000;
const DAY = 86_400;

export class Work {
  #since = null;
  #seconds = 0;

  /** What is said in an annotation of the server or a record of the journal; of neither: nothing yet. */
  static contentOf({ flagged = false, comment = "", answer = null }) {
    return { flagged, comment, answer };
  }

  /** Tell whether two contents say the same, whatever was answered. */
  static isSame(one, other) {
    return one.flagged === other.flagged && one.comment === other.comment;
  }

  /** `kept` is what the journal has of unfinished work on this task. */
  constructor(task, kept = null) {
    this.task = task;
    this.id = task.id;
    const stored = task.annotation;
    this.base = kept?.base ?? stored?.version ?? 0;
    this.edits = [...(kept?.edits ?? [])];
    // Which records of the journal this goes on from: {window: time}.
    this.over = kept?.tab ? { ...kept.over, [kept.tab]: kept.at } : {};
    this.answer = kept?.answer ?? stored?.answer ?? null;
    this.forgetSaved();
    const { comment, answer, ...said } = this.constructor.contentOf(kept ?? stored ?? {});
    this.comment = comment;
    this.history = new History(said, kept?.steps);
    this.hasDraft = Boolean(kept);
    this.canRedoAnswer = false;
  }

  /** Why the answer was sent back to its maker: {id, by, at, note}; null where it was not. */
  get sentBack() { return this.task.annotation?.sent_back ?? null; }

  /** Why a manager refused the answer: {id, by, at, note}; null where nobody did. */
  get refused() { return this.task.annotation?.refused ?? null; }

  get flagged() { return this.history.now.flagged; }

  /** What the journal keeps of unfinished work besides its content. */
  get undoSteps() { return { steps: this.history.steps }; }

  /** Give what would be sent. */
  content() {
    const { flagged, comment, answer } = this;
    return { flagged, comment, answer };
  }

  flag() {
    this.edit({ flagged: !this.flagged });
  }

  /** Change what is said, as a step that can be undone. */
  edit(change) {
    this.history.edit({ ...this.history.now, ...change });
    this.hasDraft = true;
  }

  undo() { return this.history.undo() && this.#changed(); }

  redo() { return this.history.redo() && this.#changed(); }

  isSaved(answer) {
    return this.saved !== null && this.saved.answer === answer
      && this.constructor.isSame(this.saved, this.content());
  }

  /** What was sent did not stay: only what the server has is saved. */
  forgetSaved() {
    const stored = this.task.annotation;
    this.saved = stored ? this.constructor.contentOf(stored) : null;
  }

  /** The task is before someone, and was until now since the last tick; a long pause is not work. */
  tick(now) {
    // A clock that was set back took no time.
    if (this.#since !== null) {
      this.#seconds += Math.max(0, Math.min(IDLE, now - this.#since)) / 1000;
    }
    this.#since = now;
  }

  pause(now) {
    this.tick(now);
    this.#since = null;
  }

  /** Give the seconds since the last answer and start from none. */
  takeSeconds(now) {
    this.pause(now);
    const spent = Math.min(DAY, this.#seconds);
    this.#seconds = 0;
    return Math.round(spent * 10) / 10;
  }

  #changed() {
    this.hasDraft = true;
    return true;
  }
}
