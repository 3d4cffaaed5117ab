/**
 * Start the page of work.
 *
 * Usage: <div data-controller="labelling" data-settings="ID" hidden> ... </div>, where #ID is
 * JSON {kind, user: {id, name}, project: {slug, name}, scheme, keys, urls: {api, page, guidelines, login, logout}}
 * and what the kind of work reads besides; of label words {earlier, suggests, threshold,
 * labels: [{name, title, key, tone}]}. The parts inside are named by data-part, what buttons do by data-do.
 * The modules in labelling/ have one concern each; labelling/kind.js says what a kind of work is.
 */
import { Api } from "../labelling/api.js";
import { LabellingSession } from "../labelling/labelling-session.js";
import { Drafts } from "../labelling/drafts.js";
import { Guidelines } from "../labelling/guidelines.js";
import { newId } from "../labelling/ids.js";
import { openJournal } from "../labelling/journal.js";
import { Keys, shownKey } from "../labelling/keys.js";
import { KeySheet } from "../labelling/keysheet.js";
import { KeyStore } from "../labelling/key-store.js";
import { kindNamed } from "../labelling/kind.js";
import { listen } from "../labelling/listen.js";
import { OwnProgress } from "../labelling/own-progress.js";
import { Player } from "../labelling/player.js";
import { Screen } from "../labelling/screen.js";
import { WorkQueue } from "../labelling/work-queue.js";
import { ConflictResolution } from "../labelling/conflict-resolution.js";
import { TaskBuffer } from "../labelling/task-buffer.js";
import { Sync } from "../labelling/sync.js";

export async function connect(root) {
  const settings = JSON.parse(document.getElementById(root.dataset.settings).textContent);
  const { user, project, scheme, urls, keys: kept } = settings;
  const owner = `${user.id}/${project.slug}`;
  const [kind, journal] = await Promise.all([kindNamed(settings), openJournal(owner)]);
  const api = new Api(settings);
  const sync = new Sync(api, journal, kind);
  const queue = new WorkQueue();
  const drafts = new Drafts({ journal, owner, tab: newId(), scheme, kind });
  const store = new KeyStore({ api, user: user.id, scheme, kept });
  const keys = new Keys(store, kind);
  const screen = new Screen(root, kind, urls);
  const showKeys = () => { session.view.showKeys?.(keys); screen.showKeys(keys, shownKey); };
  const sheets = {
    guidelines: new Guidelines(root, api),
    keys: new KeySheet(root, keys, showKeys),
    conflicts: new ConflictResolution(root, { kind, sync, drafts, queue }),
  };
  const changed = () => session.refresh();
  const progress = new OwnProgress({ api, sync, changed });
  const buffer = new TaskBuffer({ kind, api, queue, sync, progress, changed });
  const session = new LabellingSession(root, {
    kind, api, queue, buffer, progress, sync, drafts, screen, sheets,
    player: new Player(root), windows: new BroadcastChannel(`earmark-labelling/${owner}`),
  });

  root.hidden = false;
  showKeys();
  const { answers, drafts: left } = await drafts.leftOver();
  listen(root, { session, keys, sync, journal });
  left.forEach((record) => takeUp(session, record));
  answers.forEach((record) => recall(session, record));
  sync.resume(answers);
  await openAsked(api, session);
  session.show();
  if (drafts.rivals.length) sheets.conflicts.open();
  buffer.fill();
}

/** Go on with unfinished work; what cannot be read, of whatever age it is, must not stop the rest. */
function takeUp({ kind, queue }, record) {
  try {
    queue.open(new kind.Work(record.task, record));
  } catch (error) {
    window.reportError(error);
  }
}

/** An answer of an earlier sitting that has not arrived: its task does not come again, but one can go back to it. */
function recall({ kind, queue }, record) {
  queue.skip(record.item);
  try {
    const readable = kind.readDraft(record);
    if (readable) queue.recall(new kind.Work(record.task, readable));
  } catch (error) {
    window.reportError(error);
  }
}

/** Open the task that the address asks for, once: a reload goes on where the work is. */
async function openAsked(api, session) {
  const id = new URLSearchParams(window.location.search).get("item");
  if (!id) return;
  window.history.replaceState(null, "", window.location.pathname);
  if (!/^\d+$/.test(id) || session.queue.knows(Number(id))) return;
  const { status, body } = await api.item(id).catch(() => ({}));
  if (status !== 200) return;
  if (body.removed) session.screen.removed.unanswered(new session.kind.Work(body), body.removed, true);
  else session.answers.reopen(body);
}
