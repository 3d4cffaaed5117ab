/**
 * The keys that a person changed: {id of a label or command: key}.
 *
 * The server has them, so that they are the same on every machine. What it does not have yet
 * waits in this browser, under the person's number, and is sent as soon as it can be.
 */
import { Unreachable } from "./api.js";

export class KeyStore {
  #kept;
  /** What the server does not have, null where it has all. */
  #unsent;
  #isSending = false;

  /** `kept` is what the server has, null where the person never changed a key. */
  constructor({ api, user, scheme, kept, storage = storageOf(window) }) {
    Object.assign(this, { api, storage });
    this.place = `earmark.keys.${user}.${scheme}`;
    this.#unsent = read(storage, this.place);
    // Before the server had them they were kept for whoever used this browser.
    const old = kept ? null : read(storage, `earmark.keys.${scheme}`);
    this.#kept = this.#unsent ?? kept ?? old ?? {};
    if (old) {
      this.write(this.#kept);
      storage.removeItem(`earmark.keys.${scheme}`);
    }
    this.send();
  }

  read() { return { ...this.#kept }; }

  write(changed) {
    this.#kept = this.#unsent = { ...changed };
    write(this.storage, this.place, this.#kept);
    this.send();
  }

  /** Send what the server does not have; one request at a time, at last the latest. */
  async send() {
    if (this.#isSending || !this.#unsent) return;
    this.#isSending = true;
    try {
      let isSent = true;
      while (isSent && this.#unsent) isSent = await this.#put(this.#unsent);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    } finally {
      this.#isSending = false;
    }
  }

  async #put(keys) {
    let answer = await this.api.saveKeys(keys);
    if (answer.status === 403) {
      await this.api.renew();
      answer = await this.api.saveKeys(keys);
    }
    if (answer.status !== 200) return false;
    // Meanwhile another key may have been changed.
    if (this.#unsent === keys) {
      this.#unsent = null;
      this.storage?.removeItem(this.place);
    }
    return true;
  }
}

function read(storage, place) {
  try {
    return JSON.parse(storage.getItem(place));
  } catch {
    return null;
  }
}

function write(storage, place, keys) {
  try {
    storage.setItem(place, JSON.stringify(keys));
  } catch {
    // A browser that keeps nothing still has the keys until the page goes.
  }
}

/** Give the browser's storage, null where it does not let us have it. */
function storageOf(browser) {
  try {
    return browser.localStorage;
  } catch {
    return null;
  }
}
