/**
 * Start the labelling page.
 *
 * Usage: <div data-controller="labelling" data-settings="ID" hidden> ... </div>, where #ID is
 * JSON {user: {id, name}, project: {slug, name}, scheme, keys, suggests, labels: [{name, title, key, tone}],
 * urls: {api, page, login, logout}}. The parts inside are named by data-part, what buttons do by data-do,
 * labels by data-label. The modules in labelling/ have one concern each.
 */
import { Api } from "../labelling/api.js";
import { LabellingSession } from "../labelling/labelling-session.js";
import { Caption } from "../labelling/caption.js";
import { Drafts } from "../labelling/drafts.js";
import { newId } from "../labelling/ids.js";
import { openJournal } from "../labelling/journal.js";
import { Keys, shownKey } from "../labelling/keys.js";
import { KeySheet } from "../labelling/keysheet.js";
import { KeyStore } from "../labelling/key-store.js";
import { LabelBar } from "../labelling/labelbar.js";
import { listen } from "../labelling/listen.js";
import { Player } from "../labelling/player.js";
import { Screen } from "../labelling/screen.js";
import { CaptionQueue } from "../labelling/caption-queue.js";
import { ConflictResolution } from "../labelling/conflict-resolution.js";
import { TaskBuffer } from "../labelling/task-buffer.js";
import { Sync } from "../labelling/sync.js";
import { WordsView } from "../labelling/view.js";

export async function connect(root) {
  const settings = JSON.parse(document.getElementById(root.dataset.settings).textContent);
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const owner = `${settings.user.id}/${settings.project.slug}`;
  const journal = await openJournal(owner);
  const api = new Api(settings);
  const sync = new Sync(api, journal);
  const queue = new CaptionQueue();
  const drafts = new Drafts(journal, owner, newId());
  const { user, scheme, suggests, keys: kept } = settings;
  const store = new KeyStore({ api, user: user.id, scheme, kept });
  const keys = new Keys(settings.labels, store, { suggests });
  const view = new WordsView(part("words"), settings.labels);
  const screen = new Screen(root, view, settings.urls);
  const player = new Player(part("audio"), root.querySelector("[data-do=play]"));
  const showKeys = () => { bar.showKeys(keys); screen.showKeys(keys, shownKey); };
  const sheets = {
    guidelines: () => part("guidelines").showModal(),
    keys: new KeySheet(root, keys, showKeys),
    conflicts: new ConflictResolution(root, { sync, drafts, queue, view }),
  };
  const buffer = new TaskBuffer({ api, queue, sync, changed: () => session.refresh() });
  const bar = new LabelBar(part("labels"), (name) => session.press(name));
  const windows = new BroadcastChannel(`earmark-labelling/${owner}`);
  const session = new LabellingSession({
    api, queue, buffer, sync, drafts, view, bar, screen, player, sheets, windows,
  });

  root.hidden = false;
  showKeys();
  const { answers, drafts: left } = await drafts.leftOver();
  listen(root, { session, keys, sync, journal });
  left.forEach((record) => takeUp(queue, record));
  answers.forEach(({ item }) => queue.skip(item));
  sync.resume(answers);
  await openAsked(api, session);
  session.show();
  if (drafts.rivals.length) sheets.conflicts.open();
  buffer.fill();
}

/** Go on with unfinished work; what cannot be read, of whatever age it is, must not stop the rest. */
function takeUp(queue, record) {
  try {
    queue.open(new Caption(record.task, record));
  } catch (error) {
    window.reportError(error);
  }
}

/** Open the caption that the address asks for, once: a reload goes on where the work is. */
async function openAsked(api, session) {
  const id = new URLSearchParams(window.location.search).get("item");
  if (!id) return;
  window.history.replaceState(null, "", window.location.pathname);
  if (!/^\d+$/.test(id) || session.queue.knows(Number(id))) return;
  const { status, body } = await api.item(id).catch(() => ({}));
  if (status === 200) session.reopen(body);
}
