/**
 * Which words the cursor stops at by itself.
 *
 * Function words seldom have a label; after a label the cursor passes over them. The list is
 * closed: articles, conjunctions, prepositions, personal pronouns and forms of "be". Arrows still reach every word.
 */
const FUNCTION_WORDS = new Set((
  "a an the "
  + "and or but nor so yet as while when whilst if because although that which who then "
  + "of in on at by for from to into onto with without over under through during before after "
  + "against between among around about across along behind beside near off out up down upon "
  + "towards toward within inside past "
  + "it its they their them he his him she her "
  + "is are was were be been being am 's"
).split(" "));
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

export function isFunctionWord(text) {
  return !SAYS_SOMETHING.test(text) || FUNCTION_WORDS.has(text.toLowerCase());
}

/** Give the next word from `from` (inside) in the direction of `step` that may carry a label and is not `taken`; -1: none. */
export function nextContentWord(words, from, step = 1, taken = () => false) {
  for (let i = from; i >= 0 && i < words.length; i += step) {
    if (!isFunctionWord(words[i]) && !taken(i)) return i;
  }
  return -1;
}
