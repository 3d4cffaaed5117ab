/**
 * What hands can ask for by name; `session` does it.
 *
 * Those marked `always` make sense without a caption in hand. `held` may repeat while a key
 * is held down, within a caption; the others happen once a press, so that no key that sticks accepts a hundred.
 */
const step = (by, extend) => (session) => session.move(by, extend);
const line = (by, extend) => (session) => session.moveLine(by, extend);

export const ACTIONS = {
  accept: { run: (session) => session.answer("accept") },
  reject: { run: (session) => session.answer("reject") },
  ignore: { run: (session) => session.answer("ignore") },
  flag: { run: (session) => session.flag() },
  unlabel: { run: (session) => session.unlabel() },
  "grow-left": { run: (session) => session.grow(-1), held: true },
  "grow-right": { run: (session) => session.grow(1), held: true },
  take: { run: (session) => session.take() },
  "take-all": { run: (session) => session.takeAll() },
  comment: { run: (session) => session.screen.part("comment").focus() },
  play: { run: (session) => session.player.play() },
  left: { run: step(-1, false), held: true },
  right: { run: step(1, false), held: true },
  up: { run: line(-1, false), held: true },
  down: { run: line(1, false), held: true },
  first: { run: step(-Infinity, false) },
  last: { run: step(Infinity, false) },
  "extend-left": { run: step(-1, true), held: true },
  "extend-right": { run: step(1, true), held: true },
  "extend-up": { run: line(-1, true), held: true },
  "extend-down": { run: line(1, true), held: true },
  "extend-first": { run: step(-Infinity, true) },
  "extend-last": { run: step(Infinity, true) },
  next: { run: (session) => session.jump(1), held: true },
  previous: { run: (session) => session.jump(-1), held: true },
  escape: { run: (session) => session.disarm(), always: true },
  undo: { run: (session, isRepeat) => session.undo(isRepeat), held: true, always: true },
  redo: { run: (session, isRepeat) => session.redo(isRepeat), held: true },
  back: { run: (session) => session.back(), always: true },
  save: { run: (session) => session.save(), always: true },
  refill: { run: (session) => session.buffer.fill(), always: true },
  guidelines: { run: (session) => session.sheets.guidelines(), always: true },
  keys: { run: (session) => session.sheets.keys.open(), always: true },
  "reset-keys": { run: (session) => session.sheets.keys.reset(), always: true },
  resolve: { run: (session) => session.sheets.conflicts.open(), always: true },
  "keep-ours": { run: (session) => session.resolve(true), always: true },
  "keep-theirs": { run: (session) => session.resolve(false), always: true },
};
