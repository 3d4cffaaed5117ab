/**
 * A caption that someone writes for a sound, and whether they have heard all of it.
 *
 * That a sound was heard is no step of undo: nobody unhears it.
 */
import { FormWork } from "../../forms/form-work.js";

export class Written extends FormWork {
  static fieldsOf({ text = "", heard = false }) { return { text, heard }; }

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
