/**
 * The labels of a project as they change under an open page.
 *
 * A page goes on with the labels that it was opened with: what it sends names their version, and
 * the server reads it by that. It says that there are new ones; opened anew it has them, and
 * what was begun before comes along with the labels that its own have become.
 */
import { moment } from "../../closed-notice.js";

/** Relabel all spans anywhere in what the journal has; what has no label any more is left out. */
export function relabelled(value, labels) {
  if (Array.isArray(value)) return value.map((one) => relabelled(one, labels)).filter((one) => one !== null);
  if (!value || typeof value !== "object") return value;
  if ("label" in value && "token_start" in value) {
    const label = labels[value.label] ?? value.label;
    return label ? { ...value, label } : null;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, relabelled(one, labels)]),
  );
}

/** Give unfinished work by the labels of now; `earlier` has what became of those of each version. */
export function withLabelsOfNow(record, scheme, earlier) {
  const labels = earlier[record.scheme];
  return labels ? { ...relabelled(record, labels), scheme } : record;
}

export class LabelsNotice {
  constructor(root, scheme) {
    this.scheme = scheme;
    this.panel = root.querySelector("[data-part=new-labels]");
    this.text = root.querySelector("[data-part=new-labels-text]");
  }

  /** Tell once that the project has other labels than the page; give what is to be said aloud. */
  show({ scheme, by, at }, isLasting) {
    const isNew = scheme !== this.scheme;
    const comes = isNew && this.panel.hidden;
    this.panel.hidden = !isNew;
    if (!comes) return "";
    const who = by ? ` by ${by}` : "";
    const kept = isLasting
      ? "What you did is kept, and you can go on with either."
      : "This browser keeps nothing: answer the captions that you began first.";
    this.text.textContent = `The labels were changed${who} on ${moment.format(new Date(at))}. ${kept}`;
    return this.text.textContent;
  }
}
