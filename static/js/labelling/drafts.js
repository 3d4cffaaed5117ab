/**
 * What the journal keeps of captions: unfinished work as drafts, and answers until they arrive.
 *
 * Each window writes its own records, so that two windows never overwrite one another's; what
 * windows that are gone have left is taken up when the page opens.
 */
/** Put a record into the journal; where that fails, the journal no longer lasts. */
export async function keepIn(journal, record) {
  try {
    await journal.put(record);
  } catch {
    journal.lasting = false;
  }
}

export class Drafts {
  #left = new Map();
  #latest = 0;

  constructor(journal, owner, tab) {
    Object.assign(this, { journal, owner, tab });
  }

  /** Describe a caption as the journal has it. */
  record(caption, kind, more = {}) {
    // No two records of a window have the same time, which tells the later one.
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    const { id, task, base, edits, comment, answer, spans, flagged, history } = caption;
    const { before, after } = history.now;
    const undo = kind === "draft" ? { steps: history.steps, cursors: { before, after } } : {};
    return {
      owner: this.owner, tab: this.tab, item: id, kind, at: this.#latest, task, base,
      edits: [...edits], spans, flagged, comment, answer, edit: null, ...undo, ...more,
    };
  }

  /** Keep unfinished work, once there is any. */
  keep(caption) {
    if (caption?.hasDraft) keepIn(this.journal, this.record(caption, "draft"));
  }

  /** Forget the unfinished work on a caption up to a time, this window's and what others left. */
  drop(caption, until = this.#latest) {
    const left = this.#left.get(caption.id) ?? [];
    this.#left.delete(caption.id);
    [{ ...this.record(caption, "draft"), at: until }, ...left].forEach((record) => {
      this.journal.drop(record).catch(() => {});
    });
  }

  /** Give what earlier sittings left: {answers, drafts}, oldest first, one draft a caption. */
  async leftOver() {
    const records = (await this.journal.all()).sort((one, other) => one.at - other.at);
    // What is done from now on is later than all of it, whatever the clock says.
    this.#latest = Math.max(this.#latest, ...records.map(({ at }) => at));
    const answers = records.filter(({ kind }) => kind === "answer");
    const answeredAt = new Map(answers.map(({ item, at }) => [item, at]));
    const latest = new Map();
    records.filter(({ kind }) => kind === "draft").forEach((record) => {
      this.#left.set(record.item, [...(this.#left.get(record.item) ?? []), record]);
      if (record.at >= (answeredAt.get(record.item) ?? 0)) latest.set(record.item, record);
    });
    return { answers, drafts: [...latest.values()] };
  }
}
