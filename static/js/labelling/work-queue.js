/**
 * The work of a sitting: what is answered, what is in hand, what is to come.
 *
 * Going back puts the work in hand in front of those to come, with all that was done to
 * it; answering goes forward again. Nothing here waits for the network.
 */
export class WorkQueue {
  trail = [];
  current = null;
  upcoming = [];
  #answered = new Set();
  /** Tasks that were removed from the project, with what was done to them here. */
  #removed = new Map();

  /** How many tasks have unfinished work. */
  get begun() {
    return [...this.trail, this.current, ...this.upcoming].filter((one) => one?.hasDraft).length;
  }

  /** Take work on tasks that came from the server; those known already stay as they are. */
  add(arrived) {
    const known = new Set([this.current, ...this.upcoming].map((work) => work?.id));
    const fresh = arrived.filter(({ id }) => !known.has(id) && !this.#answered.has(id));
    // One that is brought back goes on as it was left.
    this.upcoming.push(...fresh.map((work) => this.#removed.get(work.id) ?? work));
    fresh.forEach(({ id }) => this.#removed.delete(id));
    if (!this.current) this.#next();
    return fresh.length;
  }

  /** Put work in hand before all others. */
  open(work) {
    this.upcoming = this.upcoming.filter(({ id }) => id !== work.id);
    if (this.current && this.current.id !== work.id) this.upcoming.unshift(this.current);
    this.current = work;
  }

  /** An earlier sitting answered a task: it does not come again, however late the server hears of it. */
  skip(id) {
    this.#answered.add(id);
  }

  /** Work of an earlier sitting whose answer is on its way was answered last. */
  recall(work) {
    work.hasDraft = false;
    work.saved = work.content();
    this.trail = [...this.trail.filter(({ id }) => id !== work.id), work];
  }

  /** Let go of a task to come, unless work on it has begun here. */
  leave(id) {
    this.upcoming = this.upcoming.filter((one) => one.id !== id || one.hasDraft);
  }

  /** Let go of a task that was removed from the project; give it, null where it is not here. */
  remove(id) {
    const work = [this.current, ...this.upcoming].find((one) => one?.id === id) ?? null;
    if (!work) return null;
    this.#removed.set(id, work);
    this.upcoming = this.upcoming.filter((one) => one !== work);
    if (this.current === work) this.#next();
    return work;
  }

  knows(id) {
    return this.current?.id === id || this.#answered.has(id)
      || this.upcoming.some((work) => work.id === id);
  }

  find(id) {
    return [this.current, ...this.trail, ...this.upcoming].find((one) => one?.id === id) ?? null;
  }

  /**
   * The server says that an answer was sent back. The task is still to come then, unless what
   * was said of it here is later; one that is here and not answered hears of it.
   */
  sentBack(task) {
    const work = this.find(task.id);
    if (work && work.base > task.annotation.version) return;
    if (work) work.task.annotation = task.annotation;
    this.trail = this.trail.filter(({ id }) => id !== task.id);
    this.#answered.delete(task.id);
  }

  /** The task in hand is answered: the next one comes. */
  answered() {
    this.#answered.add(this.current.id);
    this.trail.push(this.current);
    this.#next();
  }

  /** Go back to the task answered last; false where there is none. */
  back() {
    if (!this.trail.length) return false;
    if (this.current) this.upcoming.unshift(this.current);
    this.current = this.trail.pop();
    return true;
  }

  /** Go back to a task of an earlier sitting. */
  backTo(work) {
    this.#answered.add(work.id);
    if (this.current) this.upcoming.unshift(this.current);
    this.current = work;
  }

  /** Put another state of work in its place. */
  replace(old, fresh) {
    const changed = (one) => (one === old ? fresh : one);
    this.trail = this.trail.map(changed);
    this.upcoming = this.upcoming.map(changed);
    this.current = changed(this.current);
  }

  #next() {
    this.current = this.upcoming.shift() ?? null;
  }
}
