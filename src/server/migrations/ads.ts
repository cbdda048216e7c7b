/**
 * Entities of advertisers. `seq` is the order of their creation. `holder` is the ad account that an entity belongs to;
 * of an ad account it is the id of its user. `parent` is the id of the entity that it belongs to. `deleted` is 0, or the
 * number of the change that deleted it. The columns from `name` to `standard` repeat fields by which listings are
 * sorted, -1 or empty where a field has no value; `folded` is the name in lower case. `source` is the key of the import
 * that it comes from. Times are epoch ms.
 *
 * The indexes have all that a listing filters by, so that it reads only the rows of its page.
 *
 * Figures of entities, each of an hour or of a local day. `start` and `minutes` say which, `start` in minutes since
 * 1970; those of an entity and a placement do not overlap. `placement` is a number of `PLACEMENTS`. A metric that is not
 * known is NULL.
 *
 * `changed` is the number of the last change of an entity, 0 for a new one. `moved` has the values by which an entity
 * was sorted before a change, so that a walk of a listing sees all entities where they were when it began; rows older
 * than a day are removed. `amount` repeats the bid of a line item and the funds of a funding instrument. `due` says when
 * a scheduled Post is published, epoch ms; NULL for all that is not to be published.
 *
 * `activity` has the longest spans in which the figures of an entity and a placement follow each other without a gap, in
 * minutes since 1970. `reach` has how many users a campaign reached in an hour or a day, and how often each on average:
 * these do not add up.
 */
export const ADS_SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entity (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, holder TEXT NOT NULL, id TEXT NOT NULL, parent TEXT,
  draft INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  name TEXT NOT NULL, folded TEXT NOT NULL, start_time TEXT NOT NULL, end_time TEXT NOT NULL, daily INTEGER NOT NULL,
  total INTEGER NOT NULL, standard INTEGER NOT NULL, fields TEXT NOT NULL, source TEXT,
  changed INTEGER NOT NULL DEFAULT 0, amount INTEGER NOT NULL DEFAULT -1, due INTEGER, UNIQUE (kind, id)
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
CREATE TABLE figure (
  entity INTEGER NOT NULL, placement INTEGER NOT NULL, start INTEGER NOT NULL, minutes INTEGER NOT NULL,
  impressions INTEGER, engagements INTEGER, clicks INTEGER, url_clicks INTEGER, likes INTEGER, replies INTEGER,
  retweets INTEGER, follows INTEGER, card_engagements INTEGER, app_clicks INTEGER, qualified_impressions INTEGER,
  carousel_swipes INTEGER, billed_engagements INTEGER, billed_charge_local_micro INTEGER, video_total_views INTEGER,
  video_views_25 INTEGER, video_views_50 INTEGER, video_views_75 INTEGER, video_views_100 INTEGER,
  video_content_starts INTEGER, video_cta_clicks INTEGER, video_3s100pct_views INTEGER, video_6s_views INTEGER,
  video_15s_views INTEGER,
  PRIMARY KEY (entity, placement, start, minutes)
) WITHOUT ROWID;
CREATE INDEX entity_amount ON entity (holder, kind, amount, seq, deleted, draft);
CREATE INDEX entity_due ON entity (due) WHERE due IS NOT NULL;
CREATE INDEX entity_key ON entity (kind, source) WHERE source IS NOT NULL;
CREATE TABLE moved (
  seq INTEGER NOT NULL, holder TEXT NOT NULL, kind TEXT NOT NULL, change INTEGER NOT NULL, at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, deleted INTEGER NOT NULL, name TEXT NOT NULL, start_time TEXT NOT NULL,
  end_time TEXT NOT NULL, daily INTEGER NOT NULL, total INTEGER NOT NULL, standard INTEGER NOT NULL,
  amount INTEGER NOT NULL
);
CREATE INDEX moved_since ON moved (holder, kind, change, seq);
CREATE INDEX moved_entity ON moved (seq, change);
CREATE TABLE activity (
  entity INTEGER NOT NULL, placement INTEGER NOT NULL, start INTEGER NOT NULL, until INTEGER NOT NULL,
  holder TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (entity, placement, start)
) WITHOUT ROWID;
CREATE INDEX activity_until ON activity (holder, kind, until, start, entity, placement);
CREATE TABLE reach (
  entity INTEGER NOT NULL, start INTEGER NOT NULL, minutes INTEGER NOT NULL, reach INTEGER, frequency REAL,
  PRIMARY KEY (entity, start, minutes)
) WITHOUT ROWID;
`;

/**
 * Jobs that compute statistics. `request` is JSON. `file` and `result`, gzipped JSON, are set while there is one; the row
 * goes at `expires_at`. Times are epoch ms.
 */
export const STATISTICS_JOBS = `
CREATE TABLE statistics_job (
  id INTEGER PRIMARY KEY, account TEXT NOT NULL, status TEXT NOT NULL, request TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER, file TEXT UNIQUE, result BLOB
);
CREATE INDEX statistics_job_account ON statistics_job (account, id);
CREATE INDEX statistics_job_waiting ON statistics_job (account, id) WHERE status = 'PROCESSING';
CREATE INDEX statistics_job_end ON statistics_job (expires_at) WHERE expires_at IS NOT NULL;
`;
