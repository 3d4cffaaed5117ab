/**
 * The page of judging pairs: two captions, each a button, and a third for both alike.
 *
 * A choice is accepted at once where it can be, so that a pair takes one press.
 */
import { FormView } from "../../forms/form-view.js";
import { whenHeard } from "../../forms/heard-sound.js";
import { sidesOf } from "./judged.js";

const SIDES = ["first", "second", "alike"];

export class JudgeView extends FormView {
  constructor(root, session, { objection, saidOf }) {
    super(root, session);
    Object.assign(this, { objection, saidOf });
    this.buttons = Object.fromEntries(SIDES.map((side) => [side, this.place.querySelector(`[data-do="${side}"]`)]));
    this.texts = ["first-text", "second-text"].map(this.part);
    const choosing = SIDES.map((side) => [side, { run: () => this.#choose(side) }]);
    this.actions = Object.fromEntries(choosing);
    this.actions.left = this.actions.first;
    this.actions.right = this.actions.second;
    whenHeard(session.player.audio, () => this.#heard());
  }

  show(work) {
    super.show(work);
    const sides = sidesOf(work.task);
    this.texts.forEach((place, at) => { place.textContent = work.task.content.captions[at].text; });
    SIDES.forEach((side) => {
      this.buttons[side].setAttribute("aria-pressed", String(sides[work.value.choice] === side));
    });
  }

  clear() {
    super.clear();
    this.texts.forEach((place) => { place.textContent = ""; });
  }

  #choose(side) {
    const { work, session } = this;
    if (!work) return;
    const sides = sidesOf(work.task);
    const choice = Object.keys(sides).find((key) => sides[key] === side);
    if (work.value.choice !== choice) work.choose("choice", choice);
    const why = this.objection(work);
    if (why) session.editor.edited(this.saidOf(work.task, choice), why);
    else session.answers.answer("accept");
  }

  #heard() {
    const { work } = this;
    if (!work || work.heard) return;
    work.hear();
    this.session.editor.edited(work.value.choice ? "Heard to its end. Accept what you chose." : "Heard to its end.");
  }
}
