/**
 * Kinds of work, each a folder kinds/<name>/. The modules beside this file are the engine of them all: they
 * hand tasks out, keep what is said of them, send it, take it back, and know nothing of what is said.
 *
 * `kinds/<name>/kind.js` exports `kindOf(settings)`, which gives
 *
 *   Work                  the class of one task in hand, derived from Work (work.js)
 *   terms                 {task, tasks, act, done}: "caption", "captions"; one is to "label" it, it is "labelled"
 *   titleOf(task)         what stands above a task: "Caption 12"
 *   readDraft(record)     a draft of the journal as this page reads it, null where it cannot be read; those that
 *                         pages of any age left come here
 *   sentOf(record)        what is sent of an answer besides what all kinds send: {spans, taken} or {spans: [], value}
 *   differences(task, ours, theirs)
 *                         where two contents of `Work.contentOf` differ: {shown: nodes for the task itself, count,
 *                         alike: a sentence or "", ours: lines, theirs: lines}
 *   objection(work)       optional: a sentence why it cannot be accepted yet, "" where it can
 *   keys                  {commands, choices, extras} of Keys (keys.js), each optional
 *   connect(root, session) the view of the page:
 *     show(work), clear(), shows(work)    show what is in hand; nothing; tell whether it is shown
 *     actions             {name: {run(session, {isRepeat, isTyping}), held, always}}, as in actions.js
 *     showKeys(keys)      optional: write keys where they stand
 *     showProgress(own, isLasting)
 *                         optional: show news of the server that are only of this kind; give what is said aloud
 *
 * The part of the page named "work" is where it stands: hidden while there is nothing in hand, and focused
 * between keys. What hands change goes through `session.editor.edited`. A kind whose answer is a form takes
 * most of this from forms/.
 */
const NAME = /^[a-z][a-z-]*$/;

/** Load the kind of work that the settings name; those of an older server name none. */
export async function kindNamed({ kind = "label-words", ...settings }) {
  if (!NAME.test(kind)) throw new Error(`"${kind}" is no kind of work.`);
  const { kindOf } = await import(`./kinds/${kind}/kind.js`);
  return kindOf(settings);
}
