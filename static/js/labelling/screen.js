/**
 * Everything on the page that is not the words: the caption's state, hints, notices, what is said aloud.
 */
import { Status } from "./status.js";

const ANSWERED = { accept: "Accepted", reject: "Rejected", ignore: "Skipped" };
const LACKS = {
  "": "Fetching captions.",
  done: "Everything is done or with others.",
  away: "The server cannot be reached. The next captions come as soon as it answers.",
};

function smallButton(text, dataset) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button--small";
  button.textContent = text;
  Object.assign(button.dataset, dataset);
  return button;
}

export class Screen {
  #announced = { conflicts: 0, refused: 0 };

  constructor(root, view, urls) {
    this.root = root;
    this.view = view;
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.status = new Status(root, (text) => this.say(text), urls);
  }

  show(caption, buffer) {
    const isEmpty = !caption;
    const words = this.part("words");
    const comes = words.hidden && !isEmpty;
    words.hidden = isEmpty;
    // Who was on something else, such as the comment, stays there.
    if (comes && document.activeElement === document.body) words.focus({ preventScroll: true });
    this.part("hint").hidden = isEmpty;
    this.part("empty").hidden = !isEmpty;
    this.root.querySelectorAll("[data-needs-caption]").forEach((button) => {
      button.disabled = isEmpty;
    });
    this.part("comment").disabled = isEmpty;
    this.part("empty-text").textContent = LACKS[buffer.lack];
    this.progress(buffer);
    if (caption) this.#showState(caption);
  }

  /** Tell that the work on the caption was begun in another window, which is still open. */
  shared(isShared) { this.part("shared").hidden = !isShared; }

  progress({ own }) {
    if (own) this.status.progress(own);
  }

  #showState(caption) {
    this.part("title").textContent = `Caption ${caption.task.position + 1}`;
    this.part("flagged").hidden = !caption.flagged;
    this.root.querySelector("[data-do=flag]").setAttribute("aria-pressed", String(caption.flagged));
    const { answer } = caption;
    this.part("answered").hidden = !answer;
    const since = caption.hasDraft ? ", changed since: accept it again to save" : "";
    this.part("answered").textContent = answer ? `${ANSWERED[answer]} before${since}` : "";
    const comment = this.part("comment");
    if (comment.value !== caption.comment) comment.value = caption.comment;
    this.part("hint").textContent = "";
    this.#showSuggestions(caption);
  }

  /** Say how many suggestions can be taken; without any the buttons have nothing to do. */
  #showSuggestions(caption) {
    const place = this.part("suggested");
    if (!place) return;
    const open = caption.suggestions(this.view.labels);
    place.hidden = !caption.task.suggestion;
    const count = `${open.length} ${open.length === 1 ? "suggestion" : "suggestions"}`;
    const who = caption.task.suggestion?.labeller;
    this.part("suggested-text").textContent = open.length ? `${count} by ${who}` : "No suggestion left";
    place.querySelectorAll("button").forEach((button) => { button.disabled = !open.length; });
  }

  /** Say what letting go of the words first..last would take from other spans. */
  hint(caption, first, last, isChoice) {
    this.tell(isChoice ? [] : caption.cutBy(first, last));
  }

  /** Show what is taken from other spans; give the text. */
  tell(cut) {
    const text = cut.map(({ label, words }) => (
      `Takes ${words} ${words === 1 ? "word" : "words"} from ${this.view.titleOf(label)}`
    )).join(". ");
    this.part("hint").textContent = text;
    return text;
  }

  saving(sync, lasting) {
    this.status.saving(sync, lasting);
    this.refused(sync.refused);
  }

  /** Tell how many captions wait for a choice between two versions. */
  conflicts(count) {
    this.part("conflicts").hidden = count === 0;
    const text = count === 1
      ? "A caption was changed in another window as well."
      : `${count} captions were changed in another window as well.`;
    this.part("conflicts-text").textContent = text;
    this.#sayMore("conflicts", count, text);
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
  }

  say(text) {
    this.part("live").textContent = text;
  }

  saySaved(count, isChanged) {
    const text = isChanged && !count
      ? "This caption was changed since it was answered. Accept it again to save."
      : this.status.notSaved(count);
    this.part("hint").textContent = text;
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
