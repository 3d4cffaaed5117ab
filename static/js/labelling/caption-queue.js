/**
 * The captions of a sitting: those answered, the one in hand, those to come.
 *
 * Going back puts the caption in hand in front of those to come, with all that was done to
 * it; answering goes forward again. Nothing here waits for the network.
 */
export class CaptionQueue {
  trail = [];
  current = null;
  upcoming = [];
  #answered = new Set();

  /** Take captions that came from the server; those known already stay as they are. */
  add(captions) {
    const known = new Set([this.current, ...this.upcoming].map((caption) => caption?.id));
    const fresh = captions.filter(({ id }) => !known.has(id) && !this.#answered.has(id));
    this.upcoming.push(...fresh);
    if (!this.current) this.#next();
    return fresh.length;
  }

  /** Put a caption in hand before all others. */
  open(caption) {
    this.upcoming = this.upcoming.filter(({ id }) => id !== caption.id);
    if (this.current && this.current.id !== caption.id) this.upcoming.unshift(this.current);
    this.current = caption;
  }

  /** An earlier sitting answered a caption: it does not come again, however late the server hears of it. */
  skip(id) {
    this.#answered.add(id);
  }

  /** Let go of a caption to come, unless work on it has begun here. */
  leave(id) {
    this.upcoming = this.upcoming.filter((one) => one.id !== id || one.hasDraft);
  }

  knows(id) {
    return this.current?.id === id || this.#answered.has(id)
      || this.upcoming.some((caption) => caption.id === id);
  }

  find(id) {
    return [this.current, ...this.trail, ...this.upcoming].find((one) => one?.id === id) ?? null;
  }

  /** The caption in hand is answered: the next one comes. */
  answered() {
    this.#answered.add(this.current.id);
    this.trail.push(this.current);
    this.#next();
  }

  /** Go back to the caption answered last; false where there is none. */
  back() {
    if (!this.trail.length) return false;
    if (this.current) this.upcoming.unshift(this.current);
    this.current = this.trail.pop();
    return true;
  }

  /** Go back to a caption of an earlier sitting. */
  backTo(caption) {
    this.#answered.add(caption.id);
    if (this.current) this.upcoming.unshift(this.current);
    this.current = caption;
  }

  /** Put another state of a caption in its place. */
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
