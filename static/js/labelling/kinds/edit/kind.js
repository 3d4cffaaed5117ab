/**
 * Editing captions: what somebody wrote of a sound is corrected or rephrased, or accepted as it is.
 *
 * As writing captions (../write/kind.js), but for the caption that the work begins with.
 */
import { kindOf as kindOfWriting } from "../write/kind.js";
import { Edited } from "./edited.js";
import { EditView } from "./view.js";

export function kindOf(settings) {
  return {
    ...kindOfWriting(settings),
    Work: Edited,
    terms: { task: "caption", tasks: "captions", act: "edit", done: "edited" },
    keys: { commands: [{ id: "write", group: "answers", key: "w", title: "Edit the caption" }] },
    connect: (root, session) => new EditView(root, session, settings),
  };
}
