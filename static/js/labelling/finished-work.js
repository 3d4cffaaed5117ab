/**
 * What stands on the page when a project has no captions left for the person: totals, and where to go on.
 */
const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** A time as people say it, in whole minutes: "1 h 5 min". */
export function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "under 1 min";
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export class FinishedWork {
  constructor(root) {
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
  }

  /** Show what the server said, null: there are captions left, or it has not said. */
  show(finished) {
    this.part("totals").hidden = !finished?.captions;
    this.part("next-project").hidden = !finished?.next;
    if (!finished) return;
    this.part("total-captions").textContent = whole.format(finished.captions);
    this.part("total-words").textContent = whole.format(finished.words);
    // Only work on captions has words to count.
    this.part("total-words").parentElement.hidden = !finished.words;
    this.part("total-time").textContent = duration(finished.seconds);
    if (!finished.next) return;
    const { name, left, page } = finished.next;
    this.part("next-project").href = page;
    this.part("next-project").textContent = `Go on with ${name}: ${whole.format(left)} left`;
  }
}
