/**
 * How many words a caption has, counted as the server counts them, and whether they are enough.
 */
const BETWEEN = /[\p{White_Space}\p{Cc}\p{Cs}]+/u;

export const countWords = (text) => text.split(BETWEEN).filter(Boolean).length;

const named = (count) => `${count} ${count === 1 ? "word" : "words"}`;

/** Say how many words a text has, and how many it is to have: "6 words, at least 8". */
export function wordsText(count, { least, most }) {
  if (count < least) return `${named(count)}, at least ${least}`;
  return count > most ? `${named(count)}, at most ${most}` : named(count);
}

/** Say what is wrong with the number of words, "" where nothing is. */
export function wordsFault(count, { least, most }) {
  if (count >= least && count <= most) return "";
  const wanted = least === most ? named(most) : `${least} to ${named(most)}`;
  return `Write ${wanted}${count ? `; these are ${count}` : ""}.`;
}
