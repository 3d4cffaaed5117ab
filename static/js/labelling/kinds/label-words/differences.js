/**
 * What tells the labels of two versions of a caption apart: pure functions on {spans}.
 *
 * Spans that both have, on the same words and with the same label, are no difference. Those that
 * remain are put together where they overlap, so that each group of words differs once.
 */
import { spanAt } from "./spans.js";

const isSame = (one, other) => (
  one.token_start === other.token_start && one.token_end === other.token_end
  && one.label === other.label
);

const without = (spans, others) => (
  spans.filter((one) => !others.some((other) => isSame(one, other)))
);

/** Groups of words [first, last], in order, on which the labels of two versions differ. */
export function differingWords(ours, theirs) {
  const spans = [...without(ours.spans, theirs.spans), ...without(theirs.spans, ours.spans)];
  spans.sort((one, other) => one.token_start - other.token_start);
  const groups = [];
  spans.forEach(({ token_start: first, token_end: last }) => {
    const group = groups.at(-1);
    if (group && first <= group[1]) group[1] = Math.max(group[1], last);
    else groups.push([first, last]);
  });
  return groups;
}

/** What one version says of the words first..last: {words: [first, last], label}, label null for none. */
export function saidOf({ spans }, first, last) {
  const said = [];
  for (let word = first; word <= last; word += 1) {
    const own = spanAt(spans, word);
    const latest = said.at(-1);
    if (latest && latest.span === own) latest.words[1] = word;
    else said.push({ words: [word, word], span: own, label: own?.label ?? null });
  }
  return said.map(({ words, label }) => ({ words, label }));
}

/** The same in lines as people read it, one for each label: "dog: Who"; `titleOf(label)` is what a label is called. */
const linesOf = (task, content, [from, to], titleOf) => (
  saidOf(content, from, to).map(({ words: [first, last], label }) => {
    const words = task.tokens.slice(first, last + 1).map((token) => token.text).join(" ");
    return `${words}: ${label === null ? "no label" : titleOf(label)}`;
  })
);

/** How many labels both versions have alike. */
export const countAlike = (ours, theirs) => ours.spans.length - without(ours.spans, theirs.spans).length;

/** The caption with the words marked on which two versions differ. */
function markedText(task, groups) {
  const pieces = [];
  task.tokens.forEach((token, i) => {
    const mark = document.createElement(groups.some(([first, last]) => first <= i && i <= last) ? "mark" : "span");
    mark.textContent = token.text;
    pieces.push(mark, token.ws ? " " : "");
  });
  return pieces;
}

/** Two versions as they are shown side by side: what `differences` of a kind of work gives. */
export function labelDifferences(task, ours, theirs, titleOf) {
  const groups = differingWords(ours, theirs);
  const alike = countAlike(ours, theirs);
  const lines = (content) => groups.flatMap((group) => linesOf(task, content, group, titleOf));
  return {
    shown: markedText(task, groups),
    count: groups.length,
    alike: alike ? `${alike} ${alike === 1 ? "label is" : "labels are"} the same in both.` : "",
    ours: lines(ours),
    theirs: lines(theirs),
  };
}
