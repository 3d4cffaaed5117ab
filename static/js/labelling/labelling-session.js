/**
 * The page of work as a whole: what hands do, and what follows from it.
 *
 * Hands reach it as named actions (`act`), from keys, buttons and pointer alike. All of them
 * end before anything waits for the network or the disk: first the screen, then the journal,
 * then the server. What the work is, its kind knows (kind.js).
 */
import { ACTIONS } from "./actions.js";
import { Answers } from "./answers.js";
import { Editor } from "./editor.js";

export class LabellingSession {
  /** How many things hands have done. */
  acts = 0;
  #timed = null;
  #wasClosed = false;

  constructor(root, parts) {
    // {kind, api, queue, buffer, progress, sync, drafts, screen, player, sheets, windows}
    Object.assign(this, parts);
    this.editor = new Editor(this, parts);
    this.answers = new Answers(this, parts);
    this.view = this.kind.connect(root, this);
    this.actions = { ...ACTIONS, ...this.view.actions };
  }

  /** Whether the project is closed: nothing is in hand then, and what was comes back when it is opened. */
  get isClosed() { return this.progress.closed !== null; }

  get work() { return this.isClosed ? null : this.queue.current; }

  /**
   * Do what a key, a button or a gesture stands for; false where nothing is to be done. `isTyping`: hands are in
   * a field of the work.
   */
  act(name, { isRepeat = false, isTyping = false } = {}) {
    this.acts += 1;
    const action = this.actions[name];
    if (!action || (isRepeat && !action.held) || (!this.work && !action.always)) return false;
    action.run(this, { isRepeat, isTyping });
    return true;
  }

  /** Whether hands can ask for something here; what is no action is left to the browser. */
  knows(name) { return Object.hasOwn(this.actions, name); }

  /** Someone has come back to the page. */
  wake() {
    this.sync.kick();
    this.progress.look();
    this.buffer.renew();
  }

  save() {
    this.sync.kick();
    this.screen.saySaved(this.sync.count, Boolean(this.work?.answer && this.work.hasDraft));
  }

  /** Another window of the person is open: unfinished work that was begun there is not only this one's. */
  windowOpened(tab) {
    this.drafts.openWindows.add(tab);
    this.screen.shared(this.#isShared);
    if (this.#isShared) this.screen.say(`This ${this.kind.terms.task} is being ${this.kind.terms.done} in another window, too.`);
  }

  /** Another window of the person has closed. */
  windowClosed(tab) {
    this.drafts.openWindows.delete(tab);
    this.screen.shared(this.#isShared);
  }

  get #isShared() { return Boolean(this.work) && this.drafts.isShared(this.work); }

  /** Keep one of two versions; where it is the other window's, this window has it from now on. */
  async resolve(ours) {
    const kept = await this.sheets.conflicts.resolve(ours);
    this.show();
    this.screen.say(`Kept: ${kept}.`);
  }

  /** Show all as it is. */
  show() {
    const { work } = this;
    this.screen.closed(this.progress.closed, this.#keptWork);
    this.screen.show(work, this.buffer.lack);
    this.#showProgress();
    this.screen.shared(this.#isShared);
    this.player.load(work?.task);
    if (work) this.view.show(work);
    else this.view.clear();
    this.tick();
  }

  #showProgress() {
    const { own } = this.progress;
    const { lasting } = this.drafts.journal;
    this.screen.progress(own);
    const newOfKind = own ? this.view.showProgress?.(own, lasting) : "";
    if (newOfKind) this.screen.say(newOfKind);
    this.screen.sentBack(this.work);
    const news = this.sheets.guidelines.show(own?.guidelines ?? null);
    if (news) this.screen.say(news);
  }

  /** What of the person's work is neither sent nor counted. */
  get #keptWork() {
    return {
      terms: this.kind.terms,
      begun: this.queue.begun,
      unsent: this.sync.count,
      uncounted: this.progress.own?.uncounted,
      isLasting: this.drafts.journal.lasting,
    };
  }

  /** Let the clock of the work in hand run, and no other. */
  tick() {
    const now = performance.now();
    if (this.#timed !== this.work) this.#timed?.pause(now);
    this.#timed = this.work;
    if (document.hidden) this.#timed?.pause(now);
    else this.#timed?.tick(now);
  }

  /** More tasks came, or none: the work in hand stays as it is on the screen. */
  refresh() {
    this.#letRemovedGo();
    if (this.progress.own?.must_qualify) this.buffer.withhold();
    else if (this.buffer.lack === "qualify") this.buffer.letIn();
    if (this.isClosed !== this.#wasClosed) this.#closedOrOpened();
    else if (this.work && this.view.shows(this.work)) this.#showProgress();
    else this.#goOn();
  }

  /** Show what is in hand now; a task in the place of one that was taken away is read out. */
  #goOn() {
    const hadWork = !this.screen.place.hidden;
    this.show();
    if (hadWork && this.work) this.screen.say(`Next: ${this.work.task.text}`);
  }

  /** Tasks that were removed from the project go; what was begun on them stays in the journal. */
  #letRemovedGo() {
    const { own } = this.progress;
    const removed = (own?.removed ?? []).filter(({ item }) => !this.sync.has(item));
    removed.forEach((row) => {
      const work = this.queue.remove(row.item);
      if (work) this.screen.removed.unanswered(work, row, this.drafts.journal.lasting);
    });
  }

  /** The project was closed, or opened again: then all goes on where it was. */
  #closedOrOpened() {
    this.#wasClosed = this.isClosed;
    this.show();
    if (this.isClosed) {
      this.player.stop();
      this.screen.say("This project is closed. What you began is kept.");
      return;
    }
    this.screen.say("The project is open again.");
    this.sync.again();
    this.buffer.renew();
  }
}
