/**
 * One caption under someone's hands: its labels, its cursor.
 */
import { Work } from "../../work.js";
import { cleared, cutBy, labelled, readSpans, sameSpans, spanAt } from "./spans.js";
import {
  openSuggestions, readTaken, sameTaken, stillTaken, suggestionsOf, taking,
} from "./suggested.js";
import { nextContentWord } from "./words.js";

export class Caption extends Work {
  /** A word of the span labelled last. */
  #touched = -1;

  static contentOf(stored) {
    const { spans = [], taken } = stored;
    return { ...super.contentOf(stored), spans: readSpans(spans), taken: readTaken(taken) };
  }

  /** Which of the labels were suggested is nothing that versions differ in. */
  static isSame(one, other) {
    return super.isSame(one, other) && sameSpans(one.spans, other.spans);
  }

  constructor(task, kept = null) {
    super(task, kept);
    this.words = task.tokens.map((token) => token.text);
    // With the steps comes where the cursor was at the latest change, so that it can be undone.
    this.history.now = { ...kept?.cursors, ...this.history.now };
    this.rest();
  }

  get spans() { return this.history.now.spans; }

  /** The spans that were taken from a suggestion and still stand. */
  get taken() { return this.history.now.taken ?? []; }

  get undoSteps() {
    const { before, after } = this.history.now;
    return { ...super.undoSteps, cursors: { before, after } };
  }

  get first() { return Math.min(this.at, this.anchor); }

  get last() { return Math.max(this.at, this.anchor); }

  get isRun() { return this.at !== this.anchor; }

  spanAt(word) { return spanAt(this.spans, word); }

  text(first, last) { return this.words.slice(first, last + 1).join(" "); }

  /** Put the cursor on the first word that may still need a label. */
  rest() {
    const free = nextContentWord(this.words, 0, 1, (i) => spanAt(this.spans, i));
    this.moveTo(Math.max(0, free));
  }

  moveTo(word) {
    this.at = this.anchor = this.#within(word);
    this.isChosen = false;
  }

  extendTo(word) {
    this.at = this.#within(word);
    this.isChosen = true;
  }

  /** Select words on purpose: a label's button then goes to them. */
  choose(first, last) {
    this.select(first, last);
    this.isChosen = true;
  }

  select(first, last) {
    this.anchor = this.#within(first);
    this.at = this.#within(last);
  }

  /** Give the words that a label would go to: those selected, or the whole span that the cursor is in. */
  target() {
    const own = this.isRun ? null : spanAt(this.spans, this.at);
    return own ? [own.token_start, own.token_end] : [this.first, this.last];
  }

  /** Label the words first..last, and go on to the next word that may need a label. */
  label(name, [first, last] = this.target()) {
    if (!this.words.length) return;
    const spans = labelled(this.spans, first, last, name);
    const next = nextContentWord(this.words, last + 1, 1, (i) => spanAt(spans, i));
    this.edit({ spans }, next < 0 ? last : next);
    this.#touched = first;
  }

  /** Take one more word into the span that the cursor is in, else into the one labelled last. */
  grow(step) {
    const own = (this.isRun ? null : spanAt(this.spans, this.at)) ?? spanAt(this.spans, this.#touched);
    if (!own) return null;
    const first = own.token_start + Math.min(0, step);
    const last = own.token_end + Math.max(0, step);
    if (first < 0 || last >= this.words.length) return null;
    const taken = spanAt(this.spans, step < 0 ? first : last);
    this.label(own.label, [first, last]);
    return { words: [first, last], cut: taken ? [{ label: taken.label, words: 1 }] : [] };
  }

  unlabel([first, last] = this.target()) {
    const spans = cleared(this.spans, first, last);
    if (sameSpans(spans, this.spans)) return false;
    this.edit({ spans }, first);
    return true;
  }

  /** Give the suggestions among these labels that a person can still take. */
  suggestions(labels) {
    return openSuggestions(suggestionsOf(this.task, labels), this.spans);
  }

  /** Take suggestions, all in one step, and go on to the next word that may need a label. */
  take(chosen) {
    if (!chosen.length) return false;
    const { spans, taken } = taking(chosen, this.spans, this.taken);
    const last = chosen[chosen.length - 1].token_end;
    const isFree = (i) => spanAt(spans, i);
    // After one the cursor goes on from it, after all to the first word that is left.
    const from = chosen.length === 1 ? last + 1 : 0;
    const next = nextContentWord(this.words, from, 1, isFree);
    this.edit({ spans, taken }, next < 0 ? last : next);
    this.#touched = last;
    return true;
  }

  cutBy(first, last) {
    return cutBy(this.spans, first, last);
  }

  undo() {
    const { before } = this.history.now;
    return super.undo() && this.#returned(before);
  }

  redo() { return super.redo() && this.#returned(this.history.now.after); }

  /** Change the labels or the flag; the cursor goes to a word, or stays where it is. */
  edit(change, word = null) {
    const before = [this.anchor, this.at];
    if (word !== null) this.moveTo(word);
    const { spans, taken } = { ...this.history.now, taken: this.taken, ...change };
    // With each change goes where the cursor was before it and after it, for undo and redo.
    super.edit({ ...change, taken: stillTaken(taken, spans), before, after: [this.anchor, this.at] });
  }

  content() {
    const { spans, taken } = this;
    return { ...super.content(), spans, taken };
  }

  isSaved(answer) {
    return super.isSaved(answer) && sameTaken(this.saved.taken, this.taken);
  }

  #returned(cursor) {
    this.select(...cursor);
    return true;
  }

  #within(word) {
    return Math.max(0, Math.min(this.words.length - 1, word));
  }
}
