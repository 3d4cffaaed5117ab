/**
 * What the journal keeps of tasks: unfinished work as drafts, and answers until they arrive.
 *
 * Each window writes its own records, so that two windows never overwrite one another's; what
 * windows that are gone have left is taken up when the page opens. A record says in `over` which
 * others it went on from: {window: time}. Of two drafts of one task neither of which went on
 * from the other, the later one is taken up and the other is its rival, until a person chooses.
 */
/** Put a record into the journal; where that fails, the journal no longer lasts. */
export async function keepIn(journal, record) {
  try {
    await journal.put(record);
  } catch {
    journal.lasting = false;
  }
}

/** Tell whether all of a draft is in another record as well. */
function holds(record, draft) {
  if (record === draft || record.item !== draft.item) return false;
  if ((record.over?.[draft.tab] ?? -1) >= draft.at) return true;
  // An answer ends its own window's draft; one of before `over` was kept, every earlier draft.
  const ends = record.kind === "answer" && (record.tab === draft.tab || !record.over);
  return ends && draft.at <= record.at;
}

export class Drafts extends EventTarget {
  /** Drafts that the work at hand did not go on from. */
  rivals = [];
  /** Other windows of the person that are open now. */
  openWindows = new Set();
  #latest = 0;

  /** `scheme` is the name of the page's version of the labels; `kind` is the kind of work. */
  constructor({ journal, owner, tab, scheme, kind }) {
    super();
    Object.assign(this, { journal, owner, tab, scheme, kind });
  }

  /** Describe work as the journal has it, as a "draft" or an "answer". */
  record(work, kind, more = {}) {
    // No two records of a window have the same time, which tells the later one.
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    const { id, task, base, edits, over, sentBack } = work;
    const undo = kind === "draft" ? work.undoSteps : {};
    return {
      owner: this.owner, tab: this.tab, scheme: this.scheme, item: id, kind, at: this.#latest, task, base, over,
      edits: [...edits], sent_back: sentBack?.id ?? null, ...work.content(), edit: null, ...undo, ...more,
    };
  }

  /** Tell whether unfinished work was begun in a window that is still open. */
  isShared({ hasDraft, over }) {
    return hasDraft && Object.keys(over).some((tab) => this.openWindows.has(tab));
  }

  /** Keep unfinished work, once there is any. */
  keep(work) {
    if (work?.hasDraft) keepIn(this.journal, this.record(work, "draft"));
  }

  /** Forget unfinished work up to a time: this window's, and what it went on from. */
  drop({ id, over }, until = this.#latest) {
    Object.entries({ ...over, [this.tab]: until }).forEach(([tab, at]) => {
      this.#forget({ tab, item: id, at });
    });
  }

  /** A person has chosen between work and its rival, which is in what was chosen or given up. */
  choose(work, rival) {
    this.rivals = this.rivals.filter((one) => one !== rival);
    work.over = { ...work.over, [rival.tab]: rival.at };
    this.keep(work);
    this.#forget(rival);
    this.dispatchEvent(new Event("change"));
  }

  /** Give what earlier sittings left: {answers, drafts}, oldest first, one draft a task. */
  async leftOver() {
    const records = (await this.journal.all()).sort((one, other) => one.at - other.at);
    // What is done from now on is later than all of it, whatever the clock says.
    this.#latest = Math.max(this.#latest, ...records.map(({ at }) => at));
    const answers = records.filter(({ kind }) => kind === "answer");
    const drafts = records.filter(({ kind }) => kind === "draft")
      .map((record) => this.kind.readDraft(record)).filter(Boolean);
    const isHeld = (draft) => records.some((record) => holds(record, draft));
    drafts.filter(isHeld).forEach((draft) => this.#forget(draft));
    const latest = new Map();
    drafts.filter((draft) => !isHeld(draft)).reverse().forEach((draft) => {
      const later = latest.get(draft.item);
      if (!later) latest.set(draft.item, draft);
      else if (this.#isSame(later, draft)) later.over = { ...later.over, [draft.tab]: draft.at };
      else this.rivals.push(draft);
    });
    return { answers, drafts: [...latest.values()].reverse() };
  }

  #isSame(one, other) {
    const { Work } = this.kind;
    return Work.isSame(Work.contentOf(one), Work.contentOf(other));
  }

  #forget({ tab, item, at }) {
    const { owner } = this;
    this.journal.drop({ owner, tab, item, kind: "draft", edit: null, at }).catch(() => {});
  }
}
