/**
 * Everything that reaches the page from outside: keys, buttons, the pointer, the network, the window.
 */
import { usePointer } from "./pointer.js";

const TYPING = "input, textarea, select, [contenteditable]";
// These answer to space and enter themselves.
const PRESSED = "button, a, summary";

export function listen(root, { bench, keys, sync, journal }) {
  listenToKeys(root, bench, keys);
  listenToButtons(root, bench);
  listenToWindow(bench, sync, journal);
  window.addEventListener("online", () => keys.store.send());
  window.addEventListener("focus", () => keys.store.send());
  usePointer(bench.view, {
    preview: (first, last) => bench.preview(first, last),
    drop: (first, last, dragged) => bench.drop(first, last, dragged),
    cancel: () => bench.show(),
  });
  const comment = root.querySelector("[data-part=comment]");
  comment.addEventListener("input", () => bench.comment(comment.value));
  const tell = () => {
    bench.screen.saving(sync, journal.lasting);
    bench.screen.conflicts(bench.sheets.settle.count);
  };
  sync.addEventListener("change", tell);
  bench.drafts.addEventListener("change", tell);
  sync.addEventListener("arrived", ({ detail }) => bench.arrived(detail.record, detail.annotation));
  tell();
}

function listenToKeys(root, bench, keys) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const meaning = keys.meaning(event);
    const sheet = document.querySelector("dialog[open]");
    if (sheet) {
      // The key that opened a sheet closes it.
      if (meaning === sheet.dataset.part) sheet.close();
      return;
    }
    if (event.target.matches(TYPING)) {
      leaveTyping(event, meaning, bench);
      return;
    }
    const isPress = event.key === " " || event.key === "Enter";
    if (!meaning || (isPress && event.target.closest(PRESSED))) return;
    if (bench.act(meaning, { isRepeat: event.repeat })) event.preventDefault();
    // A key that does nothing here, because it is held or there is no caption, does nothing else either.
    else if (meaning !== "escape" && !event.target.closest(PRESSED)) event.preventDefault();
  });
}

/** While someone types only these keys are ours. */
function leaveTyping(event, meaning, bench) {
  if (meaning === "save") {
    event.preventDefault();
    bench.act("save");
  } else if (event.key === "Escape" || (event.key === "Enter" && event.target.matches("input"))) {
    event.preventDefault();
    bench.view.list.focus();
  }
}

function listenToButtons(root, bench) {
  root.addEventListener("click", (event) => {
    const refused = event.target.closest("[data-reopen], [data-discard]");
    if (refused) {
      const { reopen, discard } = refused.dataset;
      const entry = bench.sync.refused[Number(reopen ?? discard)];
      if (reopen) bench.reopen(entry.record.task, entry.record);
      else bench.discard(entry);
      return;
    }
    const button = event.target.closest("[data-do]");
    if (button) bench.act(button.dataset.do);
    // After a click (and not after enter) the keys go on with the words.
    const isClick = event.detail > 0 && event.target.closest("[data-do], [data-label]");
    const { activeElement } = document;
    if (isClick && activeElement?.matches("button")) bench.view.list.focus({ preventScroll: true });
  });
}

function listenToWindow(bench, sync, journal) {
  window.addEventListener("beforeunload", (event) => {
    // Without a journal what is not sent goes with the page.
    if (!journal.lasting && sync.count) event.preventDefault();
  });
  window.addEventListener("online", () => sync.kick());
  window.addEventListener("focus", () => bench.wake());
  window.addEventListener("pagehide", () => sync.flush());
  document.addEventListener("visibilitychange", () => {
    bench.tick();
    if (!document.hidden) bench.wake();
  });
  // What another window of the same person has answered does not come here as well.
  bench.windows.addEventListener("message", ({ data }) => bench.session.leave(data));
}
