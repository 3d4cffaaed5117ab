/**
 * A choice between two captions of a sound, and whether all of the sound was heard.
 *
 * The choice is the key of a caption, whatever the order in which the two are shown, or "alike".
 */
import { HeardWork } from "../../forms/heard-form.js";

export class Judged extends HeardWork {
  static fieldsOf({ choice = "", heard = false }) { return { choice, heard }; }
}

/** The sides of a pair as hands know them, by what is chosen there: {a: "first", b: "second", alike: "alike"}. */
export function sidesOf({ content }) {
  const [first, second] = content.captions;
  return { [first.key]: "first", [second.key]: "second", alike: "alike" };
}
