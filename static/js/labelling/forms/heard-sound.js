/**
 * Whether a sound has been heard from its start to its end, in whatever pieces and order.
 */
// In seconds: players skip a little where they stop and start again.
const SLACK = 0.3;

/** Tell whether all of a sound was played, by the ranges that its element counts. */
export function isHeard({ played, duration }) {
  if (!Number.isFinite(duration) || duration <= 0) return false;
  let heard = 0;
  for (let i = 0; i < played.length; i += 1) heard += played.end(i) - played.start(i);
  return duration - heard <= Math.min(SLACK, duration / 10);
}

/** Call `heard` whenever the sound of an audio element goes on or stops and all of it was heard. */
export function whenHeard(audio, heard) {
  ["timeupdate", "pause", "ended"].forEach((event) => {
    audio.addEventListener(event, () => { if (isHeard(audio)) heard(); });
  });
}
