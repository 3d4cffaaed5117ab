/**
 * What the journal keeps of captions: unfinished work as drafts, and answers until they arrive.
 *
 * Each window writes its own records, so that two windows never overwrite one another's; what
 * windows that are gone have left is taken up when the page opens. A record says in `over` which
 * others it went on from: {window: time}. Of two drafts of one caption neither of which went on
 * from the other, the later one is taken up and the other is its rival, until a person chooses.
 */
import { readSpans, sameSpans } from "./spans.js";

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

const isReadable = ({ task, spans }) => Array.isArray(task?.tokens) && Array.isArray(spans);

function isSame(one, other) {
  return one.flagged === other.flagged && one.comment === other.comment
    && sameSpans(readSpans(one.spans), readSpans(other.spans));
}

export class Drafts extends EventTarget {
  /** Drafts that the work at hand did not go on from. */
  rivals = [];
  /** Other windows of the person that are open now. */
  openWindows = new Set();
  #latest = 0;

  constructor(journal, owner, tab) {
    super();
    Object.assign(this, { journal, owner, tab });
  }

  /** Describe a caption as the journal has it. */
  record(caption, kind, more = {}) {
    // No two records of a window have the same time, which tells the later one.
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    const { id, task, base, edits, comment, answer, spans, flagged, taken, history, over } = caption;
    const { before, after } = history.now;
    const undo = kind === "draft" ? { steps: history.steps, cursors: { before, after } } : {};
    return {
      owner: this.owner, tab: this.tab, item: id, kind, at: this.#latest, task, base, over,
      edits: [...edits], spans, flagged, comment, answer, taken, edit: null, ...undo, ...more,
    };
  }

  /** Tell whether the unfinished work on a caption was begun in a window that is still open. */
  isShared({ hasDraft, over }) {
    return hasDraft && Object.keys(over).some((tab) => this.openWindows.has(tab));
  }

  /** Keep unfinished work, once there is any. */
  keep(caption) {
    if (caption?.hasDraft) keepIn(this.journal, this.record(caption, "draft"));
  }

  /** Forget the unfinished work on a caption up to a time: this window's, and what it went on from. */
  drop({ id, over }, until = this.#latest) {
    Object.entries({ ...over, [this.tab]: until }).forEach(([tab, at]) => {
      this.#forget({ tab, item: id, at });
    });
  }

  /** A person has chosen between a caption and its rival, which is in what was chosen or given up. */
  choose(caption, rival) {
    this.rivals = this.rivals.filter((one) => one !== rival);
    caption.over = { ...caption.over, [rival.tab]: rival.at };
    this.keep(caption);
    this.#forget(rival);
    this.dispatchEvent(new Event("change"));
  }

  /** Give what earlier sittings left: {answers, drafts}, oldest first, one draft a caption. */
  async leftOver() {
    const records = (await this.journal.all()).sort((one, other) => one.at - other.at);
    // What is done from now on is later than all of it, whatever the clock says.
    this.#latest = Math.max(this.#latest, ...records.map(({ at }) => at));
    const answers = records.filter(({ kind }) => kind === "answer");
    const drafts = records.filter((record) => record.kind === "draft" && isReadable(record));
    const isHeld = (draft) => records.some((record) => holds(record, draft));
    drafts.filter(isHeld).forEach((draft) => this.#forget(draft));
    const latest = new Map();
    drafts.filter((draft) => !isHeld(draft)).reverse().forEach((draft) => {
      const later = latest.get(draft.item);
      if (!later) latest.set(draft.item, draft);
      else if (isSame(later, draft)) later.over = { ...later.over, [draft.tab]: draft.at };
      else this.rivals.push(draft);
    });
    return { answers, drafts: [...latest.values()].reverse() };
  }

  #forget({ tab, item, at }) {
    const { owner } = this;
    this.journal.drop({ owner, tab, item, kind: "draft", edit: null, at }).catch(() => {});
  }
}
