/**
 * Say a moment on the reader's own clock, after the one that the page gives in UTC.
 *
 * Usage: <span data-controller="own-time">on <time datetime="2026-03-12T23:59:00+00:00">…</time></span>
 */
const FORM = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };

export function connect(element) {
  for (const time of element.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) continue;
    const own = new Intl.DateTimeFormat("en-GB", FORM).format(at);
    time.after(` (${own} your time)`);
  }
}
