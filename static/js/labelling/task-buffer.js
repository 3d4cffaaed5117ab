/**
 * Captions at hand: fetched ahead, so that the next one is there before it is asked for.
 */
import { Unreachable } from "./api.js";
import { Caption } from "./caption.js";

const AT_HAND = 6;
const FETCHED = 10;
const LOW = 4;
const MOST = 12;
const AGAIN = 3000;
// Between the server's answer and our hearing of it.
const LATE = 60_000;

export class TaskBuffer {
  own = null;
  /** Why nothing is in hand: "", "done" (nothing is left) or "away" (the server was not reached). */
  lack = "";
  #busy = false;
  #again = false;
  /** Whether answers were on their way when the server counted, so that some may be counted twice. */
  #isRough = false;
  #isCounting = false;
  #given = 0;
  /** How far the server's clock is ahead of this one. Unlike the page's own, both go on in sleep. */
  #ahead = 0;
  /** For how long captions are held since they were last asked for. */
  #lease = 0;

  constructor({ api, queue, sync, changed }) {
    Object.assign(this, { api, queue, sync, changed });
  }

  get isLow() { return this.queue.upcoming.length < LOW; }

  /** A caption was answered for the first time. */
  count() {
    this.#given += 1;
    this.#ownBy(1);
  }

  /** Take the counts from the server once nothing is on its way that it may or may not have counted. */
  async recount() {
    if (this.sync.state === "waiting" || this.sync.state === "stranger") this.#isRough = true;
    if (!this.#isRough || this.#isCounting || this.sync.unsentFirsts) return;
    this.#isCounting = true;
    const given = this.#given;
    try {
      const { status, body } = await this.api.own();
      if (status === 200 && given === this.#given) {
        this.#isRough = false;
        this.own = body;
        this.changed();
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    } finally {
      this.#isCounting = false;
    }
  }

  /** Fetch more where fewer than six are to come; one request at a time. */
  async fill() {
    const isEnough = this.queue.upcoming.length >= AT_HAND && !this.#runsOut();
    if (isEnough && this.sync.state !== "stranger") return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    try {
      do {
        this.#again = false;
        await this.#fetch();
      } while (this.#again && !this.queue.current);
    } finally {
      this.#busy = false;
    }
  }

  /** After a long time away: ask again, for captions to come may have gone to others. */
  async renew() {
    this.queue.upcoming.filter((one) => this.#heldFor(one) < LATE)
      .forEach(({ id }) => this.queue.leave(id));
    await this.fill();
  }

  /** Tell whether half of a caption's time is over: asking keeps it from going to someone else. */
  #runsOut() {
    const { current, upcoming } = this.queue;
    return [current, ...upcoming].some((one) => {
      const left = one && one.answer === null ? this.#heldFor(one) : 0;
      return left > 0 && left < this.#lease / 2;
    });
  }

  #heldFor({ task }) {
    return Date.parse(task.held_until) - Date.now() - this.#ahead;
  }

  async #fetch() {
    // Those that are answered but have not arrived are still held as far as the server knows.
    const unsent = this.sync.count;
    if (this.sync.unsentFirsts) this.#isRough = true;
    try {
      const { status, body } = await this.api.takeTasks(Math.min(MOST, FETCHED + unsent));
      if (status !== 200) {
        if (status === 401) this.sync.estrange(body);
        this.#away();
        return;
      }
      this.#hold(body);
      this.sync.welcome();
      this.own = body.own;
      this.#ownBy(this.sync.unsentFirsts);
      if (this.sync.unsentFirsts) this.#isRough = true;
      const fresh = body.tasks.filter(({ id }) => !this.queue.knows(id) && !this.sync.has(id));
      this.queue.add(fresh.map((task) => new Caption(task)));
      this.lack = this.queue.current ? "" : "done";
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.#away();
      return;
    }
    this.changed();
    await this.recount();
  }

  /** What is held already is held longer now. */
  #hold({ now, tasks }) {
    this.#ahead = Date.parse(now) - Date.now();
    tasks.forEach(({ id, held_until: until }) => {
      this.#lease = Date.parse(until) - Date.parse(now);
      const caption = this.queue.find(id);
      if (caption) caption.task.held_until = until;
    });
  }

  #away() {
    this.lack = this.queue.current ? "" : "away";
    this.changed();
    if (this.lack) setTimeout(() => this.fill(), AGAIN);
  }

  #ownBy(answers) {
    if (!this.own) return;
    const { answered, today, left } = this.own;
    this.own = {
      ...this.own,
      answered: answered + answers,
      today: today + answers,
      left: Math.max(0, left - answers),
    };
  }
}
