/**
 * The guidelines under an open page: its dialog has them as they are now, and says what changed.
 *
 * The server notes who has fetched them as having read them. Where it cannot be reached, the
 * dialog has what it had, and the notice of a change stays.
 */
import { Unreachable } from "./api.js";
import { moment } from "./closed-notice.js";

export class Guidelines {
  /** The number of the version that the notice is of, and of the one that was read here. */
  #told = 0;
  #read = 0;

  constructor(root, api) {
    this.api = api;
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.dialog = this.part("guidelines");
    this.panel = this.part("new-guidelines");
  }

  /** Tell of a version that the person has not read, null where there is none; give what is to be said aloud. */
  show(news) {
    // An answer on its way may not know yet of what was read just now.
    const isNews = news !== null && news.number > this.#read;
    const isTold = isNews && news.number === this.#told;
    this.panel.hidden = !isNews;
    this.#told = isNews ? news.number : 0;
    if (!isNews || isTold) return "";
    const who = news.by ? ` by ${news.by}` : "";
    const text = `The guidelines were changed${who} on ${moment.format(new Date(news.at))}: ${news.what}.`;
    this.part("new-guidelines-text").textContent = text;
    return text;
  }

  /** Open the dialog at once, and bring it up to date. */
  async open() {
    this.dialog.showModal();
    try {
      const page = new DOMParser().parseFromString(await this.api.guidelines(), "text/html");
      const fresh = page.querySelector("[data-version]");
      if (fresh) this.#replace(fresh);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  /** What is said to have changed stays, as long as nothing else does. */
  #replace(fresh) {
    const shown = this.dialog.querySelector("[data-version]");
    const isNew = fresh.dataset.version !== shown.dataset.version;
    if (isNew || fresh.querySelector(".changes")) shown.replaceWith(document.adoptNode(fresh));
    this.#read = Number(fresh.dataset.version);
    if (this.#read >= this.#told) this.show(null);
  }
}
