/**
 * Everything that reaches the page from outside: keys, buttons, the pointer, the network, the window.
 */
import { usePointer } from "./pointer.js";

const TYPING = "input, textarea, select, [contenteditable]";
// These answer to space and enter themselves.
const PRESSED = "button, a, summary";

export function listen(root, { session, keys, sync, journal }) {
  listenToKeys(root, session, keys);
  listenToButtons(root, session);
  listenToWindow(session, sync, journal);
  window.addEventListener("online", () => keys.store.send());
  window.addEventListener("focus", () => keys.store.send());
  usePointer(session.view, {
    preview: (first, last) => session.preview(first, last),
    drop: (first, last, dragged) => session.drop(first, last, dragged),
    cancel: () => session.show(),
  });
  const comment = root.querySelector("[data-part=comment]");
  comment.addEventListener("input", () => session.comment(comment.value));
  const tell = () => {
    session.screen.saving(sync, journal.lasting);
    session.screen.conflicts(session.sheets.conflicts.count);
  };
  sync.addEventListener("change", tell);
  session.drafts.addEventListener("change", tell);
  sync.addEventListener("change", () => session.buffer.recount());
  sync.addEventListener("arrived", ({ detail }) => session.arrived(detail.record, detail.annotation));
  tell();
}

function listenToKeys(root, session, keys) {
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
      leaveTyping(event, meaning, session);
      return;
    }
    const isPress = event.key === " " || event.key === "Enter";
    if (!meaning || (isPress && event.target.closest(PRESSED))) return;
    if (session.act(meaning, { isRepeat: event.repeat })) event.preventDefault();
    // A key that does nothing here, because it is held or there is no caption, does nothing else either.
    else if (meaning !== "escape" && !event.target.closest(PRESSED)) event.preventDefault();
  });
}

/** While someone types only these keys are ours. */
function leaveTyping(event, meaning, session) {
  if (meaning === "save") {
    event.preventDefault();
    session.act("save");
  } else if (event.key === "Escape" || (event.key === "Enter" && event.target.matches("input"))) {
    event.preventDefault();
    session.view.list.focus();
  }
}

function listenToButtons(root, session) {
  root.addEventListener("click", (event) => {
    const refused = event.target.closest("[data-reopen], [data-discard]");
    if (refused) {
      const { reopen, discard } = refused.dataset;
      const entry = session.sync.refused[Number(reopen ?? discard)];
      if (reopen) session.reopen(entry.record.task, entry.record);
      else session.discard(entry);
      return;
    }
    const button = event.target.closest("[data-do]");
    if (button) session.act(button.dataset.do);
    // After a click (and not after enter) the keys go on with the words.
    const isClick = event.detail > 0 && event.target.closest("[data-do], [data-label]");
    const { activeElement } = document;
    if (isClick && activeElement?.matches("button")) session.view.list.focus({ preventScroll: true });
  });
}

function listenToWindow(session, sync, journal) {
  window.addEventListener("beforeunload", (event) => {
    // Without a journal what is not sent goes with the page.
    if (!journal.lasting && sync.count) event.preventDefault();
  });
  window.addEventListener("online", () => sync.kick());
  window.addEventListener("focus", () => session.wake());
  window.addEventListener("pagehide", () => sync.flush());
  document.addEventListener("visibilitychange", () => {
    session.tick();
    if (!document.hidden) session.wake();
  });
  // What another window of the same person has answered does not come here as well.
  const { windows, drafts: { tab } } = session;
  windows.addEventListener("message", ({ data }) => {
    if (typeof data === "number") session.queue.leave(data);
    else if (data.asks) windows.postMessage({ open: tab });
    else if (data.open) session.windowOpened(data.open);
    else session.windowClosed(data.closed);
  });
  window.addEventListener("pagehide", () => windows.postMessage({ closed: tab }));
  windows.postMessage({ asks: true });
}
