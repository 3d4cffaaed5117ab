/**
 * Two versions of one caption, changed in two windows: show both, keep the one that is chosen.
 */
import { contentOf } from "./caption.js";
import { spanAt } from "./spans.js";

const ANSWERS = { accept: "Accepted", reject: "Rejected", ignore: "Skipped" };

/** Write a caption with its labels as lines of text: "dog: Who". */
function told(record, content, titleOf) {
  const list = document.createElement("ul");
  const words = record.task.tokens.map((token) => token.text);
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

export class Settle {
  constructor(root, sync, view) {
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.dialog = this.part("settle");
    this.sync = sync;
    this.view = view;
  }

  open() {
    [this.entry] = this.sync.conflicts;
    if (!this.entry) {
      this.dialog.close();
      return;
    }
    const { record, current } = this.entry;
    const titleOf = (name) => this.view.titleOf(name);
    this.part("settle-text").textContent = record.task.text;
    this.part("ours").replaceChildren(...told(record, contentOf(record), titleOf));
    this.part("theirs").replaceChildren(...told(record, contentOf(current), titleOf));
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** Keep one; then the next conflict, where there is one. */
  async keep(ours) {
    const { entry } = this;
    await this.sync.settle(entry, ours);
    this.open();
    return entry;
  }
}
