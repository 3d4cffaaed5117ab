/**
 * How far the person is, as the server counts it, and whether the project is closed.
 *
 * Asked for with captions and every now and then, so that a closing shows on a page that lies
 * open without a press. Answers are counted when they have arrived, as the server says: those
 * that it keeps without counting apart.
 */
import { Unreachable } from "./api.js";

const AGAIN = 20_000;

export class OwnProgress {
  /** The server's counts, with the answers that have arrived since; null until it has said any. */
  own = null;
  /** How many answers have arrived: a reply that was asked for before the last one may lack it. */
  arrivals = 0;
  /** Whether answers were on their way when the server counted, so that some may be counted twice. */
  #isRough = false;
  #isAsking = false;
  #timer = 0;

  constructor({ api, sync, changed }) {
    Object.assign(this, { api, sync, changed });
  }

  /** Say who closed the project, when, and what follows: {by, at, detail}; null while it is open. */
  get closed() { return this.own?.closed ?? null; }

  /** An answer has arrived; `isFirst` to its caption. */
  count({ counts }, isFirst) {
    this.arrivals += 1;
    if (!this.own || !isFirst) return;
    const { answered, today, uncounted, left } = this.own;
    const sum = counts ? { answered: answered + 1, today: today + 1 } : { uncounted: uncounted + 1 };
    this.own = { ...this.own, ...sum, left: Math.max(0, left - 1) };
    this.changed();
  }

  /** Take what the server said, asked when so many answers had arrived. */
  take(own, arrivals) {
    const isLate = arrivals !== this.arrivals;
    this.#isRough = isLate || this.sync.unsentFirsts > 0;
    this.own = isLate && this.own ? { ...this.own, closed: own.closed, removed: own.removed } : own;
    this.#askLater();
    this.changed();
  }

  /** Count anew once nothing is on its way that the server may or may not have counted. */
  async recount() {
    if (this.sync.state === "waiting" || this.sync.state === "stranger") this.#isRough = true;
    if (this.#isRough && !this.sync.unsentFirsts) await this.look();
  }

  /** Ask the server now; where it cannot be reached, again later. */
  async look() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { arrivals } = this;
    let isHeard = false;
    try {
      const { status, body } = await this.api.own();
      if (status === 401) this.sync.estrange(body);
      if (status === 200) {
        this.sync.welcome();
        this.take(body, arrivals);
        isHeard = true;
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    } finally {
      this.#isAsking = false;
      this.#askLater();
    }
    if (isHeard && this.#isRough && !this.sync.unsentFirsts) await this.look();
  }

  /** A page that nobody sees asks nothing; it asks when it is seen again. */
  #askLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (document.hidden ? null : this.look()), AGAIN);
  }
}
