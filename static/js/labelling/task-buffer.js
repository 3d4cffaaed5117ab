/**
 * Tasks at hand: fetched ahead, so that the next one is there before it is asked for.
 */
import { Unreachable } from "./api.js";

const AT_HAND = 6;
const FETCHED = 10;
const LOW = 4;
const MOST = 12;
const AGAIN = 3000;
// Between the server's answer and our hearing of it.
const LATE = 60_000;

export class TaskBuffer {
  /** Why nothing is in hand: "", "done" (nothing is left), "away" (the server was not reached) or "qualify". */
  lack = "";
  #busy = false;
  #again = false;
  /** How far the server's clock is ahead of this one. Unlike the page's own, both go on in sleep. */
  #ahead = 0;
  /** For how long tasks are held since they were last asked for. */
  #lease = 0;

  constructor({ kind, api, queue, sync, progress, changed }) {
    Object.assign(this, { kind, api, queue, sync, progress, changed });
  }

  get isLow() { return this.queue.upcoming.length < LOW; }

  /** Fetch more where fewer than six are to come; one request at a time. A closed project has none. */
  async fill() {
    if (this.progress.closed) {
      await this.progress.look();
      return;
    }
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

  /** After a long time away: ask again, for tasks to come may have gone to others. */
  async renew() {
    this.queue.upcoming.filter((one) => this.#heldFor(one) < LATE)
      .forEach(({ id }) => this.queue.leave(id));
    await this.fill();
  }

  /** The person has to qualify first: what is to come and not begun has gone to others. */
  withhold() {
    this.queue.upcoming.forEach(({ id }) => this.queue.leave(id));
    if (!this.queue.current) this.lack = "qualify";
  }

  /** The person has qualified, or need not any more. */
  letIn() {
    this.lack = "";
    this.fill();
  }

  /** Tell whether half of a task's time is over: asking keeps it from going to someone else. */
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
    const { arrivals } = this.progress;
    try {
      const { status, body } = await this.api.takeTasks(Math.min(MOST, FETCHED + unsent));
      if (status !== 200) {
        if (status === 401) this.sync.estrange(body);
        this.#away();
        return;
      }
      this.#hold(body);
      this.sync.welcome();
      this.progress.take(body.own, arrivals);
      body.tasks.filter((task) => task.annotation?.sent_back && !this.sync.has(task.id))
        .forEach((task) => this.queue.sentBack(task));
      const fresh = body.tasks.filter(({ id }) => !this.queue.knows(id) && !this.sync.has(id));
      this.queue.add(fresh.map((task) => new this.kind.Work(task)));
      this.lack = this.queue.current || body.own.closed ? "" : "done";
      if (body.own.must_qualify) this.withhold();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.#away();
      return;
    }
    this.changed();
    await this.progress.recount();
  }

  /** What is held already is held longer now. */
  #hold({ now, tasks }) {
    this.#ahead = Date.parse(now) - Date.now();
    tasks.forEach(({ id, held_until: until }) => {
      this.#lease = Date.parse(until) - Date.parse(now);
      const work = this.queue.find(id);
      if (work) work.task.held_until = until;
    });
  }

  #away() {
    this.lack = this.queue.current ? "" : "away";
    this.changed();
    if (this.lack) setTimeout(() => this.fill(), AGAIN);
  }
}
