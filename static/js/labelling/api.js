/**
 * The server, as the labelling page asks it.
 *
 * Every request says whose page it is: whoever logs in on this browser later does not answer
 * for it. What a cookie allows is read anew each time, since a log-in changes it.
 */
const PATIENCE = 15_000;

/** No answer came: no network, a server that is down, or one that takes too long. */
export class Unreachable extends Error {}

function cookie(name) {
  const pair = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return pair ? decodeURIComponent(pair.slice(name.length + 1)) : "";
}

export class Api {
  constructor({ urls, user }) {
    this.base = urls.api;
    this.page = urls.page;
    this.guidelinesPage = urls.guidelines;
    this.user = user;
  }

  takeTasks(count) { return this.#ask("POST", "tasks", { count }); }

  /** Keep an answer; `last`: the page is going, and the request should outlive it. */
  save(item, change, { last = false } = {}) {
    return this.#ask("PUT", `items/${item}/annotation`, change, last);
  }

  own() { return this.#ask("GET", "own"); }

  item(id) { return this.#ask("GET", `items/${id}`); }

  latest() { return this.#ask("GET", "history?limit=1"); }

  before(id) { return this.#ask("GET", `history?limit=1&before=${id}`); }

  /** What the server finds in a text that somebody writes for a task. */
  check(item, text) { return this.#ask("POST", "check", { item, text }); }

  saveKeys(keys) { return this.#ask("PUT", "keys", { keys }); }

  /** Give the guidelines as they are now, as HTML; "" where they are not to be had. */
  async guidelines() {
    const { response, text } = await this.#fetch(`${this.guidelinesPage}?sheet`, { method: "GET" });
    return response.ok ? text : "";
  }

  /** Have the page's cookie for changes renewed. */
  async renew() {
    await this.#fetch(this.page, { method: "GET" });
  }

  async #ask(method, path, body, keepalive = false) {
    const { response, text } = await this.#fetch(this.base + path, {
      method,
      keepalive,
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": cookie("csrftoken"),
        "X-Labelling-As": String(this.user.id),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    let content = null;
    try {
      content = JSON.parse(text);
    } catch {
      // A proxy's error page is no answer of ours.
      if (response.ok) throw new Unreachable(`${response.status} without JSON`);
    }
    return { status: response.status, body: content };
  }

  async #fetch(address, options) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const response = await fetch(address, { credentials: "same-origin", signal: stop.signal, ...options });
      // Read within the same time: a reply can stop after its head.
      return { response, text: await response.text() };
    } catch (error) {
      throw new Unreachable(String(error));
    } finally {
      clearTimeout(timer);
    }
  }
}
