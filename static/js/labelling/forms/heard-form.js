/**
 * A form that is answered by who has heard all of a sound: the work, and its view.
 *
 * That a sound was heard is no step of undo: nobody unhears it.
 */
import { FormView } from "./form-view.js";
import { FormWork } from "./form-work.js";
import { whenHeard } from "./heard-sound.js";

export const HEAR_FIRST = "Hear the sound to its end first.";

/** What tells apart in words whether a sound was heard, for `formDifferences`. */
export const heardSentence = ({ heard }) => (heard ? "Heard to its end" : "Not heard to its end");

/** Say why a task cannot be accepted yet as far as its sound goes, "" where nothing is in the way. */
export function soundObjection({ task, value }) {
  if (!task.meta.audio) return "This sound is not there. Reject or skip it.";
  return value.heard ? "" : HEAR_FIRST;
}

export class HeardWork extends FormWork {
  constructor(task, kept = null) {
    super(task, kept);
    this.heard = super.value.heard;
  }

  get value() { return { ...super.value, heard: this.heard }; }

  hear() {
    this.heard = true;
    this.hasDraft = true;
  }
}

export class HeardView extends FormView {
  constructor(root, session) {
    super(root, session);
    whenHeard(session.player.audio, () => this.#heard());
  }

  #heard() {
    if (!this.work || this.work.heard) return;
    this.work.hear();
    this.session.editor.edited("Heard to its end.");
  }
}
