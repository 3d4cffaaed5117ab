/**
 * What is not on the server yet, kept in this browser, so that it outlives the tab.
 *
 * One record for each caption, kind (draft or answer), window and owner (person and
 * project); only the owner's are ever read. A record is written to localStorage first, which
 * is done before the next key, and from there to IndexedDB, which has room but takes its time:
 * a tab that is killed aborts what IndexedDB has not finished. What is dropped is noted there first
 * for the same reason, or it would be back with the page. Where there is only one of the two,
 * that one is used; with neither `lasting` is false. All have put, drop and all.
 */
const DATABASE = "earmark-labelling";
const STORE = "work";
// A database that does not open, as when another window holds it, must not keep the page shut.
const PATIENCE = 4000;

export const keyOf = ({ owner, tab, item, kind }) => `${owner}/${tab}/${item}/${kind}`;

export async function openJournal(owner) {
  const quick = storageOr(owner, null);
  let large = null;
  try {
    large = await within(PATIENCE, inDatabase(owner));
  } catch {
    return quick ?? inMemory();
  }
  return quick ? inBoth(quick, large) : large;
}

function within(limit, promise) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`nothing within ${limit} ms`)), limit);
  });
  return Promise.race([promise, late]);
}

function storageOr(owner, other) {
  try {
    return inStorage(owner, window.localStorage);
  } catch {
    return other;
  }
}

/** Drop a record only where it has not been replaced by a later change. */
const isSame = (found, record) => (
  Boolean(found) && found.edit === record.edit && found.at <= record.at
);

function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

function done(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

async function inDatabase(owner) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(STORE, { keyPath: "key" }).createIndex("owner", "owner");
  };
  const database = await resultOf(opening);
  const store = (mode) => {
    const transaction = database.transaction(STORE, mode);
    return [transaction.objectStore(STORE), transaction];
  };
  const journal = {
    lasting: true,
    async put(record) {
      const [work, transaction] = store("readwrite");
      work.put({ ...record, key: keyOf(record) });
      return done(transaction);
    },
    async drop(record) {
      const [work, transaction] = store("readwrite");
      const found = await resultOf(work.get(keyOf(record)));
      if (isSame(found, record)) work.delete(keyOf(record));
      return done(transaction);
    },
    all() {
      const [work] = store("readonly");
      return resultOf(work.index("owner").getAll(owner));
    },
  };
  await journal.all();
  return journal;
}

function inStorage(owner, storage) {
  const start = `${DATABASE}/${owner}/`;
  const place = (record) => `${DATABASE}/${keyOf(record)}`;
  const grave = (record) => `${DATABASE}-dropped/${keyOf(record)}`;
  const read = (key) => {
    try {
      return JSON.parse(storage.getItem(key));
    } catch {
      return null;
    }
  };
  // Some browsers have it and refuse to write.
  storage.setItem(DATABASE, "1");
  return {
    lasting: true,
    async put(record) { storage.setItem(place(record), JSON.stringify(record)); },
    async drop(record) {
      if (isSame(read(place(record)), record)) storage.removeItem(place(record));
    },
    /** Note that a record is to be dropped. */
    bury({ edit, at, ...record }) {
      try {
        storage.setItem(grave(record), JSON.stringify({ edit, at }));
      } catch {
        // Without the note it is dropped all the same, if the tab lives on.
      }
    },
    unbury(record) { storage.removeItem(grave(record)); },
    /** Give of a record how it stood when it was to be dropped, null where it was not. */
    buried(record) {
      const note = read(grave(record));
      return note && isSame(record, note) ? { ...record, ...note } : null;
    },
    /** Forget a record that has come to the database, unless a later one is here. */
    forget(record) {
      if (read(place(record))?.at === record.at) storage.removeItem(place(record));
    },
    async all() {
      return Object.keys(storage).filter((key) => key.startsWith(start)).map(read)
        .filter(Boolean);
    },
  };
}

function inBoth(quick, large) {
  return {
    lasting: true,
    async put(record) {
      const [here, there] = await Promise.allSettled([quick.put(record), large.put(record)]);
      if (there.status === "fulfilled") quick.forget(record);
      // One of the two is enough; the first may be full.
      else if (here.status === "rejected") throw there.reason;
    },
    async drop(record) {
      quick.bury(record);
      await Promise.all([quick.drop(record), large.drop(record)]);
      quick.unbury(record);
    },
    async all() {
      const found = new Map();
      [...await large.all(), ...await quick.all()].forEach((record) => {
        const dropped = quick.buried(record);
        if (dropped) {
          this.drop(dropped).catch(() => {});
          return;
        }
        const other = found.get(keyOf(record));
        if (!other || other.at <= record.at) found.set(keyOf(record), record);
      });
      return [...found.values()];
    },
  };
}

function inMemory() {
  const records = new Map();
  return {
    lasting: false,
    async put(record) { records.set(keyOf(record), record); },
    async drop(record) {
      if (isSame(records.get(keyOf(record)), record)) records.delete(keyOf(record));
    },
    async all() { return [...records.values()]; },
  };
}
