/**
 * Writing captions: a sound, and nothing else, is described in a sentence of so many words.
 *
 * Of the settings it reads `limits`, {least, most} words, and `checks`: whether the server looks for findings.
 */
import { formDifferences, readFormDraft, sentOfForm } from "../../forms/form-work.js";
import { heardSentence, soundObjection } from "../../forms/heard-form.js";
import { countWords, wordsFault } from "../../forms/words.js";
import { WriteView } from "./view.js";
import { Written } from "./written.js";

const SENTENCES = [
  ({ text }) => (text ? `Caption: ${text}` : "No caption"),
  heardSentence,
];

export function kindOf({ limits, checks = false }) {
  return {
    Work: Written,
    terms: { task: "sound", tasks: "sounds", act: "describe", done: "described" },
    keys: { commands: [{ id: "write", group: "answers", key: "w", title: "Write the caption" }] },
    titleOf: ({ text }) => text,
    readDraft: readFormDraft,
    sentOf: sentOfForm,
    differences: (task, ours, theirs) => formDifferences(task, ours, theirs, SENTENCES),
    objection: (work) => soundObjection(work) || wordsFault(countWords(work.value.text), limits),
    connect: (root, session) => new WriteView(root, session, { limits, checks }),
  };
}
