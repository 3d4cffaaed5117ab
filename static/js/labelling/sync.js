/**
 * Bringing answers to the server: one after another, each until it has arrived.
 *
 * An answer is a record of the journal. The same record may be sent any number of times, for
 * the server knows an edit by its name. What the server cannot take (409: changed elsewhere,
 * 4xx: refused) is set aside and kept, and holds nothing else up.
 *
 * `state` is "saved", "saving", "waiting" (no answer from the server; tried again), or
 * "stranger" (nobody, or someone else, is logged in).
 */
import { Unreachable } from "./api.js";
import { newId } from "./ids.js";
import { keepIn } from "./drafts.js";
import { keyOf } from "./journal.js";

const FIRST_WAIT = 1000;
// A disk that does not answer must not keep an answer from the server.
const DISK_WAIT = 300;
const LONGEST_WAIT = 15_000;

export class Sync extends EventTarget {
  state = "saved";
  detail = "";
  /** Who else is logged in, "" for nobody. */
  person = "";
  /** Whether the answer that arrived last counts. */
  counts = true;
  #entries = new Map();
  #busy = false;
  #wait = FIRST_WAIT;
  #timer = 0;

  constructor(api, journal, kind) {
    super();
    Object.assign(this, { api, journal, kind });
  }

  /** How many answers are not on the server, those set aside included. */
  get count() { return this.#entries.size; }

  get conflicts() { return this.#in("conflict"); }

  get refused() { return this.#in("refused"); }

  /** How many of those that are still to be sent are first answers to their task. */
  get unsentFirsts() {
    return this.#in("waiting").filter(({ record }) => isFirst(record)).length;
  }

  has(item) { return this.recordOf(item) !== null; }

  /** Give the answer to a task that has not arrived, null where there is none. */
  recordOf(item) {
    return [...this.#entries.values()].map(({ record }) => record)
      .find((record) => record.item === item) ?? null;
  }

  /** Take an answer; it is in the journal before it is on its way, unless that takes long. */
  async add(record) {
    this.#entries.set(keyOf(record), { record, state: "waiting" });
    if (this.state === "saved") this.#become("saving");
    else this.#tell();
    await this.#keep(record);
    this.kick();
  }

  /** Take up what an earlier sitting left in the journal. */
  resume(records) {
    records.forEach((record) => this.#entries.set(keyOf(record), { record, state: "waiting" }));
    this.kick();
  }

  /** Try now, whatever was waited for. */
  kick() {
    clearTimeout(this.#timer);
    this.#run();
  }

  /** The project is open again: what was refused may be taken now, and what did not count may count. */
  again() {
    this.counts = true;
    this.refused.forEach((entry) => Object.assign(entry, { state: "waiting", isDoomed: false }));
    this.kick();
  }

  /** The page is going: send all at once, in requests that outlive it. */
  flush() {
    this.#in("waiting").forEach(({ record }) => {
      this.api.save(record.item, this.#changeOf(record), { last: true }).catch(() => {});
    });
  }

  /** Resolve a conflict: keep ours over the server's, or drop ours. */
  async resolve(entry, keepOurs) {
    if (!keepOurs) {
      this.#arrived(entry, entry.current);
      return;
    }
    entry.record.base = entry.current.version;
    // The server may have met the old name, and overtaken it; ours is a change of its own now.
    entry.record.edit = newId();
    entry.record.edits.push(entry.record.edit);
    entry.state = "waiting";
    await this.#keep(entry.record);
    this.kick();
  }

  /** The server answered that nobody, or another person, is logged in. */
  estrange(body) {
    this.person = body?.person ?? "";
    return this.#later("stranger", this.person ? `${this.person} is logged in now.` : "You are logged out.");
  }

  /** Another request was answered: the person is logged in. */
  welcome() {
    if (this.state !== "stranger") return;
    this.#become("saving");
    this.kick();
  }

  /** Give up on an answer that the server refuses. */
  discard(entry) {
    this.#remove(entry);
    this.#become(this.#in("waiting").length ? this.state : "saved");
  }

  #keep(record) {
    const late = new Promise((resolve) => { setTimeout(resolve, DISK_WAIT); });
    return Promise.race([keepIn(this.journal, record), late]);
  }

  #in(state) {
    return [...this.#entries.values()].filter((entry) => entry.state === state);
  }

  async #run() {
    if (this.#busy) return;
    this.#busy = true;
    try {
      let entry = this.#in("waiting")[0];
      while (entry && await this.#send(entry)) entry = this.#in("waiting")[0];
      // With nothing to send, only another request can tell that one is logged in again.
      if (!entry && this.state !== "stranger") {
        this.#wait = FIRST_WAIT;
        this.#become("saved");
      }
    } finally {
      this.#busy = false;
    }
  }

  /** Send one; false where it is no use to go on now. */
  async #send(entry) {
    if (this.state === "saved") this.#become("saving");
    const { record } = entry;
    const { edit } = record;
    try {
      let answer = await this.api.save(record.item, this.#changeOf(record));
      if (answer.status === 403) {
        await this.api.renew();
        answer = await this.api.save(record.item, this.#changeOf(record));
      }
      return this.#heard(entry, edit, answer);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return this.#later("waiting", "The server cannot be reached.");
    }
  }

  #heard(entry, edit, { status, body }) {
    // What stands there is not ours: another window has changed it since.
    if (status === 200 && body?.edit !== edit) return this.#outdated(entry, body);
    if (status === 200) {
      this.#wait = FIRST_WAIT;
      if (this.state !== "saving") this.#become("saving");
      this.#arrived(entry, body, edit);
      return true;
    }
    if (status === 409 && body?.current) return this.#outdated(entry, body.current);
    if (status === 401) return this.estrange(body);
    // Others go first next time: what the server stumbles over must not hold them up.
    if (status >= 500) this.#last(entry);
    if (status === 403 || status === 408 || status === 429 || status >= 500 || !body) {
      return this.#later("waiting", "The server is busy or has a problem.");
    }
    entry.state = "refused";
    entry.reason = body.detail ?? String(status);
    this.dispatchEvent(new Event("refused"));
    this.#tell();
    return true;
  }

  /** An edit of ours that we never heard of again is what ours was made on; all else is a conflict. */
  #outdated(entry, current) {
    if (entry.record.edits.includes(current.edit)) {
      entry.record.base = current.version;
      return true;
    }
    entry.state = "conflict";
    entry.current = current;
    this.#tell();
    return true;
  }

  #arrived(entry, annotation, edit = entry.record.edit) {
    // Meanwhile a later answer to the same task may have taken the entry's place.
    const now = this.#entries.get(keyOf(entry.record));
    if (now && now.record.edit !== edit) now.record.base = annotation.version;
    else this.#remove(entry);
    this.counts = annotation.counts;
    const detail = { record: entry.record, annotation };
    this.dispatchEvent(new CustomEvent("arrived", { detail }));
    this.#tell();
  }

  #last(entry) {
    const key = keyOf(entry.record);
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  #remove(entry) {
    this.#entries.delete(keyOf(entry.record));
    this.journal.drop(entry.record).catch(() => {});
  }

  #later(state, detail) {
    this.detail = detail;
    this.#become(state);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), this.#wait * (0.8 + 0.4 * Math.random()));
    this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2);
    return false;
  }

  /** What is sent of a record: what all kinds of work send, and what this one says besides. */
  #changeOf(record) {
    const { edit, base, answer, flagged, comment, seconds, scheme, sent_back: sentBack } = record;
    const own = this.kind.sentOf(record);
    return { edit, base, answer, flagged, comment, seconds, scheme, sent_back: sentBack ?? null, ...own };
  }

  #become(state) {
    this.state = state;
    this.#tell();
  }

  #tell() { this.dispatchEvent(new Event("change")); }
}

/** Tell whether an answer is one more that counts, and not a change of one that does. */
export const isFirst = ({ base, sent_back: sentBack }) => base === 0 || Boolean(sentBack);
