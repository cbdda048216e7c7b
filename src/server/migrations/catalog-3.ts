/**
 * Downloads of feeds. Times are epoch ms.
 *
 * `feed_download` has what is on the disk of the file of a run that has not ended: `bytes` of it survive a crash, and
 * `is_complete` is 0 or 1. `is_outdated` is 1 if other requests changed products since. `feed_seen` has the validators of the file that was last read to its end.
 *
 * A run whose `unchanged_since` is set has read nothing, because the file is the one that was read then.
 */
export const CATALOG_3 = `
CREATE TABLE feed_download (
  catalog INTEGER PRIMARY KEY, run INTEGER NOT NULL, source TEXT NOT NULL, bytes INTEGER NOT NULL DEFAULT 0,
  total INTEGER, etag TEXT, modified TEXT, charset TEXT, is_complete INTEGER NOT NULL DEFAULT 0,
  is_outdated INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE feed_seen (
  catalog INTEGER PRIMARY KEY, etag TEXT, modified TEXT, read_at INTEGER NOT NULL
);
ALTER TABLE feed_run ADD COLUMN bytes INTEGER;
ALTER TABLE feed_run ADD COLUMN unchanged_since INTEGER;
`;
