/**
 * Rating captions: each caption of a sound gets two numbers, without knowing who wrote it.
 *
 * A task has `content.captions`, {key, text} in the order in which they are shown.
 */
import { formDifferences, readFormDraft, sentOfForm } from "../../forms/form-work.js";
import { heardSentence, soundObjection } from "../../forms/heard-form.js";
import { NUMBERS, Rated, SCALES } from "./rated.js";
import { RateView } from "./view.js";

const numbersOf = (rating = {}) => SCALES.map((scale) => `${scale} ${rating[scale] ?? "not rated"}`).join(", ");

const sentencesOf = ({ content }) => [
  ...content.captions.map(({ key, text }) => ({ ratings }) => `\u201c${text}\u201d: ${numbersOf(ratings[key])}`),
  heardSentence,
];

export function kindOf() {
  return {
    Work: Rated,
    terms: { task: "sound", tasks: "sounds", act: "rate", done: "rated" },
    // Digits alone: the group has no list on the sheet of keys, which says what they do.
    keys: { choices: NUMBERS.map((number) => ({ id: `rate-${number}`, group: "digits", key: "", title: `Rate ${number}` })) },
    titleOf: ({ text }) => text,
    readDraft: readFormDraft,
    sentOf: sentOfForm,
    differences: (task, ours, theirs) => formDifferences(task, ours, theirs, sentencesOf(task)),
    objection: (work) => soundObjection(work) || missingText(work.missing),
    connect: (root, session) => new RateView(root, session),
  };
}

const missingText = (count) => (
  count ? `Rate every caption: ${count} ${count === 1 ? "rating is" : "ratings are"} missing.` : ""
);
