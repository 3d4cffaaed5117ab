/**
 * What hands can ask for by name, whatever the kind of work; `session` does it.
 *
 * Those marked `always` make sense without a task in hand. `held` may repeat while a key
 * is held down, within a task; the others happen once a press, so that no key that sticks accepts a hundred.
 */
const sound = (steps) => ({ player, screen }) => {
  player.move(steps);
  if (player.address) screen.say(player.spoken);
};

export const ACTIONS = {
  accept: { run: (session) => session.answers.answer("accept") },
  reject: { run: (session) => session.answers.answer("reject") },
  ignore: { run: (session) => session.answers.answer("ignore") },
  flag: { run: (session) => session.editor.flag() },
  comment: { run: (session) => session.screen.part("comment").focus() },
  play: { run: (session) => session.player.toggle() },
  restart: { run: (session) => session.player.restart() },
  "sound-back": { run: sound(-1), held: true },
  "sound-ahead": { run: sound(1), held: true },
  loop: { run: ({ player, screen }) => screen.say(player.loop() ? "Repeats." : "Does not repeat.") },
  undo: { run: (session, how) => session.editor.undo(how), held: true, always: true },
  redo: { run: (session, how) => session.editor.redo(how), held: true },
  back: { run: (session) => session.answers.back(), always: true },
  save: { run: (session) => session.save(), always: true },
  refill: { run: (session) => session.buffer.fill(), always: true },
  guidelines: { run: (session) => session.sheets.guidelines.open(), always: true },
  keys: { run: (session) => session.sheets.keys.open(), always: true },
  "reset-keys": { run: (session) => session.sheets.keys.reset(), always: true },
  "close-removed": { run: ({ screen }) => { screen.removed.close(); screen.takeHands(); }, always: true },
  resolve: { run: (session) => session.sheets.conflicts.open(), always: true },
  "keep-ours": { run: (session) => session.resolve(true), always: true },
  "keep-theirs": { run: (session) => session.resolve(false), always: true },
};
