/**
 * Judging pairs: which of two captions describes a sound better, or whether both do alike.
 *
 * Of the settings it reads `limits`, {with_sound}: whether only pairs with a sound can be judged.
 */
import { formDifferences, readFormDraft, sentOfForm } from "../../forms/form-work.js";
import { HEAR_FIRST, heardSentence } from "../../forms/heard-form.js";
import { Judged, sidesOf } from "./judged.js";
import { JudgeView } from "./view.js";

const SAID = { first: "The first is better", second: "The second is better", alike: "Both alike" };

export const saidOf = (task, choice) => SAID[sidesOf(task)[choice]] ?? "Nothing chosen";

export function kindOf({ limits }) {
  const kind = {
    Work: Judged,
    terms: { task: "pair", tasks: "pairs", act: "judge", done: "judged" },
    keys: {
      choices: [
        { id: "first", group: "choices", key: "j", title: "The first is better" },
        { id: "second", group: "choices", key: "l", title: "The second is better" },
        { id: "alike", group: "choices", key: "k", title: "Both are alike" },
      ],
    },
    titleOf: ({ position }) => `Pair ${position + 1}`,
    readDraft: readFormDraft,
    sentOf: sentOfForm,
    differences: (task, ours, theirs) => formDifferences(task, ours, theirs, [
      ({ choice }) => saidOf(task, choice),
      heardSentence,
    ]),
    objection({ task, value }) {
      if (!task.meta.audio && limits.with_sound) return "This pair has no sound, so it cannot be judged. Skip it.";
      if (task.meta.audio && !value.heard) return HEAR_FIRST;
      return value.choice ? "" : "Choose the better caption, or that both are alike.";
    },
    connect: (root, session) => new JudgeView(root, session, { objection: kind.objection, saidOf }),
  };
  return kind;
}
