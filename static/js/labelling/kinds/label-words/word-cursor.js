/**
 * Where the hands are in the caption: the cursor goes from word to word and from line to line.
 */
import { nextContentWord } from "./words.js";

export class WordCursor {
  constructor(session, view) {
    Object.assign(this, { session, view });
  }

  get caption() { return this.session.work; }

  move(step, extend) {
    const { caption } = this;
    if (extend) caption.extendTo(caption.at + step);
    else caption.moveTo(caption.at + step);
    this.view.show(caption);
  }

  /** Go to another line of the caption. */
  moveLine(step, extend) {
    const word = this.view.words.above(this.caption.at, step);
    if (word !== null) this.move(word - this.caption.at, extend);
  }

  moveTo(word) {
    this.caption.moveTo(word);
    this.view.show(this.caption);
  }

  jump(step) {
    const { caption } = this;
    const found = nextContentWord(caption.words, caption.at + step, step);
    if (found >= 0) this.moveTo(found);
  }
}
