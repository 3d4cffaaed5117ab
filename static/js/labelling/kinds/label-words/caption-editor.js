/**
 * What hands change of the labels of the caption in hand.
 */
import { NONE } from "./label-bar.js";
import { spanAt } from "./spans.js";
import { sureness } from "./suggested.js";

export class CaptionEditor {
  constructor(session, view) {
    Object.assign(this, { session, view, words: view.words, screen: session.screen });
  }

  get caption() { return this.session.work; }

  get bar() { return this.view.bar; }

  /** A label's button was pressed: it goes to what is selected, by a key to what the cursor is on, or is armed. */
  press(name, isKey = false) {
    this.session.acts += 1;
    const { caption } = this;
    if (!caption?.isChosen && !(caption && isKey)) {
      this.bar.toggle(name);
      return;
    }
    if (name === NONE) this.unlabel();
    else this.label(name);
  }

  /** The pointer no longer labels. */
  disarm() {
    if (this.bar.armed !== null) this.bar.toggle(this.bar.armed);
  }

  /** The pointer let words go. */
  drop(first, last, dragged) {
    this.session.acts += 1;
    const { caption, bar: { armed } } = this;
    if (!caption) return;
    const own = caption.spanAt(first);
    const clicked = !dragged && own ? [own.token_start, own.token_end] : [first, last];
    if (armed === null) {
      // A click on a word of a suggestion selects all of it, to be taken or labelled.
      const offered = dragged ? null : spanAt(caption.suggestions(this.words.labels), first);
      caption.choose(...offered ? [offered.token_start, offered.token_end] : clicked);
    } else if (armed === NONE || (!dragged && own?.label === armed)) {
      this.unlabel(clicked);
    } else {
      this.label(armed, clicked);
    }
    this.session.show();
  }

  preview(first, last) {
    const { caption, bar: { armed } } = this;
    if (!caption) return;
    const own = first === last ? caption.spanAt(first) : null;
    const [from, to] = own ? [own.token_start, own.token_end] : [first, last];
    const label = armed === NONE || (armed !== null && own?.label === armed) ? null : armed;
    this.words.show(caption, { first: from, last: to, label: armed === null ? undefined : label });
    this.screen.hint(armed === null ? "" : this.#cutText(caption.cutBy(from, to)));
  }

  /** Put a label on what hands point at. */
  label(name, target) {
    const { caption } = this;
    const [first, last] = target ?? caption.target();
    const cut = caption.cutBy(first, last);
    caption.label(name, [first, last]);
    this.view.notes.show(name);
    this.#edited(`${caption.text(first, last)}: ${this.words.titleOf(name)}`, cut);
  }

  grow(step) {
    const { caption } = this;
    const grown = caption.grow(step);
    if (!grown) return;
    const { words, cut } = grown;
    this.#edited(`${caption.text(...words)}: ${this.words.titleOf(caption.spanAt(words[0]).label)}`, cut);
  }

  unlabel(target) {
    const { caption } = this;
    const [first, last] = target ?? caption.target();
    if (!caption.unlabel([first, last])) {
      this.screen.say("There is no label on this word.");
      return;
    }
    this.#edited(`${caption.text(first, last)}: no label`);
  }

  /** Take the suggestion under the cursor. */
  take() {
    const { caption, words: { labels } } = this;
    const chosen = caption.suggestions(labels).filter(({ token_start: first, token_end: last }) => (
      first <= caption.at && caption.at <= last
    ));
    this.#take(chosen, "There is no suggestion on this word.");
  }

  /** Take the strong suggestions; then select the next weak one, which nobody takes unseen. */
  takeAll() {
    const { caption, words } = this;
    const open = caption.suggestions(words.labels);
    const strong = open.filter((one) => !words.isWeak(one));
    const weak = open.filter((one) => words.isWeak(one));
    const next = (strong.length ? null : weak.find((one) => this.#isAhead(one))) ?? weak[0];
    if (strong.length || !next) this.#take(strong, "There is no suggestion left.", next);
    else {
      this.#select(next);
      this.session.show();
      this.screen.say(this.#weakText(next));
    }
  }

  /** Whether a suggestion stands at the cursor or after it, and is not the one that is selected. */
  #isAhead({ token_start: start, token_end: end }) {
    const { first, last, isChosen } = this.caption;
    return end >= first && !(isChosen && start === first && end === last);
  }

  #select({ token_start: first, token_end: last }) { this.caption.choose(first, last); }

  #weakText(one) {
    const words = this.caption.text(one.token_start, one.token_end);
    return `Weak suggestion. ${words}: ${this.words.titleOf(one.label)}, ${sureness(one)} sure`;
  }

  /** Take suggestions and go on to the `next` one, if there is one to go to. */
  #take(chosen, otherwise, next = null) {
    const { caption } = this;
    const taken = chosen.map(({ token_start: first, token_end: last, label }) => (
      `${caption.text(first, last)}: ${this.words.titleOf(label)}`
    ));
    if (!caption.take(chosen)) {
      this.screen.say(otherwise);
      return;
    }
    if (next) this.#select(next);
    this.#edited(["Taken", ...taken, ...next ? [this.#weakText(next)] : []].join(". "));
  }

  #edited(message, cut = []) { this.session.editor.edited(message, this.#cutText(cut)); }

  /** Say what is taken from other spans. */
  #cutText(cut) {
    return cut.map(({ label, words }) => (
      `Takes ${words} ${words === 1 ? "word" : "words"} from ${this.words.titleOf(label)}`
    )).join(". ");
  }
}
