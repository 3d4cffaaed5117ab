/**
 * The page of writing captions: the text, its number of words, and what is found in it.
 */
import { FormView } from "../../forms/form-view.js";
import { whenHeard } from "../../forms/heard-sound.js";
import { TextFindings } from "../../forms/text-findings.js";
import { countWords, wordsFault, wordsText } from "../../forms/words.js";

export class WriteView extends FormView {
  constructor(root, session, { limits, checks }) {
    super(root, session);
    this.limits = limits;
    [this.text] = this.fields;
    this.count = this.part("count");
    this.findings = checks && new TextFindings(this.part("findings"), {
      api: session.api,
      screen: session.screen,
      choose: (text) => this.#chosen(text),
    });
    this.actions = { write: { run: () => this.text.focus() } };
    whenHeard(session.player.audio, () => this.#heard());
  }

  show(work) {
    super.show(work);
    const { text } = work.value;
    const count = countWords(text);
    this.count.textContent = wordsText(count, this.limits);
    this.count.dataset.tone = count && wordsFault(count, this.limits) ? "warn" : "";
    if (this.findings) this.findings.look(work.id, text);
  }

  clear() {
    super.clear();
    if (this.findings) this.findings.look(null, "");
  }

  /** What the server suggests stands in the text now. */
  #chosen(text) {
    if (!this.work) return;
    this.session.acts += 1;
    this.work.choose("text", text);
    this.session.editor.edited(`Caption: ${text}`);
    this.text.focus();
  }

  #heard() {
    if (!this.work || this.work.heard) return;
    this.work.hear();
    this.session.editor.edited("Heard to its end.");
  }
}
