/**
 * Work whose answer is a form: `value`, a JSON object with a key for each field.
 *
 * Undo goes by steps. What is chosen is a step; typing joins the step before until another word
 * begins, hands pause, or they do something else in between.
 */
import { Work } from "../work.js";

// In milliseconds: what is typed after a longer pause is another step.
const PAUSE = 1500;

export class FormWork extends Work {
  /** What was typed last, {field, act, isSpace, at}; null where what comes next is a step of its own. */
  #typed = null;

  /** The value with all fields of the kind, of one that the server or the journal has, or of {}. */
  static fieldsOf(stored) { return { ...stored }; }

  static contentOf(stored) {
    return { ...super.contentOf(stored), value: this.fieldsOf(stored.value ?? {}) };
  }

  static isSame(one, other) {
    return super.isSame(one, other) && sameValue(one.value, other.value);
  }

  get value() { return this.history.now.value; }

  content() { return { ...super.content(), value: this.value }; }

  /** Put something into a field, as a step of its own. */
  choose(field, said) {
    this.edit({ value: { ...this.history.now.value, [field]: said } });
  }

  /**
   * Someone typed: `text` is all that the field has now, `act` and `data` are the type and the data
   * of the input event, `at` its time in milliseconds.
   */
  type(field, text, { act = "", data = null, at }) {
    const value = { ...this.history.now.value, [field]: text };
    const typed = { field, act, isSpace: data !== null && !data.trim(), at };
    if (this.#goesOn(typed)) this.history.now = { ...this.history.now, value };
    else this.edit({ value });
    this.#typed = typed;
    this.hasDraft = true;
  }

  edit(change) {
    this.#typed = null;
    super.edit(change);
  }

  undo() {
    this.#typed = null;
    return super.undo();
  }

  redo() {
    this.#typed = null;
    return super.redo();
  }

  #goesOn({ field, act, isSpace, at }) {
    const before = this.#typed;
    if (before === null || before.field !== field || before.act !== act || at - before.at > PAUSE) return false;
    const isTyping = act === "insertText" || act === "insertCompositionText" || act.startsWith("deleteContent");
    return isTyping && !(before.isSpace && !isSpace);
  }
}

/** Tell whether two JSON values are the same, in whatever order their keys came. */
function sameValue(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length
    && keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]));
}

/** Drafts of a form as the journal has them: `readDraft` of its kind. */
export const readFormDraft = (record) => (
  record.task && record.value && typeof record.value === "object" ? record : null
);

/** What is sent of a form: `sentOf` of its kind. */
export const sentOfForm = ({ value }) => ({ spans: [], value });

/** `differences` of a kind, by the sentences that tell its values apart: each of `sentences` makes one of a value. */
export function formDifferences(task, ours, theirs, sentences) {
  const pairs = sentences.map((sentence) => [sentence(ours.value), sentence(theirs.value)])
    .filter(([one, other]) => one !== other);
  return {
    shown: [task.text],
    count: pairs.length,
    alike: "",
    ours: pairs.map(([one]) => one),
    theirs: pairs.map(([, other]) => other),
  };
}
