/**
 * Answers to tasks: given, sent, gone back to, and what the server said of them.
 */
import { Unreachable } from "./api.js";
import { newId } from "./ids.js";
import { isFirst } from "./sync.js";

export const ANSWERED = { accept: "Accepted", reject: "Rejected", ignore: "Skipped" };

export class Answers {
  #isFetching = false;

  constructor(session, { kind, api, queue, buffer, progress, sync, drafts, screen, windows }) {
    Object.assign(this, { session, kind, api, queue, buffer, progress, sync, drafts, screen, windows });
  }

  get work() { return this.session.work; }

  answer(kind) {
    const { work, queue } = this;
    const objection = kind === "accept" ? this.kind.objection?.(work) : "";
    if (objection) {
      this.screen.hint(objection);
      this.screen.say(objection);
      return;
    }
    work.answer = kind;
    work.canRedoAnswer = false;
    const isRefused = this.sync.refused.some(({ record }) => record.item === work.id);
    work.hasDraft = false;
    if (isRefused || work.sentBack || !work.isSaved(kind)) this.#send(work);
    else this.drafts.drop(work);
    queue.answered();
    this.windows.postMessage(work.id);
    this.session.show();
    const next = this.work ? ` Next: ${this.work.task.text}` : "";
    this.screen.say(`${ANSWERED[kind]}.${next}`);
    // More are fetched when the answer has arrived and the server counts it, if there is time.
    if (this.buffer.isLow || this.sync.state !== "saving") this.buffer.fill();
  }

  #send(work) {
    const edit = newId();
    work.edits.push(edit);
    work.saved = work.content();
    const record = this.drafts.record(work, "answer", {
      edit, seconds: work.takeSeconds(performance.now()),
    });
    // An answer that the server refused is replaced by this one.
    this.sync.refused.filter((entry) => entry.record.item === work.id)
      .forEach((entry) => this.sync.discard(entry));
    this.sync.add(record).then(() => this.drafts.drop(work, record.at));
  }

  /** Go back to the task before, of this sitting or an earlier one. */
  async back() {
    if (this.session.isClosed) return;
    if (!this.queue.back() && !await this.#backToEarlier()) return;
    this.work.canRedoAnswer = true;
    this.session.show();
    this.screen.say(`Back to: ${this.work.task.text}`);
  }

  async #backToEarlier() {
    if (this.#isFetching) return false;
    const asked = this.session.acts;
    this.#isFetching = true;
    const oldest = this.work?.task.annotation?.id;
    const task = await this.#earlierTask(oldest).finally(() => { this.#isFetching = false; });
    // Hands that went on meanwhile mean the task that they see.
    if (asked !== this.session.acts) return false;
    if (!task || this.queue.knows(task.id)) {
      const { task: term } = this.kind.terms;
      this.screen.say(task === undefined
        ? `The server cannot be reached, so it is not known whether there is an earlier ${term}.`
        : `There is no earlier ${term}.`);
      return false;
    }
    // An answer that has not arrived is later than what the server has.
    this.queue.backTo(new this.kind.Work(task, this.sync.recordOf(task.id)));
    return true;
  }

  /** The task before the annotation `oldest`, without one the latest; null: there is none; undefined: no answer. */
  async #earlierTask(oldest) {
    try {
      const { status, body } = await (oldest ? this.api.before(oldest) : this.api.latest());
      if (status !== 200) return undefined;
      const task = body.tasks[0] ?? null;
      return task?.removed ? this.#earlierTask(task.annotation.id) : task;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return undefined;
    }
  }

  /** An answer is on the server; `annotation` is how it stands there. */
  arrived(record, annotation) {
    this.progress.count(annotation, isFirst(record));
    this.buffer.fill();
    if (annotation.removed) this.screen.removed.answered(record.task, annotation.removed);
    // Perhaps the project has been closed.
    if (!annotation.counts) this.progress.look();
    const work = this.queue.find(record.item);
    // What did not go on from this answer must not pass for a change of it.
    if (!work?.edits.includes(record.edit)) return;
    work.base = annotation.version;
    work.task.annotation = annotation;
    if (annotation.sent_back) this.#comesAgain(record.task, annotation);
    else if (!annotation.counts && !annotation.removed) {
      this.screen.say(`Kept, but not counted: others have this ${this.kind.terms.task}, or the project is closed.`);
    }
  }

  /** An answer was sent back before this one came, which was given without knowing why. */
  #comesAgain(task, annotation) {
    this.queue.sentBack({ ...task, annotation });
    if (!this.queue.find(task.id)) this.queue.add([new this.kind.Work({ ...task, annotation })]);
    this.session.show();
    this.screen.say(`Kept, but not counted: the ${this.kind.terms.task} was sent back to you in the meantime, and comes again.`);
  }

  /** Open a task again, as a record of the journal or a task of the server has it. */
  reopen(task, record = null) {
    const had = this.work;
    this.queue.open(new this.kind.Work(task, record));
    this.session.show();
    // Where there was none, it is read out as it comes.
    if (had) this.screen.say(`Opened again: ${task.text}`);
  }

  /** Give up an answer that the server refuses; asked twice. */
  discard(entry) {
    if (entry.isDoomed) {
      this.sync.discard(entry);
      this.queue.find(entry.record.item)?.forgetSaved();
    } else {
      entry.isDoomed = true;
      this.screen.refused(this.sync.refused);
    }
  }
}
