/**
 * What a labeller suggests for a caption: pure functions on lists that are never changed in place.
 *
 * A suggestion is a span with its `confidence`. It stands open as long as none of its words has
 * a label: what a person set is never overwritten, not in part either. What was taken is a span
 * with its `labeller`; it counts as taken as long as it stands as it was.
 */
import { readSpans, span, spanAt } from "./spans.js";

const percent = new Intl.NumberFormat("en-GB", { style: "percent", maximumFractionDigits: 0 });

const isSame = (one, other) => (
  one.token_start === other.token_start && one.token_end === other.token_end
  && one.label === other.label
);

/** Give the suggestions of a task, without labels that the page does not offer. */
export function suggestionsOf(task, labels) {
  const { labeller, spans } = task.suggestion ?? { spans: [] };
  return spans.filter((one) => labels.has(one.label))
    .map((one) => ({ ...span(one.token_start, one.token_end, one.label), confidence: one.confidence, labeller }));
}

/** Give those that touch no labelled word. */
export function openSuggestions(suggestions, spans) {
  return suggestions.filter((one) => {
    for (let word = one.token_start; word <= one.token_end; word += 1) {
      if (spanAt(spans, word)) return false;
    }
    return true;
  });
}

/** Put suggestions onto the words; give {spans, taken}. */
export function taking(chosen, spans, taken) {
  const rows = chosen.map(({ token_start: first, token_end: last, label, labeller }) => (
    { ...span(first, last, label), labeller }
  ));
  return { spans: readSpans([...spans, ...rows]), taken: [...taken, ...rows] };
}

/** Give what was taken and still stands. */
export function stillTaken(taken, spans) {
  return taken.filter((row) => spans.some((one) => isSame(one, row)));
}

/** Take of stored rows the keys that count; journals of earlier versions have none. */
export function readTaken(rows) {
  return (rows ?? []).map(({ token_start: first, token_end: last, label, labeller }) => (
    { ...span(first, last, label), labeller }
  ));
}

export function sameTaken(ones, others) {
  return ones.length === others.length && ones.every((one) => (
    others.some((other) => isSame(one, other) && one.labeller === other.labeller)
  ));
}

/** How sure a labeller is, as people read it: "90%". */
export const sureness = ({ confidence }) => percent.format(confidence);

/** Whether a suggestion is weak, by the percentages that people read; `threshold` from 0 to 1. */
export const isBelow = ({ confidence }, threshold) => (
  Math.round(confidence * 100) < Math.round(threshold * 100)
);
