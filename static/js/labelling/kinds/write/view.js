/**
 * The page of writing captions: the text, its number of words, and what is found in it.
 */
import { HeardView } from "../../forms/heard-form.js";
import { TextFindings } from "../../forms/text-findings.js";
import { countWords, wordsFault, wordsText } from "../../forms/words.js";

export class WriteView extends HeardView {
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
}
