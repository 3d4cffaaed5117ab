/**
 * Which key does what.
 *
 * Commands have Prodigy's keys; each label has its own letter, and digits for the first twenty
 * (with shift for those after the tenth). Letters can be changed; what was changed is kept for
 * the person and the scheme (key-store.js). A letter is given once: commands first, then labels in order.
 */
export const COMMANDS = [
  { id: "accept", key: "a", title: "Accept and go on" },
  { id: "reject", key: "x", title: "Reject: the caption is not fit to be labelled" },
  { id: "ignore", key: " ", title: "Skip: leave it undecided" },
  { id: "flag", key: "f", title: "Flag for someone to look at" },
  { id: "comment", key: "c", title: "Write a comment" },
  { id: "grow-left", key: ",", title: "Take the word before into the span" },
  { id: "grow-right", key: ".", title: "Take the word after into the span" },
  { id: "unlabel", key: "-", title: "Take the label off" },
  { id: "next", key: "k", title: "Next word that is no function word" },
  { id: "previous", key: "j", title: "Previous word that is no function word" },
  { id: "play", key: "p", title: "Play the audio, again from its start" },
  { id: "guidelines", key: "h", title: "Guidelines" },
  { id: "keys", key: "?", title: "All keys" },
];

// Only where the project suggests labels. Labels come first: none loses its letter to these.
export const TAKES = [
  { id: "take", key: "s", title: "Take the suggestion under the cursor" },
  { id: "take-all", key: "l", title: "Take all suggestions" },
];

const FIXED = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "first",
  End: "last", Backspace: "back", Delete: "back", Escape: "escape",
};
const MOVES = new Set(["left", "right", "up", "down", "first", "last"]);
const WITH_CONTROL = { s: "save", z: "undo", y: "redo" };
const NAMES = { " ": "space" };

export const shownKey = (key) => NAMES[key] ?? key;

export class Keys {
  /** `store` has read and write of what was changed; `suggests`: there are suggestions to take. */
  constructor(labels, store, { suggests = false } = {}) {
    this.labels = labels;
    this.suggests = suggests;
    this.store = store;
    this.changed = store.read();
  }

  /** List everything that has a letter: {id, title, key}. The key is "" where another has it. */
  list() {
    const given = new Set();
    const rows = [...COMMANDS, ...this.labels.map((label) => (
      { id: `label:${label.name}`, key: label.key, title: label.title, label: label.name }
    )), ...this.suggests ? TAKES : []];
    const wishes = rows.map((row) => ({ ...row, key: this.changed[row.id] ?? row.key }));
    // What someone chose comes before what the scheme proposes.
    const first = wishes.filter(({ id }) => id in this.changed);
    const taken = new Map();
    [...first, ...wishes].forEach(({ id, key }) => {
      if (key && !given.has(key)) { given.add(key); taken.set(key, id); }
    });
    return wishes.map((row) => ({ ...row, key: taken.get(row.key) === row.id ? row.key : "" }));
  }

  keyOf(id) {
    return this.list().find((row) => row.id === id)?.key ?? "";
  }

  /** Give a row another key; who had it gets the row's own in exchange. */
  change(id, key) {
    const rows = this.list();
    const own = rows.find((row) => row.id === id);
    const holder = rows.find((row) => row.key === key && row.id !== id);
    this.changed[id] = key;
    if (holder) this.changed[holder.id] = own.key;
    this.store.write(this.changed);
  }

  reset() {
    this.changed = {};
    this.store.write(this.changed);
  }

  /** Tell what a key event asks for: an id of `list()`, a fixed name such as "left", or null. */
  meaning(event) {
    if (event.altKey || event.isComposing) return null;
    if (event.ctrlKey || event.metaKey) return this.#withControl(event);
    if (FIXED[event.key]) return this.#fixed(event);
    // A character of its own goes first: on some keyboards it stands on a digit's key.
    const letter = letterOf(event);
    const own = this.list().find((row) => row.key === letter);
    if (own) return own.id;
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    return digit === undefined ? null : this.#digit(Number(digit), event.shiftKey);
  }

  #fixed({ key, shiftKey }) {
    return shiftKey && MOVES.has(FIXED[key]) ? `extend-${FIXED[key]}` : FIXED[key];
  }

  #withControl(event) {
    const { key, code } = event;
    const asked = WITH_CONTROL[letterOf({ key, code, shiftKey: false })];
    return asked === "undo" && event.shiftKey ? "redo" : asked ?? null;
  }

  #digit(digit, shift) {
    const place = (digit || 10) - 1 + (shift ? 10 : 0);
    return this.labels[place] ? `label:${this.labels[place].name}` : null;
  }
}

/** Give the character that a key event stands for; of other scripts, the Latin letter in that place. */
export function letterOf({ key, code, shiftKey }) {
  if (key.length !== 1) return null;
  const latin = /^Key([A-Z])$/.exec(code ?? "")?.[1];
  if (/\p{L}/u.test(key)) {
    if (shiftKey) return null;
    return /[a-z]/i.test(key) ? key.toLowerCase() : latin?.toLowerCase() ?? key;
  }
  return key;
}
