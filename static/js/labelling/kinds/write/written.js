/**
 * A caption that someone writes for a sound, and whether they have heard all of it.
 */
import { HeardWork } from "../../forms/heard-work.js";

export class Written extends HeardWork {
  static fieldsOf({ text = "", heard = false }) { return { text, heard }; }
}
