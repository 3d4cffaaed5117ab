/**
 * What hands can ask for by name while they label words; `view` has what does it (view.js).
 */
const step = (by, extend) => ({ cursor }) => cursor.move(by, extend);
const line = (by, extend) => ({ cursor }) => cursor.moveLine(by, extend);

const OF_WORDS = {
  unlabel: { run: ({ editor }) => editor.unlabel() },
  "grow-left": { run: ({ editor }) => editor.grow(-1), held: true },
  "grow-right": { run: ({ editor }) => editor.grow(1), held: true },
  take: { run: ({ editor }) => editor.take() },
  "take-all": { run: ({ editor }) => editor.takeAll() },
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
  next: { run: ({ cursor }) => cursor.jump(1), held: true },
  previous: { run: ({ cursor }) => cursor.jump(-1), held: true },
  escape: { run: ({ editor }) => editor.disarm(), always: true },
};

/** Give the actions as the session runs them, with one for each label. */
export function labelActions(view, labels) {
  const ofLabels = labels.map(({ name }) => [`label:${name}`, { run: () => view.editor.label(name) }]);
  const ofWords = Object.entries(OF_WORDS).map(([name, action]) => [name, { ...action, run: () => action.run(view) }]);
  return Object.fromEntries([...ofLabels, ...ofWords]);
}
