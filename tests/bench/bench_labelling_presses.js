/**
 * Give the presses that the captions of Prodigy records take: {captions, median, most, ...}.
 *
 * Run in the labelling page, whose own list of words at which the cursor stops is used.
 */
async (rows) => {
  const { nextContentWord } = await import("/static/js/labelling/kinds/label-words/words.js");

  /** Presses from one word to each other word. */
  const steps = (words, from) => {
    const found = Array(words.length).fill(Infinity);
    found[from] = 0;
    const queue = [from];
    while (queue.length) {
      const at = queue.shift();
      [at - 1, at + 1, nextContentWord(words, at + 1, 1), nextContentWord(words, at - 1, -1)]
        .filter((to) => to >= 0 && to < words.length && found[to] > found[at] + 1)
        .forEach((to) => { found[to] = found[at] + 1; queue.push(to); });
    }
    return found;
  };

  const presses = ({ tokens, spans }) => {
    const words = tokens.map((token) => token.text);
    // Of spans that begin at one word the last one counts.
    const kept = [...new Map(spans.map((span) => [span.token_start, span])).values()]
      .sort((one, other) => one.token_start - other.token_start);
    let at = Math.max(0, nextContentWord(words, 0));
    let total = 1;
    kept.forEach(({ token_start: first, token_end: last }) => {
      const way = steps(words, at);
      const more = last - first;
      // One word of the run is labelled and the others taken in, or all selected with shift.
      const taken = Math.min(...way.slice(first, last + 1)) + more;
      const selected = Math.min(way[first], way[last]) + 1 + more;
      total += 1 + Math.min(taken, more ? selected : Infinity);
      const next = nextContentWord(words, last + 1);
      at = next < 0 ? last : next;
    });
    return total;
  };

  const told = (some) => {
    const counts = some.map(presses).sort((one, other) => one - other);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    return {
      captions: counts.length,
      median: counts[Math.floor((counts.length - 1) / 2)],
      mean: Math.round(mean * 100) / 100,
      most: counts[counts.length - 1],
    };
  };
  const twelve = rows.filter(({ tokens, spans }) => tokens.length === 12 && spans.length === 5);
  return { all: told(rows), "12 words, 5 spans": told(twelve) };
}
