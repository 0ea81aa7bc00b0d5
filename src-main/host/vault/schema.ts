import { ROWS_SCHEMA } from '../rows.ts'

/** Scripts of vault.db, oldest first. Add at the end; never change one that has been released. */
export const VAULT_MIGRATIONS: readonly string[] = [
  `${ROWS_SCHEMA}
  CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    counter INTEGER NOT NULL,
    created INTEGER,
    tags TEXT NOT NULL,
    expires INTEGER,
    mac TEXT NOT NULL,
    last_used INTEGER,
    noticed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE versions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'live', 'former', 'doomed')),
    place TEXT NOT NULL CHECK (place IN ('item', 'sealed')),
    fingerprint TEXT NOT NULL,
    created INTEGER NOT NULL,
    stored_by TEXT NOT NULL,
    mac TEXT NOT NULL,
    box BLOB
  ) STRICT;
  CREATE UNIQUE INDEX one_live ON versions (name) WHERE state = 'live';`,
  `CREATE TABLE secrets_root (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), generation INTEGER NOT NULL, list TEXT NOT NULL, mac TEXT NOT NULL) STRICT;
  CREATE INDEX versions_by_name ON versions (name);`,
]
