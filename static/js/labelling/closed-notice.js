/**
 * What stands on the page of a closed project in place of the work: who closed it, when, and
 * what becomes of the work in hand.
 */
export const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });

const named = (count, one, many) => `${count} ${count === 1 ? one : many}`;

function whoAndWhen({ by, at }) {
  if (!at) return "";
  return `Closed ${by ? `by ${by} ` : ""}on ${moment.format(new Date(at))}.`;
}

/** Say in a sentence each what is kept where; unsent answers are those that have not arrived. */
export function keptWork({ terms, begun, unsent, uncounted, isLasting }) {
  const place = isLasting ? "in this browser" : "as long as this page is open";
  return [
    begun && `${named(begun, `${terms.task} that you began is`, `${terms.tasks} that you began are`)} kept ${place}.`,
    unsent && `${named(unsent, "answer is", "answers are")} not saved yet, and kept ${place}.`,
    uncounted && `${named(uncounted, "answer of yours is", "answers of yours are")} kept on the server and not counted.`,
  ].filter(Boolean);
}

export class ClosedNotice {
  constructor(root) {
    this.root = root;
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.panel = this.part("closed");
  }

  get isShown() { return !this.panel.hidden; }

  /** Put the notice in the place of the work. */
  show(closed, work) {
    const comes = !this.isShown;
    const { activeElement } = document;
    const hasHands = activeElement === document.body || this.root.contains(activeElement);
    this.panel.hidden = false;
    this.root.dataset.closed = "";
    this.#set("closed-by", whoAndWhen(closed));
    this.#set("closed-detail", closed.detail);
    this.#set("closed-work", keptWork(work).join(" "));
    // What the hands were on is gone; who is in a dialog stays there.
    if (comes && hasHands && !document.querySelector("dialog[open]")) {
      this.panel.focus({ preventScroll: true });
    }
  }

  hide() {
    this.panel.hidden = true;
    delete this.root.dataset.closed;
  }

  /** Only what changes is written: the rest is not read aloud again. */
  #set(name, text) {
    const place = this.part(name);
    if (place.textContent !== text) place.textContent = text;
    place.hidden = !text;
  }
}
