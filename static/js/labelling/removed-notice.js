/**
 * What stands above the work when tasks were removed from the project: which, by whom, when,
 * and what becomes of the work on them. It stays until it is closed.
 */
import { moment } from "./closed-notice.js";

export class RemovedNotice {
  constructor(root, kind, say) {
    Object.assign(this, { kind, say });
    this.panel = root.querySelector("[data-part=removed]");
    this.list = root.querySelector("[data-part=removed-text]");
  }

  /** Work that was at hand is not to be done any more. */
  unanswered(work, removed, isLasting) {
    const place = isLasting ? "in this browser" : "as long as this page is open";
    const begun = work.hasDraft ? ` What you began on it is kept ${place}.` : "";
    this.#tell(`${this.#which(work.task, removed)} You need not ${this.kind.terms.act} it.${begun}`);
  }

  /** An answer came when its task had been removed. */
  answered(task, removed) {
    this.#tell(`${this.#which(task, removed)} Your answer is kept and does not count.`);
  }

  close() {
    this.panel.hidden = true;
    this.list.replaceChildren();
  }

  #which(task, { by, at }) {
    const title = this.kind.titleOf(task);
    const named = title === task.text ? title : `${title}, \u201c${task.text}\u201d,`;
    const who = by ? ` by ${by}` : "";
    return `${named} was removed from the project${who} on ${moment.format(new Date(at))}.`;
  }

  #tell(text) {
    const line = document.createElement("p");
    line.textContent = text;
    this.list.append(line);
    this.panel.hidden = false;
    this.say(text);
  }
}
