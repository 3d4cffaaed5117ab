/**
 * Two versions of one caption, from two windows: show both, keep the one that is chosen.
 *
 * They are an answer that the server has otherwise, or unfinished work that two windows left.
 */
import { contentOf } from "./caption.js";
import { spanAt } from "./spans.js";

const ANSWERS = { accept: "Accepted", reject: "Rejected", ignore: "Skipped" };
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Write a caption with its labels as lines of text: "dog: Who". */
function summary(task, content, titleOf) {
  const list = document.createElement("ul");
  const words = task.tokens.map((token) => token.text);
  content.spans.forEach(({ token_start: first, token_end: last, label }) => {
    const line = document.createElement("li");
    line.textContent = `${words.slice(first, last + 1).join(" ")}: ${titleOf(label)}`;
    list.append(line);
  });
  const facts = document.createElement("p");
  const without = words.filter((_, i) => !spanAt(content.spans, i)).length;
  facts.textContent = [
    ANSWERS[content.answer], `${without} words without a label`,
    content.flagged ? "flagged" : "", content.comment ? `comment: ${content.comment}` : "",
  ].filter(Boolean).join(", ");
  return [list, facts];
}

export class ConflictResolution {
  /** What is shown: {entry} of `sync`, or {rival, caption}. */
  shown = {};

  constructor(root, { sync, drafts, queue, view }) {
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.dialog = this.part("conflict");
    Object.assign(this, { sync, drafts, queue, view });
  }

  /** How many choices wait. */
  get count() { return this.sync.conflicts.length + this.drafts.rivals.length; }

  /** Show the next choice; close where there is none. */
  open() {
    const [entry] = this.sync.conflicts;
    const [rival] = this.drafts.rivals;
    if (entry) this.#conflict(entry);
    else if (rival) this.#rival(rival);
    else this.dialog.close();
  }

  #conflict(entry) {
    const { record, current } = entry;
    this.shown = { entry };
    this.#show(record.task, {
      title: "Changed in another window",
      ours: ["From this window", contentOf(record)],
      theirs: ["Saved by the other", contentOf(current)],
    });
  }

  #rival(rival) {
    const caption = this.queue.find(rival.item);
    this.shown = { rival, caption };
    this.#show(rival.task, {
      title: "Two windows left unfinished work",
      ours: ["On this page now", caption.content()],
      theirs: [`Left by another window, ${moment.format(rival.at)}`, contentOf(rival)],
    });
  }

  #show(task, { title, ours, theirs }) {
    const titleOf = (name) => this.view.titleOf(name);
    this.part("conflict-title").textContent = title;
    this.part("conflict-text").textContent = task.text;
    [["ours", ours], ["theirs", theirs]].forEach(([name, [heading, content]]) => {
      this.part(`${name}-title`).textContent = heading;
      this.part(name).replaceChildren(...summary(task, content, titleOf));
    });
    if (!this.dialog.open) this.dialog.showModal();
  }
}
