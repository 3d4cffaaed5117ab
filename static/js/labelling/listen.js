/**
 * Everything that reaches the page from outside: keys, buttons, the network, the window.
 */
import { SLIDER } from "./screen.js";

const TYPING = "input:not([type=range], [type=radio]), textarea, select, [contenteditable]";
// These answer to space and enter themselves.
const PRESSED = "button, a, summary, [type=radio]";

export function listen(root, { session, keys, sync, journal }) {
  listenToKeys(root, session, keys);
  listenToButtons(root, session);
  listenToWindow(session, sync, journal);
  window.addEventListener("online", () => keys.store.send());
  window.addEventListener("focus", () => keys.store.send());
  // The button that opened a sheet may be gone when it closes.
  root.querySelectorAll("dialog").forEach((sheet) => {
    sheet.addEventListener("close", () => session.screen.takeHands(true));
  });
  const comment = root.querySelector("[data-part=comment]");
  comment.addEventListener("input", () => session.editor.comment(comment.value));
  const tell = () => {
    session.screen.saving(sync, journal.lasting);
    session.screen.conflicts(session.sheets.conflicts.count);
    if (session.isClosed) session.show();
  };
  sync.addEventListener("change", tell);
  session.drafts.addEventListener("change", tell);
  sync.addEventListener("change", () => session.progress.recount());
  // The project may be closed.
  sync.addEventListener("refused", () => session.progress.look());
  sync.addEventListener("arrived", ({ detail }) => session.answers.arrived(detail.record, detail.annotation));
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
    if (event.key === "Escape" && event.target.matches(SLIDER)) session.screen.place.focus();
    if (event.target.matches(TYPING)) {
      typed(event, meaning, session);
      return;
    }
    const isPress = event.key === " " || event.key === "Enter";
    if (!meaning || !session.knows(meaning) || (isPress && event.target.closest(PRESSED))) return;
    if (session.act(meaning, { isRepeat: event.repeat })) event.preventDefault();
    // A key that does nothing here, because it is held or there is no task, does nothing else either.
    else if (meaning !== "escape" && !event.target.closest(PRESSED)) event.preventDefault();
  });
}

/** While someone types only these keys are ours. */
function typed(event, meaning, session) {
  const isOfWork = session.screen.place.contains(event.target);
  const asked = meaning === "save" ? meaning : isOfWork && typingMeaning(event, meaning);
  if (asked) {
    event.preventDefault();
    session.act(asked, { isRepeat: event.repeat, isTyping: true });
  } else if (leavesField(event)) {
    event.preventDefault();
    session.screen.place.focus();
  }
}

/** What a key asks for in a field of the work, null where it is the field's. */
function typingMeaning({ key, ctrlKey, metaKey, altKey, isComposing }, meaning) {
  if (meaning === "undo" || meaning === "redo") return meaning;
  if (isComposing || altKey || !(ctrlKey || metaKey)) return null;
  return { Enter: "accept", " ": "play" }[key] ?? null;
}

const leavesField = ({ key, isComposing, target }) => !isComposing && (
  key === "Escape" || (key === "Enter" && target.matches("input, [data-one-line]"))
);

function listenToButtons(root, session) {
  root.addEventListener("click", (event) => {
    const refused = event.target.closest("[data-reopen], [data-discard]");
    if (refused) {
      const { reopen, discard } = refused.dataset;
      const entry = session.sync.refused[Number(reopen ?? discard)];
      if (reopen) {
        session.answers.reopen(entry.record.task, entry.record);
        session.screen.place.focus({ preventScroll: true });
      } else session.answers.discard(entry);
      return;
    }
    const button = event.target.closest("[data-do]");
    if (button) session.act(button.dataset.do);
    if (event.target.closest(`[data-do], ${SLIDER}`)) session.screen.goOnAfter(event);
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
