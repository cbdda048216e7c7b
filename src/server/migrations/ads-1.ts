/**
 * Entities of advertisers. `seq` is the order of their creation. `holder` is the ad account that an entity belongs to; of
 * an ad account it is the id of its user. `parent` is the id of the entity that it belongs to. `deleted` is 0, or the
 * number of the change that deleted it. The columns up to `standard` repeat fields by which listings are sorted, -1 or
 * empty where a field has no value; `folded` is the name in lower case. `source` is the key of the import that it comes
 * from. Times are epoch ms.
 *
 * The indexes have all that a listing filters by, so that it reads only the rows of its page.
 */
export const ADS_1 = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entity (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, holder TEXT NOT NULL, id TEXT NOT NULL, parent TEXT,
  draft INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  name TEXT NOT NULL, folded TEXT NOT NULL, start_time TEXT NOT NULL, end_time TEXT NOT NULL, daily INTEGER NOT NULL,
  total INTEGER NOT NULL, standard INTEGER NOT NULL, fields TEXT NOT NULL, source TEXT, UNIQUE (kind, id)
);
CREATE INDEX entity_live ON entity (holder, kind, seq) WHERE deleted = 0 AND draft = 0;
CREATE INDEX entity_all ON entity (holder, kind, seq, deleted, draft);
CREATE INDEX entity_parent ON entity (holder, kind, parent, seq, deleted, draft);
CREATE INDEX entity_created ON entity (holder, kind, created_at, seq, deleted, draft);
CREATE INDEX entity_updated ON entity (holder, kind, updated_at, seq, deleted, draft);
CREATE INDEX entity_deleted ON entity (holder, kind, deleted > 0, seq, deleted, draft);
CREATE INDEX entity_name ON entity (holder, kind, name, seq, deleted, draft);
CREATE INDEX entity_start ON entity (holder, kind, start_time, seq, deleted, draft);
CREATE INDEX entity_end ON entity (holder, kind, end_time, seq, deleted, draft);
CREATE INDEX entity_daily ON entity (holder, kind, daily, seq, deleted, draft);
CREATE INDEX entity_total ON entity (holder, kind, total, seq, deleted, draft);
CREATE INDEX entity_standard ON entity (holder, kind, standard, seq, deleted, draft);
CREATE UNIQUE INDEX entity_source ON entity (holder, kind, source) WHERE source IS NOT NULL;
`;
