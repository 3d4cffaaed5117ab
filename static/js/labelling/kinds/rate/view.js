/**
 * The page of rating captions: a list of captions, each with a radio group for each scale.
 *
 * Digits rate where the cursor is and take it on: from accuracy to fluency, then to the next caption. Up and
 * down move it from caption to caption. Hands that are in the radios go along with it.
 */
import { HeardView } from "../../forms/heard-form.js";
import { ratedCaption } from "./rated-caption.js";
import { NUMBERS, SCALES } from "./rated.js";

export class RateView extends HeardView {
  #rows = [];
  #at = { caption: 0, scale: 0 };
  #shown = null;

  constructor(root, session) {
    super(root, session);
    this.list = this.part("captions");
    this.list.addEventListener("change", ({ target }) => this.#chosen(target));
    this.list.addEventListener("focusin", ({ target }) => this.#focused(target));
    this.actions = {
      up: { run: () => this.#move(-1), held: true },
      down: { run: () => this.#move(1), held: true },
      ...Object.fromEntries(NUMBERS.map((number) => [`rate-${number}`, { run: () => this.#rate(number) }])),
    };
  }

  show(work) {
    super.show(work);
    if (this.#shown !== work) this.#list(work);
    this.#rows.forEach((row) => row.show((scale) => work.ratingOf(row.key, scale)));
    this.#showCursor();
  }

  clear() {
    super.clear();
    this.#shown = null;
    this.#rows = [];
    this.list.replaceChildren();
  }

  #list(work) {
    const hadHands = this.list.contains(document.activeElement);
    this.#shown = work;
    this.#at = { caption: 0, scale: 0 };
    const count = work.captions.length;
    this.#rows = work.captions.map(({ key, text }, place) => ratedCaption({ key, text, place, count }));
    this.list.replaceChildren(...this.#rows.map(({ line }) => line));
    // The radios that hands were on are gone.
    if (hadHands) this.place.focus({ preventScroll: true });
  }

  #rate(number) {
    const { caption, scale } = this.#at;
    const hadHands = this.list.contains(document.activeElement);
    this.work.rate(this.#rows[caption].key, SCALES[scale], number);
    const isLast = scale === SCALES.length - 1;
    if (!isLast) this.#at = { caption, scale: scale + 1 };
    else if (caption < this.#rows.length - 1) this.#at = { caption: caption + 1, scale: 0 };
    this.session.editor.edited(`${this.#rows[caption].nameOf(SCALES[scale])} ${number}. ${this.#nextText(caption)}`);
    this.#follow(hadHands);
  }

  /** What is read out once the cursor has gone on from a caption. */
  #nextText(before) {
    const { caption, scale } = this.#at;
    if (caption !== before) return this.#rows[caption].spoken;
    return this.work.missing ? `${SCALES[scale]}.` : "All captions are rated.";
  }

  #move(by) {
    const hadHands = this.list.contains(document.activeElement);
    const caption = Math.max(0, Math.min(this.#rows.length - 1, this.#at.caption + by));
    this.#at = { caption, scale: 0 };
    this.#showCursor();
    const row = this.#rows[caption];
    if (hadHands) this.#follow(true);
    else this.session.screen.say(`${row.spoken} ${SCALES.map((scale) => `${scale} ${this.work.ratingOf(row.key, scale) ?? "not rated"}`).join(", ")}.`);
  }

  /** A radio was chosen by pointer, arrows or space: hands stay on it. */
  #chosen({ dataset: { key, scale }, value }) {
    if (!this.work || !key) return;
    this.session.acts += 1;
    this.work.rate(key, scale, Number(value));
    this.session.editor.edited();
  }

  #focused({ dataset: { key, scale } }) {
    const caption = this.#rows.findIndex((row) => row.key === key);
    if (caption < 0) return;
    this.#at = { caption, scale: SCALES.indexOf(scale) };
    this.#showCursor();
  }

  #showCursor() {
    this.#rows.forEach((row, place) => row.mark(place === this.#at.caption ? SCALES[this.#at.scale] : null));
  }

  #follow(hadHands) {
    const row = this.#rows[this.#at.caption];
    this.#showCursor();
    if (hadHands) row.focus(SCALES[this.#at.scale]);
    row.line.scrollIntoView({ block: "nearest" });
  }
}
