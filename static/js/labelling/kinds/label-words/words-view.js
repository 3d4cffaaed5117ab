/**
 * The words of a caption as a listbox, and what stands on them.
 *
 * The elements are made once for each caption; a change only sets what differs, so that the
 * next caption is on the screen in the frame after the key. A run of words with one label
 * has one bar below it in the label's colour and pattern, and the label's title; one that is
 * only suggested has a dashed line, the title with a question mark and how sure the labeller is;
 * a weak one has a dotted line and is faded.
 */
import { labelled, cleared, spanAt } from "./spans.js";
import { isBelow, openSuggestions, suggestionsOf, sureness } from "./suggested.js";

const JOINER = "\u2060";
const TONES = 12;

export const toneClass = (tone) => `label-tone-${tone % TONES}`;

function part(className) {
  const element = document.createElement("span");
  element.className = className;
  element.setAttribute("aria-hidden", "true");
  return element;
}

function optionOf(token, i, tokens) {
  const option = document.createElement("span");
  option.id = `word-${i}`;
  option.dataset.word = String(i);
  option.setAttribute("role", "option");
  const text = part("word__text");
  text.textContent = token.text;
  option.append(text, part("word__bar"), part("word__tag"));
  // A comma stands close to its word.
  option.classList.toggle("word--tight-start", i > 0 && !tokens[i - 1].ws);
  option.classList.toggle("word--tight-end", i + 1 < tokens.length && !token.ws);
  return option;
}

export class WordsView {
  #caption = null;
  #options = [];

  /** Suggestions of less confidence than `threshold` are weak. */
  constructor(list, labels, threshold = 0) {
    this.list = list;
    this.threshold = threshold;
    this.labels = new Map(labels.map((label) => [label.name, label]));
  }

  titleOf(name) {
    return this.labels.get(name)?.title ?? name;
  }

  isWeak(suggestion) { return isBelow(suggestion, this.threshold); }

  /** Show a caption; `preview` {first, last, label} shows what letting go would do (label null: take off). */
  show(caption, preview = null) {
    if (caption !== this.#caption) this.#build(caption);
    const shown = preview ? previewed(caption.spans, preview) : caption.spans;
    const offered = openSuggestions(suggestionsOf(caption.task, this.labels), shown);
    const [first, last] = preview ? [preview.first, preview.last] : [caption.first, caption.last];
    this.#options.forEach((option, i) => {
      const own = spanAt(shown, i);
      const inside = first <= i && i <= last;
      this.#dress(option, i, own, own ? null : spanAt(offered, i), touches(shown, own));
      option.setAttribute("aria-selected", String(inside));
      option.classList.toggle("is-cursor", !preview && i === caption.at);
      option.classList.toggle("is-preview", Boolean(preview) && inside);
    });
    this.list.setAttribute("aria-activedescendant", `word-${caption.at}`);
    // Keys move the cursor without the focus, which a browser would bring into view.
    if (!preview && this.list.matches(":focus-visible")) {
      this.#options[caption.at]?.scrollIntoView({ block: "nearest" });
    }
  }

  shows(caption) { return this.#caption === caption; }

  clear() {
    this.#caption = null;
    this.#options = [];
    this.list.replaceChildren();
    this.list.removeAttribute("aria-activedescendant");
  }

  /** Give the word above or below another: on the next line, nearest to it; null where there is no line. */
  above(word, step) {
    const rects = this.rects();
    const from = rects[word];
    const middle = (rect) => (rect.left + rect.right) / 2;
    const further = rects.filter((rect) => (rect.top - from.top) * step > 1);
    if (!further.length) return null;
    const tops = further.map((rect) => rect.top);
    const top = step < 0 ? Math.max(...tops) : Math.min(...tops);
    const away = (rect) => Math.abs(middle(rect) - middle(from));
    const line = further.filter((rect) => Math.abs(rect.top - top) <= 1);
    return rects.indexOf(line.reduce((one, other) => (away(other) < away(one) ? other : one)));
  }

  rects() { return this.#options.map((option) => option.getBoundingClientRect()); }

  #build(caption) {
    this.#caption = caption;
    const { tokens } = caption.task;
    this.#options = tokens.map((token, i) => optionOf(token, i, tokens));
    const parts = this.#options.flatMap((option, i) => (
      // A line may end between words, and not before a comma.
      i && !tokens[i - 1].ws ? [JOINER, option] : [option]
    ));
    this.list.replaceChildren(...parts);
  }

  /** Show of a word the span that it is in, else the one that is suggested for it. */
  #dress(option, i, own, offered, isTouched) {
    const stands = own ?? offered;
    const label = own && this.labels.get(own.label);
    const title = stands ? this.titleOf(stands.label) : "";
    const starts = stands?.token_start === i;
    const run = stands ? stands.token_end - stands.token_start + 1 : 0;
    const tight = [...option.classList].filter((name) => name.startsWith("word--tight"));
    option.className = ["word", ...tight].join(" ");
    if (own) option.classList.add("is-labelled", toneClass(label?.tone ?? 0));
    option.classList.toggle("is-start", starts);
    option.classList.toggle("is-end", stands?.token_end === i);
    option.classList.toggle("is-run", run > 1);
    option.classList.toggle("is-suggested", Boolean(offered));
    const isWeak = Boolean(offered) && this.isWeak(offered);
    option.classList.toggle("is-weak", isWeak);
    const mark = offered ? `${title}? ${sureness(offered)}` : title;
    option.lastElementChild.textContent = starts ? mark : "";
    const sure = offered ? `${sureness(offered)} sure${isWeak ? ", weak" : ""}` : "";
    if (offered) option.title = `Suggested: ${title}, ${sure}`;
    else option.removeAttribute("title");
    const word = option.firstElementChild.textContent;
    // Where two spans of one label stand side by side, this tells where one ends.
    const place = run > 1 || isTouched ? `, word ${i - stands.token_start + 1} of ${run}` : "";
    const name = offered ? `${word}, suggested: ${title}, ${sure}${place}` : `${word}, ${title}${place}`;
    option.setAttribute("aria-label", stands ? name : word);
  }
}

/** Tell whether another span of the same label stands right beside one. */
function touches(spans, own) {
  return Boolean(own) && spans.some(({ label, token_start: first, token_end: last }) => (
    label === own.label && (last + 1 === own.token_start || first === own.token_end + 1)
  ));
}

function previewed(spans, { first, last, label }) {
  if (label === undefined) return spans;
  return label === null ? cleared(spans, first, last) : labelled(spans, first, last, label);
}
