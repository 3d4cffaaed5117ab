/**
 * One caption under someone's hands: its labels, its cursor, its undo.
 *
 * `base` is the version that the server has (0: none) and `edits` the names of all changes
 * that were made here, so that the server's answer to one of them is known as our own.
 */
import { History } from "./history.js";
import { cleared, cutBy, labelled, readSpans, sameSpans, spanAt } from "./spans.js";
import {
  openSuggestions, readTaken, sameTaken, stillTaken, suggestionsOf, taking,
} from "./suggested.js";
import { nextContentWord } from "./words.js";

// In milliseconds and in seconds: a longer pause is no work, and no answer takes longer than a day.
const IDLE = 120_000;
const DAY = 86_400;

export class Caption {
  #since = null;
  #seconds = 0;
  /** A word of the span labelled last. */
  #touched = -1;

  /** `kept` is what the journal has of unfinished work on this caption. */
  constructor(task, kept = null) {
    this.task = task;
    this.id = task.id;
    this.words = task.tokens.map((token) => token.text);
    const stored = task.annotation;
    this.base = kept?.base ?? stored?.version ?? 0;
    this.edits = [...(kept?.edits ?? [])];
    // Which records of the journal this goes on from: {window: time}.
    this.over = kept?.tab ? { ...kept.over, [kept.tab]: kept.at } : {};
    this.answer = kept?.answer ?? stored?.answer ?? null;
    this.saved = stored ? contentOf(stored) : null;
    const from = kept ?? stored;
    this.comment = from?.comment ?? "";
    const now = {
      spans: readSpans(from?.spans ?? []),
      flagged: from?.flagged ?? false,
      taken: readTaken(from?.taken),
    };
    // With the steps comes where the cursor was at the latest change, so that it can be undone.
    this.history = new History({ ...kept?.cursors, ...now }, kept?.steps);
    this.hasDraft = Boolean(kept);
    this.canRedoAnswer = false;
    this.rest();
  }

  get spans() { return this.history.now.spans; }

  get flagged() { return this.history.now.flagged; }

  /** The spans that were taken from a suggestion and still stand. */
  get taken() { return this.history.now.taken ?? []; }

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
    this.#edit({ spans }, next < 0 ? last : next);
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
    this.#edit({ spans }, first);
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
    this.#edit({ spans, taken }, next < 0 ? last : next);
    this.#touched = last;
    return true;
  }

  cutBy(first, last) {
    return cutBy(this.spans, first, last);
  }

  flag() {
    this.#edit({ flagged: !this.flagged }, null);
  }

  undo() {
    const { before } = this.history.now;
    return this.history.undo() && this.#travelled(before);
  }

  redo() {
    return this.history.redo() && this.#travelled(this.history.now.after);
  }

  #travelled(cursor) {
    this.hasDraft = true;
    this.select(...cursor);
    return true;
  }

  /** Change the labels or the flag; the cursor goes to a word, or stays where it is. */
  #edit(change, word) {
    const before = [this.anchor, this.at];
    if (word !== null) this.moveTo(word);
    const { spans, taken } = { ...this.history.now, taken: this.taken, ...change };
    // With each change goes where the cursor was before it and after it, for undo and redo.
    this.history.edit({
      ...this.history.now,
      ...change,
      taken: stillTaken(taken, spans),
      before,
      after: [this.anchor, this.at],
    });
    this.hasDraft = true;
  }

  /** Give what would be sent. */
  content() {
    const { spans, flagged, comment, answer, taken } = this;
    return { spans, flagged, comment, answer, taken };
  }

  isSaved(answer) {
    return this.saved !== null && sameContent(this.saved, { ...this.content(), answer });
  }

  /** What was sent did not stay: only what the server has is saved. */
  forgetSaved() {
    const stored = this.task.annotation;
    this.saved = stored ? contentOf(stored) : null;
  }

  /** The caption is before someone, and was until now since the last tick; a long pause is not work. */
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

  #within(word) {
    return Math.max(0, Math.min(this.words.length - 1, word));
  }
}

export function contentOf({ spans, flagged, comment, answer, taken }) {
  return { spans: readSpans(spans), flagged, comment, answer, taken: readTaken(taken) };
}

function sameContent(one, other) {
  return one.answer === other.answer && one.flagged === other.flagged
    && one.comment === other.comment && sameSpans(one.spans, other.spans)
    && sameTaken(one.taken, other.taken);
}
