/**
 * The keys of labelling words, beside those of every kind of work.
 */
const COMMANDS = [
  { id: "grow-left", group: "labels", key: ",", title: "Extend the span to the previous word" },
  { id: "grow-right", group: "labels", key: ".", title: "Extend the span to the next word" },
  { id: "unlabel", group: "labels", key: "-", title: "Remove the label" },
  { id: "next", group: "moves", key: "k", title: "Next word that is not a function word" },
  { id: "previous", group: "moves", key: "j", title: "Previous word that is not a function word" },
];
// Only where the project suggests labels.
const TAKES = [
  { id: "take", group: "labels", key: "s", title: "Take the suggestion under the cursor" },
  { id: "take-all", group: "labels", key: "l", title: "Take all strong suggestions, then go to the next weak one" },
];

export const labelKeys = ({ labels, suggests }) => ({
  commands: COMMANDS,
  choices: labels.map(({ name, key, title }) => ({ id: `label:${name}`, group: "labels", key, title })),
  extras: suggests ? TAKES : [],
});
