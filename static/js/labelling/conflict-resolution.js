/**
 * Two versions of one task's answer, from two windows: show where they differ, keep the one that is chosen.
 *
 * They are an answer that the server has otherwise, or unfinished work that two windows left.
 */
import { ANSWERED } from "./answers.js";

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

function listOf(lines) {
  const list = document.createElement("ul");
  list.append(...lines.map((text) => {
    const line = document.createElement("li");
    line.textContent = text;
    return line;
  }));
  return list;
}

/** What differs whatever the kind of work, as pairs of sentences: [ours, theirs]. */
function differingFacts(ours, theirs) {
  const facts = [
    ({ answer }) => ANSWERED[answer] ?? "Not answered",
    ({ flagged }) => (flagged ? "Flagged" : "Not flagged"),
    ({ comment }) => (comment ? `Comment: ${comment}` : "No comment"),
  ];
  return facts.map((fact) => [fact(ours), fact(theirs)]).filter(([one, other]) => one !== other);
}

/** Say how much differs, and what does not have to be looked at. */
function extent(count, alike) {
  const differs = count ? `${count} ${count === 1 ? "difference" : "differences"}` : "No difference";
  return `${differs}.${alike ? ` ${alike}` : ""}`;
}

export class ConflictResolution {
  /** What is shown: {entry} of `sync`, or {rival, work}. */
  shown = {};

  constructor(root, { kind, sync, drafts, queue }) {
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.dialog = this.part("conflict");
    Object.assign(this, { kind, sync, drafts, queue });
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

  /** Keep one of the two versions that are shown, and go on to the next choice; give what the kept one is called. */
  async resolve(ours) {
    const { entry, rival, work } = this.shown;
    const kept = this.part(ours ? "ours-title" : "theirs-title").textContent;
    if (rival) this.#resolveRival(rival, work, ours);
    else await this.#resolveConflict(entry, ours);
    this.open();
    return kept;
  }

  async #resolveConflict(entry, ours) {
    await this.sync.resolve(entry, ours);
    const { record, current } = entry;
    const work = this.queue.find(record.item);
    if (ours) {
      // It is sent under another name, and the work at hand still is the one that was sent.
      work?.edits.push(record.edit);
      return;
    }
    // What was made of the version that is given up goes with it, or it would be back with the page.
    const { Work } = this.kind;
    this.drafts.drop(work ?? new Work(record.task, record));
    if (work) this.queue.replace(work, new Work({ ...record.task, annotation: current }));
  }

  #resolveRival(rival, work, ours) {
    let chosen = work;
    if (!ours) {
      const { task, base, edits, over } = work;
      chosen = new this.kind.Work(task, { ...rival, base, edits });
      chosen.over = { ...over, ...chosen.over };
      this.queue.replace(work, chosen);
      this.queue.open(chosen);
    }
    this.drafts.choose(chosen, rival);
  }

  #conflict(entry) {
    const { record, current } = entry;
    const { Work } = this.kind;
    this.shown = { entry };
    this.#show(record.task, {
      title: "Changed in another window",
      ours: ["From this window", Work.contentOf(record)],
      theirs: ["Saved in the other window", Work.contentOf(current)],
    });
  }

  #rival(rival) {
    const work = this.queue.find(rival.item);
    this.shown = { rival, work };
    this.#show(rival.task, {
      title: "Two windows left unfinished work",
      ours: ["On this page now", work.content()],
      theirs: [`Left by another window, ${moment.format(rival.at)}`, this.kind.Work.contentOf(rival)],
    });
  }

  #show(task, { title, ours: [oursTitle, ours], theirs: [theirsTitle, theirs] }) {
    const said = this.kind.differences(task, ours, theirs);
    const facts = differingFacts(ours, theirs);
    this.part("conflict-title").textContent = title;
    this.part("conflict-text").replaceChildren(...said.shown);
    this.part("conflict-extent").textContent = extent(said.count + facts.length, said.alike);
    this.part("ours-title").textContent = oursTitle;
    this.part("theirs-title").textContent = theirsTitle;
    this.part("ours").replaceChildren(listOf([...said.ours, ...facts.map(([fact]) => fact)]));
    this.part("theirs").replaceChildren(listOf([...said.theirs, ...facts.map(([, fact]) => fact)]));
    if (!this.dialog.open) this.dialog.showModal();
  }
}
