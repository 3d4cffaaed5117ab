/**
 * Hands on a pointer: click and drag over words.
 *
 * A drag snaps to words and shows, until it is let go, what it would do; Escape lets go
 * without doing it. What is done is the caller's: `drop(first, last, dragged)`.
 */
const nearest = (rects, x, y) => {
  let found = 0;
  let least = Infinity;
  rects.forEach((rect, i) => {
    const aside = Math.max(rect.left - x, 0, x - rect.right);
    const above = Math.max(rect.top - y, 0, y - rect.bottom);
    // Another line is further away than any word of this one.
    const distance = aside + above * 100;
    if (distance < least) { least = distance; found = i; }
  });
  return found;
};

// A second click within this time belongs to the first.
const DOUBLE = 500;

export function usePointer(view, { preview, drop, cancel }) {
  const { list } = view;
  let drag = null;
  let clicked = { word: -1, at: -Infinity };

  const range = () => [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
  const stop = () => {
    if (!drag) return;
    drag = null;
    cancel();
  };

  list.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const word = event.target.closest("[data-word]");
    if (!word) return;
    const from = Number(word.dataset.word);
    drag = { from, to: from, moved: false, rects: view.rects() };
    list.setPointerCapture(event.pointerId);
    preview(from, from);
  });
  list.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const to = nearest(drag.rects, event.clientX, event.clientY);
    if (to === drag.to) return;
    drag.to = to;
    drag.moved = true;
    preview(...range());
  });
  list.addEventListener("pointerup", ({ timeStamp: at }) => {
    if (!drag) return;
    const [first, last] = range();
    const dragged = drag.moved && first !== last;
    drag = null;
    // The second click of a double click must not take off what the first has put there.
    const isSecond = !dragged && clicked.word === first && at - clicked.at < DOUBLE;
    clicked = { word: dragged || isSecond ? -1 : first, at };
    if (isSecond) cancel();
    else drop(first, last, dragged);
  });
  list.addEventListener("pointercancel", stop);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drag) { event.stopPropagation(); stop(); }
  }, { capture: true });
}
