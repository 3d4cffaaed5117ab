/**
 * Spans over words: pure functions on lists that are never changed in place.
 *
 * A span is {token_start, token_end, label}, both ends inside, as the server has it. A word
 * stands in one span at most. What a new span covers is cut out of those that were there;
 * words that it does not cover keep their label.
 */
const byPlace = (one, other) => one.token_start - other.token_start;

export const span = (first, last, label) => ({ token_start: first, token_end: last, label });

/** Take the three keys that count of spans as the server sends them; of two on a word the later one stays. */
export function readSpans(rows) {
  return rows.reduce((done, row) => labelled(done, row.token_start, row.token_end, row.label), []);
}

export function spanAt(spans, word) {
  return spans.find((one) => one.token_start <= word && word <= one.token_end) ?? null;
}

/** Take the label off the words first..last; a span that reaches beyond them keeps its other words. */
export function cleared(spans, first, last) {
  return spans.flatMap((one) => {
    if (one.token_end < first || last < one.token_start) return [one];
    const rest = [];
    if (one.token_start < first) rest.push(span(one.token_start, first - 1, one.label));
    if (last < one.token_end) rest.push(span(last + 1, one.token_end, one.label));
    return rest;
  });
}

/** Put one label on the words first..last. */
export function labelled(spans, first, last, label) {
  return [...cleared(spans, first, last), span(first, last, label)].sort(byPlace);
}

/** Give the spans that would lose words to first..last, with how many; one that it replaces whole is none of them. */
export function cutBy(spans, first, last) {
  return spans
    .filter((one) => one.token_start <= last && first <= one.token_end)
    .filter((one) => one.token_start !== first || one.token_end !== last)
    .map((one) => ({
      label: one.label,
      words: Math.min(last, one.token_end) - Math.max(first, one.token_start) + 1,
    }));
}

export function sameSpans(ones, others) {
  return ones.length === others.length && ones.every((one, i) => (
    one.token_start === others[i].token_start
    && one.token_end === others[i].token_end
    && one.label === others[i].label
  ));
}
