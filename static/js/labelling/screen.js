/**
 * Everything on the page that is the same in all kinds of work: the state of the task, hints, notices,
 * what is said aloud. `place` is where the work stands, and where hands are between keys.
 */
import { ANSWERED } from "./answers.js";
import { ClosedNotice, moment } from "./closed-notice.js";
import { FinishedWork } from "./finished-work.js";
import { RemovedNotice } from "./removed-notice.js";
import { Status } from "./status.js";

// In milliseconds: what is said within this time of one another is said together.
const TOGETHER = 100;
// A slider has keys of its own for moving and leaves the others to the page.
export const SLIDER = "input[type=range]";
const lacksOf = (tasks) => ({
  "": `Fetching ${tasks}.`,
  done: "Everything is done or with others.",
  qualify: `${tasks[0].toUpperCase()}${tasks.slice(1)} come to you once you have qualified.`,
  away: `The server cannot be reached. The next ${tasks} come as soon as it answers.`,
});

function smallButton(text, dataset) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button--small";
  button.textContent = text;
  Object.assign(button.dataset, dataset);
  return button;
}

export class Screen {
  #isEmpty = true;
  #emptyTitle;
  #saying = [];
  #announced = { conflicts: 0, refused: 0 };

  constructor(root, kind, urls) {
    Object.assign(this, { root, kind, lacks: lacksOf(kind.terms.tasks) });
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.place = this.part("work");
    this.#emptyTitle = this.part("title").textContent;
    this.status = new Status(root, (text) => this.say(text), urls);
    this.notice = new ClosedNotice(root);
    this.finished = new FinishedWork(root);
    this.removed = new RemovedNotice(root, kind, (text) => this.say(text));
  }

  /** Show that there is work, else why there is none. */
  show(work, lack) {
    const isEmpty = !work;
    const { place, lacks } = this;
    const empty = this.part("empty");
    const comes = place.hidden && !isEmpty;
    place.hidden = isEmpty;
    // Who was on something else, such as the comment, stays there.
    const { activeElement } = document;
    if (comes && [document.body, this.notice.panel, empty].includes(activeElement)) {
      place.focus({ preventScroll: true });
    }
    this.part("hint").hidden = isEmpty;
    this.sentBack(work);
    empty.hidden = !isEmpty;
    this.root.querySelectorAll("[data-needs-work]").forEach((button) => {
      button.disabled = isEmpty;
    });
    this.part("comment").disabled = isEmpty;
    const isNews = isEmpty && Boolean(lack) && this.part("empty-text").textContent !== lacks[lack];
    this.part("empty-text").textContent = lacks[lack];
    // Who comes to the place that says it hears it there.
    if (!this.takeHands(isNews) && isNews) this.say(lacks[lack]);
    if (work && this.#isEmpty) this.say(this.#nameOf(work.task));
    this.#isEmpty = isEmpty;
    this.#showObjection(work);
    if (work) this.#showState(work);
    else this.part("title").textContent = this.#emptyTitle;
  }

  /** Whoever was on what has gone, or with `isLoose` on nothing, goes on with the work or what stands in its place. */
  takeHands(isLoose = false) {
    const { activeElement } = document;
    const isLost = !activeElement.checkVisibility() || activeElement.disabled
      || (isLoose && activeElement === document.body);
    if (!isLost || document.querySelector("dialog[open]")) return false;
    const places = [this.place, this.notice.panel, this.part("empty")];
    places.find((place) => place.checkVisibility())?.focus({ preventScroll: true });
    return true;
  }

  /** Show that the project is closed in place of all that labels; null: it is open. */
  closed(closed, work) {
    if (closed) this.notice.show(closed, work);
    else this.notice.hide();
  }

  /** Tell why the answer was sent back or refused, where it was. */
  sentBack(work) {
    const place = this.part("sent-back");
    const [back, done] = work?.refused ? [work.refused, "Refused"] : [work?.sentBack, "Sent back"];
    const text = back
      ? `${done}${back.by ? ` by ${back.by}` : ""} on ${moment.format(new Date(back.at))}: ${back.note}`
      : "";
    if (place.textContent === text) return;
    place.textContent = text;
    place.hidden = !text;
    if (text) this.say(text);
  }

  /** Tell that the work was begun in another window, which is still open. */
  shared(isShared) { this.part("shared").hidden = !isShared; }

  /** Show one's own progress, null where the server has not said any. */
  progress(own) {
    if (own) this.status.progress(own);
    const wasTold = !this.part("qualify").hidden;
    this.part("qualify").hidden = !own?.must_qualify;
    if (own?.must_qualify && !wasTold) this.say(this.part("qualify-text").textContent);
    this.finished.show(own?.finished ?? null);
  }

  /** What is said of a task when it comes to an empty page. */
  #nameOf(task) {
    const title = this.kind.titleOf(task);
    return title === task.text ? title : `${title}: ${task.text}`;
  }

  #showState(work) {
    this.part("title").textContent = this.kind.titleOf(work.task);
    this.part("flagged").hidden = !work.flagged;
    this.root.querySelector("[data-do=flag]").setAttribute("aria-pressed", String(work.flagged));
    const { answer } = work;
    this.part("answered").hidden = !answer;
    const since = work.hasDraft ? ", changed since: accept it again to save" : "";
    this.part("answered").textContent = answer ? `${ANSWERED[answer]} before${since}` : "";
    const comment = this.part("comment");
    if (comment.value !== work.comment) comment.value = work.comment;
    this.hint("");
  }

  /** Say at the button why the work cannot be accepted yet, in kinds of which some cannot. */
  #showObjection(work) {
    const place = this.part("objection");
    if (!place) return;
    const text = work ? this.kind.objection(work) : "";
    if (place.textContent !== text) place.textContent = text;
    this.root.querySelector("[data-do=accept]").setAttribute("aria-disabled", String(Boolean(text)));
  }

  /** Show in a line below the work what is to be known of it now. */
  hint(text) { this.part("hint").textContent = text; }

  /** After a click (and not after enter) on a button the keys go on with the work. */
  goOnAfter(event) {
    const { activeElement } = document;
    if (event.detail > 0 && activeElement?.matches(`button, ${SLIDER}`)) this.place.focus({ preventScroll: true });
  }

  saving(sync, lasting) {
    this.status.saving(sync, lasting);
    this.refused(sync.refused);
  }

  /** Tell how many tasks wait for a choice between two versions. */
  conflicts(count) {
    this.part("conflicts").hidden = count === 0;
    const text = count === 1
      ? `A ${this.kind.terms.task} was changed in another window as well.`
      : `${count} ${this.kind.terms.tasks} were changed in another window as well.`;
    this.part("conflicts-text").textContent = text;
    this.#sayMore("conflicts", count, text);
    this.takeHands();
  }

  /** Say aloud what has become more. */
  #sayMore(name, count, text) {
    if (count > this.#announced[name]) this.say(text);
    this.#announced[name] = count;
  }

  /** List what the server does not take. */
  refused(entries) {
    this.#sayMore("refused", entries.length, `Not saved. ${entries.at(-1)?.reason}`);
    const list = this.part("refused");
    if (entries.length === 0 && !list.firstChild) return;
    const { reopen, discard } = list.contains(document.activeElement) ? document.activeElement.dataset : {};
    list.replaceChildren(...entries.map((entry, i) => {
      const notice = document.createElement("p");
      notice.className = "notice notice--error";
      const text = document.createElement("span");
      text.textContent = `Not saved: "${entry.record.task.text}". ${entry.reason} `;
      notice.append(
        text,
        smallButton("Open again", { reopen: i }),
        " ",
        // What is discarded is gone, so it takes two presses.
        smallButton(entry.isDoomed ? "Discard it for good" : "Discard", { discard: i }),
      );
      return notice;
    }));
    // Written anew, the buttons are others than the one that hands were on.
    const again = discard ? `[data-discard="${discard}"]` : `[data-reopen="${reopen}"]`;
    if (discard ?? reopen) (list.querySelector(again) ?? this.place).focus({ preventScroll: true });
  }

  /** Have text read out; what comes at once is read together, and the same again is read again. */
  say(text) {
    this.#saying.push(text);
    if (this.#saying.length > 1) return;
    setTimeout(() => {
      const live = this.part("live");
      const all = this.#saying.splice(0).join(" ");
      // A region that has the same text as before is silent.
      live.textContent = all === live.textContent ? `${all}\u00a0` : all;
    }, TOGETHER);
  }

  saySaved(count, isChanged) {
    const text = isChanged && !count
      ? `This ${this.kind.terms.task} was changed since it was answered. Accept it again to save.`
      : this.status.notSaved(count);
    this.hint(text);
    this.say(text);
  }

  showKeys(keys, shown) {
    this.root.querySelectorAll("[data-key]").forEach((cap) => {
      const key = keys.keyOf(cap.dataset.key);
      cap.textContent = shown(key);
      cap.hidden = !key;
    });
  }
}
