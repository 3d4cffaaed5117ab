/**
 * What hands change of any work: its flag, its comment, and all that undo and redo bring back.
 *
 * Each change goes to the screen first, then to the journal.
 */
export class Editor {
  constructor(session, { kind, screen, drafts }) {
    Object.assign(this, { session, kind, screen, drafts });
  }

  get work() { return this.session.work; }

  flag() {
    this.work.flag();
    this.edited(this.work.flagged ? "Flagged." : "No longer flagged.");
  }

  comment(text) {
    if (!this.work) return;
    this.session.acts += 1;
    this.work.comment = text;
    this.work.hasDraft = true;
    this.drafts.keep(this.work);
  }

  /**
   * Undo; a key that is held, or pressed while someone types, stops where the work began, and a fresh press
   * goes back to the task before.
   */
  undo({ isRepeat, isTyping }) {
    const before = this.work?.content();
    if (this.work?.undo()) this.edited(`Undone. ${this.#changed(before)}`);
    else if (!isRepeat && !isTyping) this.session.answers.back();
    else if (this.work) this.screen.say(`This is where the ${this.kind.terms.task} began.${isTyping ? "" : " Press again to go back to the one before."}`);
  }

  redo({ isRepeat, isTyping }) {
    const { work } = this;
    if (!work) return;
    const before = work.content();
    if (work.redo()) this.edited(`Redone. ${this.#changed(before)}`);
    else if (work.canRedoAnswer && !isRepeat && !isTyping) this.session.answers.answer(work.answer);
  }

  /** The work was changed: show it, say how unless hands know it, `hint` in writing as well, and keep it. */
  edited(message = "", hint = "") {
    this.session.show();
    this.screen.hint(hint);
    if (message) this.screen.say(hint ? `${message}. ${hint}` : message);
    this.drafts.keep(this.work);
  }

  /** Say how what has changed since `before` stands now. */
  #changed(before) {
    const now = this.work.content();
    const lines = [...this.kind.differences(this.work.task, before, now).theirs];
    if (before.flagged !== now.flagged) lines.push(now.flagged ? "Flagged" : "Not flagged");
    return lines.join(". ");
  }
}
