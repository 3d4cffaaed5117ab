/**
 * Labelling words: descriptors on the words of a caption, in spans.
 */
import { Caption } from "./caption.js";
import { labelDifferences } from "./differences.js";
import { labelKeys } from "./keys.js";
import { withLabelsOfNow } from "./labels-notice.js";
import { LabelWordsView } from "./view.js";

const isReadable = ({ task, spans }) => Array.isArray(task?.tokens) && Array.isArray(spans);

export function kindOf(settings) {
  const { labels, scheme, earlier } = settings;
  const titles = new Map(labels.map(({ name, title }) => [name, title]));
  const titleOf = (label) => titles.get(label) ?? label;
  return {
    Work: Caption,
    terms: { task: "caption", tasks: "captions", act: "label", done: "labelled" },
    keys: labelKeys(settings),
    titleOf: ({ position }) => `Caption ${position + 1}`,
    readDraft: (record) => (isReadable(record) ? withLabelsOfNow(record, scheme, earlier) : null),
    sentOf: ({ spans, taken }) => ({ spans, taken }),
    differences: (task, ours, theirs) => labelDifferences(task, ours, theirs, titleOf),
    connect: (root, session) => new LabelWordsView(root, session, settings),
  };
}
