/**
 * The labelling page as a whole: what hands do, and what follows from it.
 *
 * Hands reach it as named actions (`act`), from keys, buttons and pointer alike. All of them
 * end before anything waits for the network or the disk: first the screen, then the journal,
 * then the server.
 */
import { ACTIONS } from "./actions.js";
import { Unreachable } from "./api.js";
import { Caption, contentOf } from "./caption.js";
import { newId } from "./ids.js";
import { NONE } from "./labelbar.js";
import { spanAt } from "./spans.js";
import { nextContentWord } from "./words.js";

const ANSWERED = { accept: "Accepted", reject: "Rejected", ignore: "Skipped" };

export class LabellingSession {
  #timed = null;
  /** How many things hands have done. */
  #acts = 0;
  #isFetching = false;

  constructor(parts) {
    // {api, queue, buffer, sync, drafts, view, bar, screen, player, sheets, windows}
    Object.assign(this, parts);
  }

  get caption() { return this.queue.current; }

  /** Do what a key, a button or a gesture stands for; false where nothing is to be done. */
  act(name, { isRepeat = false } = {}) {
    this.#acts += 1;
    if (name.startsWith("label:")) return !isRepeat && this.#label(name.slice("label:".length));
    const action = ACTIONS[name];
    if (!action || (isRepeat && !action.held) || (!this.caption && !action.always)) return false;
    action.run(this, isRepeat);
    return true;
  }

  /** A label's button was pressed: it goes to what is selected, or is armed. */
  press(name) {
    this.#acts += 1;
    const { caption } = this;
    if (!caption?.isChosen) {
      this.bar.toggle(name);
      return;
    }
    if (name === NONE) this.unlabel();
    else this.#label(name);
  }

  /** The pointer no longer labels. */
  disarm() {
    if (this.bar.armed !== null) this.bar.toggle(this.bar.armed);
  }

  /** The pointer let words go. */
  drop(first, last, dragged) {
    this.#acts += 1;
    const { caption, bar: { armed } } = this;
    if (!caption) return;
    const own = caption.spanAt(first);
    const clicked = !dragged && own ? [own.token_start, own.token_end] : [first, last];
    if (armed === null) {
      // A click on a word of a suggestion selects all of it, to be taken or labelled.
      const offered = dragged ? null : spanAt(caption.suggestions(this.view.labels), first);
      caption.choose(...offered ? [offered.token_start, offered.token_end] : clicked);
    } else if (armed === NONE || (!dragged && own?.label === armed)) {
      this.unlabel(clicked);
    } else {
      this.#label(armed, clicked);
    }
    this.show();
  }

  preview(first, last) {
    const { caption, bar: { armed } } = this;
    if (!caption) return;
    const own = first === last ? caption.spanAt(first) : null;
    const [from, to] = own ? [own.token_start, own.token_end] : [first, last];
    const label = armed === NONE || (armed !== null && own?.label === armed) ? null : armed;
    this.view.show(caption, { first: from, last: to, label: armed === null ? undefined : label });
    this.screen.hint(caption, from, to, armed === null);
  }

  #label(name, target) {
    const { caption } = this;
    if (!caption || !this.view.labels.has(name)) return false;
    const [first, last] = target ?? caption.target();
    const cut = caption.cutBy(first, last);
    caption.label(name, [first, last]);
    this.#edited(`${caption.text(first, last)}: ${this.view.titleOf(name)}`, cut);
    return true;
  }

  grow(step) {
    const { caption } = this;
    const grown = caption.grow(step);
    if (!grown) return;
    const { words, cut } = grown;
    this.#edited(`${caption.text(...words)}: ${this.view.titleOf(caption.spanAt(words[0]).label)}`, cut);
  }

  unlabel(target) {
    const { caption } = this;
    const [first, last] = target ?? caption.target();
    if (!caption.unlabel([first, last])) return;
    this.#edited(`${caption.text(first, last)}: no label`);
  }

  /** Take the suggestion under the cursor. */
  take() {
    const { caption, view: { labels } } = this;
    const chosen = caption.suggestions(labels).filter(({ token_start: first, token_end: last }) => (
      first <= caption.at && caption.at <= last
    ));
    this.#take(chosen, "There is no suggestion on this word.");
  }

  takeAll() {
    this.#take(this.caption.suggestions(this.view.labels), "There is no suggestion left.");
  }

  #take(chosen, otherwise) {
    const { caption } = this;
    const taken = chosen.map(({ token_start: first, token_end: last, label }) => (
      `${caption.text(first, last)}: ${this.view.titleOf(label)}`
    ));
    if (caption.take(chosen)) this.#edited(`Taken. ${taken.join(". ")}`);
    else this.screen.say(otherwise);
  }

  move(step, extend) {
    const { caption } = this;
    if (extend) caption.extendTo(caption.at + step);
    else caption.moveTo(caption.at + step);
    this.view.show(caption);
  }

  /** Go to another line of the caption. */
  moveLine(step, extend) {
    const word = this.view.above(this.caption.at, step);
    if (word !== null) this.move(word - this.caption.at, extend);
  }

  moveTo(word) {
    this.caption.moveTo(word);
    this.view.show(this.caption);
  }

  jump(step) {
    const { caption } = this;
    const found = nextContentWord(caption.words, caption.at + step, step);
    if (found >= 0) this.moveTo(found);
  }

  flag() {
    this.caption.flag();
    this.#edited(this.caption.flagged ? "Flagged." : "No longer flagged.");
  }

  comment(text) {
    if (!this.caption) return;
    this.#acts += 1;
    this.caption.comment = text;
    this.caption.hasDraft = true;
    this.drafts.keep(this.caption);
  }

  answer(kind) {
    const { caption, queue } = this;
    caption.answer = kind;
    caption.canRedoAnswer = false;
    const isRefused = this.sync.refused.some(({ record }) => record.item === caption.id);
    caption.hasDraft = false;
    if (isRefused || !caption.isSaved(kind)) this.#send(caption);
    else this.drafts.drop(caption);
    queue.answered();
    this.windows.postMessage(caption.id);
    this.show();
    const next = this.caption ? ` Next: ${this.caption.task.text}` : "";
    this.screen.say(`${ANSWERED[kind]}.${next}`);
    // More are fetched when the answer has arrived and the server counts it, if there is time.
    if (this.buffer.isLow || this.sync.state !== "saving") this.buffer.fill();
  }

  #send(caption) {
    const isFirst = caption.base === 0 && caption.edits.length === 0;
    const edit = newId();
    caption.edits.push(edit);
    caption.saved = contentOf(caption.content());
    const record = this.drafts.record(caption, "answer", {
      edit, seconds: caption.takeSeconds(performance.now()),
    });
    if (isFirst) this.buffer.count();
    // An answer that the server refused is replaced by this one.
    this.sync.refused.filter((entry) => entry.record.item === caption.id)
      .forEach((entry) => this.sync.discard(entry));
    this.sync.add(record).then(() => this.drafts.drop(caption, record.at));
  }

  /** Undo; a key that is held stops where the caption begins, and a fresh press goes back to the one before. */
  undo(isRepeat) {
    if (this.caption?.undo()) this.#edited("Undone.");
    else if (!isRepeat) this.back();
    else if (this.caption) this.screen.say("This is where the caption began. Press again to go back to the one before.");
  }

  redo(isRepeat) {
    const { caption } = this;
    if (!caption) return;
    if (caption.redo()) this.#edited("Redone.");
    else if (caption.canRedoAnswer && !isRepeat) this.answer(caption.answer);
  }

  /** Go back to the caption before, of this sitting or an earlier one. */
  async back() {
    if (!this.queue.back() && !await this.#backToEarlier()) return;
    this.caption.canRedoAnswer = true;
    this.show();
    this.screen.say(`Back to: ${this.caption.task.text}`);
  }

  async #backToEarlier() {
    if (this.#isFetching) return false;
    const asked = this.#acts;
    this.#isFetching = true;
    const task = await this.#earlier().finally(() => { this.#isFetching = false; });
    // Hands that went on meanwhile mean the caption that they see.
    if (asked !== this.#acts) return false;
    if (!task || this.queue.knows(task.id)) {
      this.screen.say("There is no earlier caption.");
      return false;
    }
    // An answer that has not arrived is later than what the server has.
    this.queue.backTo(new Caption(task, this.sync.recordOf(task.id)));
    return true;
  }

  async #earlier() {
    const oldest = this.caption?.task.annotation?.id;
    try {
      const { status, body } = await (oldest ? this.api.before(oldest) : this.api.latest());
      return status === 200 ? body.tasks[0] : null;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return null;
    }
  }

  /** Someone has come back to the page. */
  wake() {
    this.sync.kick();
    this.buffer.renew();
  }

  save() {
    this.sync.kick();
    this.screen.saySaved(this.sync.count, Boolean(this.caption?.answer && this.caption.hasDraft));
  }

  /** An answer is on the server; `annotation` is how it stands there. */
  arrived(record, annotation) {
    this.buffer.fill();
    const caption = this.queue.find(record.item);
    // What did not go on from this answer must not pass for a change of it.
    if (!caption?.edits.includes(record.edit)) return;
    caption.base = annotation.version;
    caption.task.annotation = annotation;
    if (!annotation.counts) {
      this.screen.say("Kept, but not counted: others have this caption, or the project is closed.");
    }
  }

  /** Another window of the person is open: unfinished work that was begun there is not only this one's. */
  windowOpened(tab) {
    this.drafts.openWindows.add(tab);
    this.screen.shared(this.#isShared);
    if (this.#isShared) this.screen.say("This caption is being labelled in another window, too.");
  }

  /** Another window of the person has closed. */
  windowClosed(tab) {
    this.drafts.openWindows.delete(tab);
    this.screen.shared(this.#isShared);
  }

  get #isShared() { return Boolean(this.caption) && this.drafts.isShared(this.caption); }

  /** Open a caption again, as a record of the journal or a task of the server has it. */
  reopen(task, record = null) {
    this.queue.open(new Caption(task, record));
    this.show();
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

  /** Keep one of two versions; where it is the other window's, this window has it from now on. */
  async resolve(ours) {
    const { entry, rival, caption } = this.sheets.conflicts.shown;
    if (rival) this.#resolveRival(rival, caption, ours);
    else await this.#resolveConflict(entry, ours);
    this.sheets.conflicts.open();
    this.show();
  }

  async #resolveConflict(entry, ours) {
    await this.sync.resolve(entry, ours);
    const { record, current } = entry;
    const caption = this.queue.find(record.item);
    if (ours) {
      // It is sent under another name, and the caption at hand still is the one that was sent.
      caption?.edits.push(record.edit);
      return;
    }
    // What was made of the version that is given up goes with it, or it would be back with the page.
    this.drafts.drop(caption ?? new Caption(record.task, record));
    if (caption) this.queue.replace(caption, new Caption({ ...record.task, annotation: current }));
  }

  #resolveRival(rival, caption, ours) {
    let chosen = caption;
    if (!ours) {
      const { task, base, edits, over } = caption;
      chosen = new Caption(task, { ...rival, base, edits });
      chosen.over = { ...over, ...chosen.over };
      this.queue.replace(caption, chosen);
      this.queue.open(chosen);
    }
    this.drafts.choose(chosen, rival);
  }

  /** Show all as it is. */
  show() {
    const { caption } = this;
    this.screen.show(caption, this.buffer);
    this.screen.shared(this.#isShared);
    this.player.load(caption?.task);
    if (caption) this.view.show(caption);
    else this.view.clear();
    this.tick();
  }

  /** Let the clock of the caption in hand run, and no other. */
  tick() {
    const now = performance.now();
    if (this.#timed !== this.caption) this.#timed?.pause(now);
    this.#timed = this.caption;
    if (document.hidden) this.#timed?.pause(now);
    else this.#timed?.tick(now);
  }

  /** More captions came, or none: the caption in hand stays as it is on the screen. */
  refresh() {
    if (this.caption && this.view.shows(this.caption)) this.screen.progress(this.buffer);
    else this.show();
  }

  #edited(message, cut = []) {
    this.show();
    const taken = this.screen.tell(cut);
    this.screen.say(taken ? `${message}. ${taken}` : message);
    this.drafts.keep(this.caption);
  }
}
