/**
 * Which key does what.
 *
 * Commands have Prodigy's keys. A kind of work adds its own, and choices, such as labels: each has a
 * letter, and digits for the first twenty (with shift for those after the tenth). Letters can be
 * changed; what was changed is kept for the person and the scheme (key-store.js). A letter is given
 * once: commands first, then choices in order.
 */
const commandsOf = ({ task, done }) => [
  { id: "accept", group: "answers", key: "a", title: "Accept and go on" },
  { id: "reject", group: "answers", key: "x", title: `Reject: the ${task} is not fit to be ${done}` },
  { id: "ignore", group: "answers", key: " ", title: "Skip: leave it undecided" },
  { id: "flag", group: "answers", key: "f", title: "Flag for someone to look at" },
  { id: "comment", group: "answers", key: "c", title: "Write a comment" },
  { id: "play", group: "sound", key: "p", title: "Play or pause the sound" },
  { id: "guidelines", group: "help", key: "h", title: "Guidelines" },
  { id: "keys", group: "help", key: "?", title: "All keys" },
];
// A kind's choices come before these: none loses its letter to them.
const SOUND = [
  { id: "restart", group: "sound", key: "y", title: "Play the sound from its start" },
  { id: "sound-back", group: "sound", key: "<", title: "One second back in the sound" },
  { id: "sound-ahead", group: "sound", key: ">", title: "One second forward in the sound" },
  { id: "loop", group: "sound", key: "u", title: "Repeat the sound, on or off" },
];

const FIXED = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "first",
  End: "last", Backspace: "back", Delete: "back", Escape: "escape",
};
const MOVES = new Set(["left", "right", "up", "down", "first", "last"]);
const WITH_CONTROL = { s: "save", z: "undo", y: "redo" };
const NAMES = { " ": "space" };
// Kept with the changed keys, as "", by whom keys without ctrl would disturb: what is spoken to a
// computer reaches the page as letters.
const SINGLE = "single-keys";

export const shownKey = (key) => NAMES[key] ?? key;

export class Keys {
  /**
   * `store` has read and write of what was changed, `terms` what the kind of work calls its tasks.
   * The kind's own rows are {id, group, key, title}: commands, choices, and extras, which take no
   * letter from any other.
   */
  constructor(store, { terms, keys: { commands = [], choices = [], extras = [] } }) {
    this.choices = choices.map((row) => ({ ...row, isChoice: true }));
    this.rows = [...commandsOf(terms), ...commands, ...this.choices, ...SOUND, ...extras];
    this.store = store;
    this.changed = store.read();
  }

  /** List everything that has a letter: {id, group, title, key}; the sheet of keys shows it by group. The key is "" where another has it. */
  list() {
    const given = new Set();
    const wishes = this.rows.map((row) => ({ ...row, key: this.changed[row.id] ?? row.key }));
    // What someone chose comes before what is proposed.
    const first = wishes.filter(({ id }) => id in this.changed);
    const taken = new Map();
    [...first, ...wishes].forEach(({ id, key }) => {
      if (key && !given.has(key)) { given.add(key); taken.set(key, id); }
    });
    return wishes.map((row) => ({ ...row, key: taken.get(row.key) === row.id ? row.key : "" }));
  }

  /** Whether keys without ctrl do more than move. */
  get isSingle() { return this.changed[SINGLE] !== ""; }

  setSingle(isOn) {
    if (isOn) delete this.changed[SINGLE];
    else this.changed[SINGLE] = "";
    this.store.write(this.changed);
  }

  /** The key as buttons show it: none where it does nothing. */
  keyOf(id) {
    if (!this.isSingle) return "";
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
    if (!this.isSingle) return null;
    // A character of its own goes first: on some keyboards it stands on a digit's key.
    // A choice may have a letter of another script; without one, the key is the Latin letter there.
    const rows = this.list();
    const having = (character) => rows.find(({ key }) => key && key === character);
    const own = having(event.key) ?? having(letterOf(event));
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
    return this.choices[place]?.id ?? null;
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
