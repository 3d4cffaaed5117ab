/**
 * The page of labelling words: the caption with its words, the labels, what they are for, suggestions.
 */
import { labelActions } from "./actions.js";
import { CaptionEditor } from "./caption-editor.js";
import { LabelBar } from "./label-bar.js";
import { LabelNotes } from "./label-notes.js";
import { LabelsNotice } from "./labels-notice.js";
import { usePointer } from "./pointer.js";
import { spanAt } from "./spans.js";
import { SuggestionPanel } from "./suggestion-panel.js";
import { WordCursor } from "./word-cursor.js";
import { WordsView } from "./words-view.js";

export class LabelWordsView {
  constructor(root, session, { labels, threshold, scheme }) {
    const part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.words = new WordsView(part("work"), labels, threshold);
    this.suggestions = new SuggestionPanel(part, this.words);
    this.notes = new LabelNotes(root);
    this.news = new LabelsNotice(root, scheme);
    this.editor = new CaptionEditor(session, this);
    this.cursor = new WordCursor(session, this);
    this.bar = new LabelBar(part("labels"), (event, name) => {
      // A key on a button clicks it, too, and has no pointer to arm.
      this.editor.press(name, event.detail === 0);
      session.screen.goOnAfter(event);
    });
    this.actions = labelActions(this, labels);
    usePointer(this.words, {
      preview: (first, last) => this.editor.preview(first, last),
      drop: (first, last, dragged) => this.editor.drop(first, last, dragged),
      cancel: () => session.show(),
    });
  }

  show(caption) {
    this.words.show(caption);
    this.suggestions.show(caption);
    const stands = caption.spanAt(caption.at) ?? spanAt(caption.suggestions(this.words.labels), caption.at);
    this.notes.show(stands?.label);
  }

  shows(caption) { return this.words.shows(caption); }

  clear() { this.words.clear(); }

  showKeys(keys) { this.bar.showKeys(keys); }

  /** Tell once that the project has other labels than the page; give what is to be said aloud. */
  showProgress({ labels }, isLasting) { return this.news.show(labels, isLasting); }
}
