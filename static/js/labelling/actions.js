/**
 * What hands can ask for by name; `bench` does it.
 *
 * Those marked `always` make sense without a caption in hand. `held` may repeat while a key
 * is held down, within a caption; the others happen once a press, so that no key that sticks accepts a hundred.
 */
const step = (by, extend) => (bench) => bench.move(by, extend);
const line = (by, extend) => (bench) => bench.moveLine(by, extend);

export const ACTIONS = {
  accept: { run: (bench) => bench.answer("accept") },
  reject: { run: (bench) => bench.answer("reject") },
  ignore: { run: (bench) => bench.answer("ignore") },
  flag: { run: (bench) => bench.flag() },
  unlabel: { run: (bench) => bench.unlabel() },
  "grow-left": { run: (bench) => bench.grow(-1), held: true },
  "grow-right": { run: (bench) => bench.grow(1), held: true },
  take: { run: (bench) => bench.take() },
  "take-all": { run: (bench) => bench.takeAll() },
  comment: { run: (bench) => bench.screen.part("comment").focus() },
  play: { run: (bench) => bench.player.play() },
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
  next: { run: (bench) => bench.jump(1), held: true },
  previous: { run: (bench) => bench.jump(-1), held: true },
  escape: { run: (bench) => bench.disarm(), always: true },
  undo: { run: (bench, isRepeat) => bench.undo(isRepeat), held: true, always: true },
  redo: { run: (bench, isRepeat) => bench.redo(isRepeat), held: true },
  back: { run: (bench) => bench.back(), always: true },
  save: { run: (bench) => bench.save(), always: true },
  refill: { run: (bench) => bench.stock.fill(), always: true },
  guidelines: { run: (bench) => bench.sheets.guidelines(), always: true },
  keys: { run: (bench) => bench.sheets.keys.open(), always: true },
  "reset-keys": { run: (bench) => bench.sheets.keys.reset(), always: true },
  settle: { run: (bench) => bench.sheets.settle.open(), always: true },
  "keep-ours": { run: (bench) => bench.settle(true), always: true },
  "keep-theirs": { run: (bench) => bench.settle(false), always: true },
};
