/**
 * Decide findings by single keys; the forms work without.
 *
 * Usage: <ul data-controller="findings-queue"> <li class="finding" data-open tabindex="-1"> ... with
 *        <button data-key="1"> or <summary data-key="e"> for each key. The finding with the focus is the one
 *        at hand: its button is pressed. j and k go to the next and the previous one, space plays the sound.
 * After a decision htmx brings the finding as it is then, and the next open one is at hand; u presses the button
 * of #last-decision, once a decision that is on its way has arrived. Where none is open any more, the focus goes to [data-go-on].
 */
const TYPING = "input:not([type=checkbox], [type=radio]), select, textarea";
// A decision that was refused comes as the finding with the reason.
const SHOWN = new Set([409, 422]);

export function connect(list) {
  const all = () => [...list.querySelectorAll(".finding")];
  const isOpen = (one) => "open" in one.dataset;
  const atHand = () => document.activeElement?.closest?.(".finding");
  let takesBack = false;

  const take = (one) => {
    one.focus({ preventScroll: true });
    one.scrollIntoView({ block: "nearest" });
  };

  const goOn = (from) => {
    const rows = all();
    const next = rows.slice(rows.indexOf(from) + 1).find(isOpen) ?? rows.find(isOpen);
    if (next) {
      take(next);
      return;
    }
    const link = document.querySelector("[data-go-on]");
    link?.parentElement.removeAttribute("hidden");
    link?.focus();
  };

  const step = (by) => {
    const rows = all();
    const at = rows.indexOf(atHand());
    const next = at < 0 ? rows.find(isOpen) ?? rows[0] : rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (next) take(next);
  };

  const edit = (one) => {
    const details = one.querySelector(".finding__edit");
    details.open = true;
    const field = details.querySelector("textarea");
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  };

  const play = (one) => {
    const audio = one.querySelector("audio");
    if (!audio) return false;
    if (audio.paused) audio.play();
    else audio.pause();
    return true;
  };

  const takeBack = () => {
    const button = document.querySelector("#last-decision button");
    takesBack = Boolean(list.querySelector(".htmx-request"));
    if (takesBack || !button || button.disabled) return;
    button.form.requestSubmit(button);
    button.disabled = true;
  };

  const press = (one, key) => {
    const found = [...one.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
    found?.click();
    return Boolean(found);
  };

  const acts = { j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), u: takeBack };

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest(TYPING);
    if (field) {
      if (event.key === "Escape") take(field.closest(".finding") ?? document.body);
      if (event.key === "Enter" && event.ctrlKey && list.contains(field)) {
        event.preventDefault();
        // Pressed, as htmx sends the name of a button that was clicked alone.
        field.form.querySelector("[value=edit]").click();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in acts) {
      event.preventDefault();
      acts[event.key]();
      return;
    }
    const one = atHand();
    if (!one) return;
    const held = event.target.closest("button, summary, a, audio");
    const done =
      (event.key === "e" && isOpen(one) && (edit(one), true)) ||
      (event.key === " " && !held && play(one)) ||
      press(one, event.key);
    if (done) event.preventDefault();
  });

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (!SHOWN.has(detail.xhr.status)) return;
    detail.shouldSwap = true;
    detail.isError = false;
  });

  // What was to be taken back has not been stored.
  document.addEventListener("htmx:afterRequest", ({ detail }) => { takesBack &&= detail.successful; });

  // Only now are its forms sent by htmx; before, a key would leave the page.
  document.addEventListener("htmx:afterSettle", ({ detail }) => {
    const id = detail.target.id;
    if (!id.startsWith("finding-")) return;
    const now = document.getElementById(id);
    if (!now || !list.contains(now)) return;
    if (takesBack) takeBack();
    else if (!isOpen(now)) goOn(now);
    else if (now.querySelector("[role=alert]") && now.querySelector(".finding__edit[open]")) {
      edit(now);
    } else {
      take(now);
    }
  });

  const asked = location.hash && document.getElementById(location.hash.slice(1));
  if (asked) asked.focus();
  else if (document.activeElement === document.body) all().find(isOpen)?.focus({ preventScroll: true });
}
