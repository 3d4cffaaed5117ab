/**
 * What is not on the server yet, kept in this browser, so that it outlives the tab.
 *
 * One record for each caption, kind (draft or answer), window and owner (person and
 * project); only the owner's are ever read. IndexedDB, else localStorage, else memory, in
 * which case `lasting` is false. All three have put, drop and all.
 */
const DATABASE = "earmark-labelling";
const STORE = "work";

export const keyOf = ({ owner, tab, item, kind }) => `${owner}/${tab}/${item}/${kind}`;

export async function openJournal(owner) {
  try {
    return await inDatabase(owner);
  } catch {
    try {
      return inStorage(owner, window.localStorage);
    } catch {
      return inMemory();
    }
  }
}

function asked(request) {
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
  const database = await asked(opening);
  const store = (mode) => {
    const transaction = database.transaction(STORE, mode);
    return [transaction.objectStore(STORE), transaction];
  };
  const journal = {
    lasting: true,
    put(record) {
      const [work, transaction] = store("readwrite");
      work.put({ ...record, key: keyOf(record) });
      return done(transaction);
    },
    /** Drop a record, unless it has been replaced by a later change. */
    async drop(record) {
      const [work, transaction] = store("readwrite");
      const found = await asked(work.get(keyOf(record)));
      if (found && found.edit === record.edit) work.delete(keyOf(record));
      return done(transaction);
    },
    all() {
      const [work] = store("readonly");
      return asked(work.index("owner").getAll(owner));
    },
  };
  await journal.all();
  return journal;
}

function inStorage(owner, storage) {
  const start = `${DATABASE}/${owner}/`;
  const place = (record) => `${DATABASE}/${keyOf(record)}`;
  const journal = {
    lasting: true,
    async put(record) { storage.setItem(place(record), JSON.stringify(record)); },
    async drop(record) {
      const found = JSON.parse(storage.getItem(place(record)) ?? "null");
      if (found && found.edit === record.edit) storage.removeItem(place(record));
    },
    async all() {
      return Object.keys(storage)
        .filter((key) => key.startsWith(start))
        .map((key) => JSON.parse(storage.getItem(key)));
    },
  };
  storage.setItem(DATABASE, "1");
  return journal;
}

function inMemory() {
  const records = new Map();
  return {
    lasting: false,
    async put(record) { records.set(keyOf(record), record); },
    async drop(record) {
      if (records.get(keyOf(record))?.edit === record.edit) records.delete(keyOf(record));
    },
    async all() { return [...records.values()]; },
  };
}
