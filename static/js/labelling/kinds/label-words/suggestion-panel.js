/**
 * What stands below a caption for which a labeller has suggestions: how many can be taken, and buttons to take them.
 */
const percent = new Intl.NumberFormat("en-GB", { style: "percent" });

export class SuggestionPanel {
  /** The panel is not on the page of a project without suggestions. */
  constructor(part, words) {
    [this.panel, this.text, this.takeAll] = ["suggested", "suggested-text", "take-all"].map(part);
    this.words = words;
  }

  /** Say how many suggestions can be taken; without any the buttons have nothing to do. */
  show(caption) {
    const { panel, words } = this;
    if (!panel) return;
    const open = caption.suggestions(words.labels);
    panel.hidden = !caption.task.suggestion;
    const weak = open.filter((one) => words.isWeak(one)).length;
    const count = `${open.length} ${open.length === 1 ? "suggestion" : "suggestions"}`;
    const below = `, ${weak} of them weak: below ${percent.format(words.threshold)}`;
    const who = `${count} by ${caption.task.suggestion?.labeller}${weak ? below : ""}`;
    this.text.textContent = open.length ? who : "No suggestion left";
    const strong = weak === 0 ? "Take all" : "Take all strong";
    this.takeAll.textContent = weak && weak === open.length ? "Next weak one" : strong;
    panel.querySelectorAll("button").forEach((button) => { button.disabled = !open.length; });
  }
}
