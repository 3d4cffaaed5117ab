/**
 * Work on a sound that is a form and also says whether all of the sound was heard.
 *
 * That it was heard is no step of undo: nobody unhears it.
 */
import { FormWork } from "./form-work.js";

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
