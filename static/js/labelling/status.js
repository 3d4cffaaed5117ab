/**
 * What stands above the caption: how the work is, and whether it is saved.
 */
const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 0 });

const answers = (count) => `${count} ${count === 1 ? "answer" : "answers"}`;

/** Say in words how saving goes: [class, text]. */
export function savingText({ state, count, detail, counts, lasting }) {
  if (state === "stranger") return ["bad", count ? `Not saved yet: ${count}` : "Logged out"];
  if (state === "waiting") return ["warn", `Not saved yet: ${count}. ${detail}`];
  if (state === "saving" && count) return ["soft", `Saving ${count}`];
  if (count) return ["warn", `Not saved yet: ${count}`];
  if (!counts) return ["warn", "Kept, not counted"];
  return lasting ? ["good", "Saved"] : ["warn", "Saved. This browser cannot keep what is not saved yet."];
}

export class Status {
  #was = "saved";

  constructor(root, announce, urls) {
    this.urls = urls;
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.announce = announce;
  }

  saving(sync, lasting) {
    const { state, count, detail, counts } = sync;
    const [tone, text] = savingText({ state, count, detail, counts, lasting });
    const place = this.part("saving");
    place.textContent = text;
    place.dataset.tone = tone;
    this.part("stranger").hidden = state !== "stranger";
    if (state === "stranger") {
      this.part("stranger-why").textContent = detail;
      // Someone else has to be logged out first.
      this.part("login").href = sync.person ? this.urls.logout : this.urls.login;
    }
    this.#speak(sync, text, lasting);
  }

  /** Only trouble and its end are said aloud; an answer that goes its way is not. */
  #speak({ state, counts }, text, lasting) {
    const bad = state === "waiting" || state === "stranger";
    const wasBad = this.#was === "waiting" || this.#was === "stranger";
    // Who is logged out hears it from the notice.
    if (state === "waiting" && this.#was !== state) {
      this.announce(`${text} ${lasting ? "It is kept in this browser." : "Do not close this page."}`);
    } else if (wasBad && state === "saved") {
      this.announce(counts ? "Saved." : "Kept, not counted.");
    }
    if (bad || state === "saved") this.#was = state;
  }

  /** Show one's own progress: answers that count, and apart from them those that are only kept. */
  progress({ answered, today, uncounted, left, per_hour: pace, against_gold: gold, gold_words: words }) {
    this.part("today").textContent = whole.format(today);
    this.part("left").textContent = whole.format(left);
    this.#fact("uncounted", uncounted ? whole.format(uncounted) : "");
    this.#fact("pace", pace === null ? "" : whole.format(pace));
    this.#fact("gold", gold === null ? "" : percent.format(gold));
    this.part("gold").title = `Over ${whole.format(words)} words`;
    const bar = this.part("bar");
    bar.max = Math.max(1, answered + left);
    bar.value = answered;
    bar.textContent = `${answered} of ${answered + left}`;
  }

  /** A fact that is not known yet takes no room. */
  #fact(name, text) {
    this.part(name).textContent = text;
    this.part(name).parentElement.hidden = !text;
  }

  notSaved(count) {
    return count ? `${answers(count)} not saved yet.` : "Everything is saved.";
  }
}
