/**
 * What the server finds in a text while it is written: a list, with what could stand instead.
 *
 * A finding is {kind, start, end, text, message, suggestions}: start and end count code points, and
 * `text` is what stands there. The server is asked a moment after the last key. While it cannot be
 * reached the list has what is known of what still stands; nothing waits for it.
 */
import { Unreachable } from "../api.js";

// In milliseconds after the last key.
const PAUSE = 600;

const stands = (text, finding) => [...text].slice(finding.start, finding.end).join("") === finding.text;

/** The text with a suggestion in the place of what was found; a word that is taken out takes a space along. */
export function replaced(text, { start, end }, suggestion) {
  const marks = [...text];
  const [before, after] = [marks.slice(0, start).join(""), marks.slice(end).join("")];
  if (suggestion) return before + suggestion + after;
  return (before + after.replace(/^\s+/u, "")).trimEnd();
}

export class TextFindings {
  #found = [];
  #item = null;
  #text = "";
  #timer = 0;

  /** `choose(text)` is called with the whole text where a suggestion was chosen. */
  constructor(list, { api, screen, choose }) {
    Object.assign(this, { list, api, screen, choose });
    list.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) this.#chosen(button.dataset);
    });
  }

  /** The text of a task as it is now. */
  look(item, text) {
    if (item === this.#item && text === this.#text) return;
    const known = item === this.#item ? this.#found : [];
    this.#item = item;
    this.#text = text;
    this.#show(known.filter((finding) => stands(text, finding)));
    clearTimeout(this.#timer);
    if (text.trim()) this.#timer = setTimeout(() => this.#ask(item, text), PAUSE);
  }

  async #ask(item, text) {
    try {
      const { status, body } = await this.api.check(item, text);
      if (status !== 200 || item !== this.#item || text !== this.#text) return;
      const isMore = body.findings.length > this.#found.length;
      this.#show(body.findings);
      const count = this.#found.length;
      if (isMore) this.screen.say(`${count} ${count === 1 ? "finding" : "findings"} in the text.`);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  #chosen({ finding, suggestion }) {
    const found = this.#found[Number(finding)];
    this.choose(replaced(this.#text, found, found.suggestions[Number(suggestion)]));
  }

  #show(found) {
    if (JSON.stringify(found) === JSON.stringify(this.#found)) return;
    this.#found = found;
    const hadHands = this.list.contains(document.activeElement);
    this.list.hidden = found.length === 0;
    this.list.replaceChildren(...found.map((finding, place) => lineOf(finding, place, this.#text)));
    // Written anew, the buttons are others than the one that hands were on.
    if (hadHands) this.list.querySelector("button")?.focus();
    this.screen.takeHands(hadHands);
  }
}

function lineOf({ text, message, suggestions }, place, whole) {
  const line = document.createElement("li");
  line.className = "finding";
  const said = document.createElement("span");
  said.textContent = text.trim() === whole.trim() ? message : `\u201c${text}\u201d: ${message}`;
  line.append(said, ...suggestions.map((suggestion, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button--small";
    button.textContent = suggestion || "Take out";
    const instead = `Write \u201c${suggestion}\u201d instead of \u201c${text}\u201d`;
    button.setAttribute("aria-label", suggestion ? instead : `Take out \u201c${text}\u201d`);
    Object.assign(button.dataset, { finding: place, suggestion: i });
    return button;
  }));
  return line;
}
