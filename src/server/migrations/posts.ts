/**
 * Posts, the objects they refer to, and the counting index over them.
 *
 * Cells of `posting` and `tail` stay below a quarter of a page if possible: larger ones need overflow pages. Terms with
 * fewer than eight Posts in a chunk share `tail` blocks, sorted by the terms' hash `h`.
 *
 * Posts change and chunks are replaced while others read. A chunk counts if it is in `live`: others are being written or removed. Chunk numbers are never reused (`meta.chunks`
 * is the highest one assigned), nor are those of `open_post` (`meta.sealed` is the highest one in a chunk). `meta.shape`
 * increments with every change of `live`. A `tombstone` marks a Post that no longer counts: ordinal `o` of chunk `c` or,
 * with c = 0, number `o` of `open_post`. `filter` shows which terms a chunk cannot have. `posting` has row numbers
 * because in a table without them every comparison copies the compared cell with its overflow pages. `post.facts` holds,
 * as JSON, what queries match but no other column contains.
 *
 * `revision_mark`: a random mark of each known revision. A file restored from a backup issues its revision numbers again, with other
 * marks: so a reader can detect that its data of a revision is from another file.
 *
 * A checksum next to everything that a count depends on; each covers the cell and its address (`sums.ts`).
 *
 * In `chunk`, `sum` covers all columns except the blobs; `first_tail` is the hash of its first rare term, `first_term` a
 * checksum of the first term with its own row, `geo` one of all place terms. `posting.link` covers a term and the next
 * one, and `tail.next` is the hash of the next block, so that a missing row is detected. `times_parts` and
 * `filter.parts` are checksums of the parts of `times` and `bits`. The sums precede the blobs, which go to overflow
 * pages. `dead` has the sum of a chunk's tombstones; `meta.live` covers the numbers in `live`, `meta.open` the rows of
 * `open_post` above `meta.sealed`. `post.sum` is null until the index is rebuilt over a row without one.
 *
 * `version`: the versions of edited Posts; `first` is the id of the first one, which has `n` 0. A Post that was never
 * edited has no row. `answer`: replies and quotes that were posted here, by the Post they refer to; `kind` is `reply` or
 * `quote`. Communities, with the ids of their members; `folded` is the name in lower case.
 *
 * `relation.n` gives the order: those made here ascend from 1, imported ones descend from -1, so imported ones come
 * after all others in a listing that begins with the newest. `kind` is a number of `RELATION_KINDS`; `post` is the Post
 * that a repost created. `relation_count` has the number of relations of each end (side 0 source, 1 target): `total`
 * counts all, `made` what changed here since.
 *
 * `charge`: what apps paid for changes of Posts and relations, written with the change itself: sums by app, UTC day,
 * operation and account as in `bill` of the service's own file.
 *
 * `event`: what happened, in the order of `n`, which is never reused: the newest entry always stays. `at` is epoch ms
 * and never decreases. `total` is the size of all entries up to this one, in characters. `users` is a JSON list of ids.
 * `event_moved`: ids of those events of the service's own file that are here, and perhaps still there.
 *
 * `event_session`: each connection that appends has a random id, and `first` is the number of its first entry. A
 * file that is restored from a backup continues with another session, so a reader notices from which entry on it
 * differs.
 *
 * `forward`: what each Post of a chunk contains (`index/forward.ts`), in parts: 0 is the names, the others are the
 * numbers one after another. Each `sum` is a checksum of the part and its address.
 *
 * `collection`: what Posts were imported as, with the two that every file may have: 1 for Posts from before there were
 * collections, 2 for Posts that no import brought. `meta.collections` is the highest number assigned; none is used
 * again. `folded` is the name as queries compare it. `read` and `added` are numbers of rows and Posts, null where
 * unknown. `first` and `last` are epoch ms and contain all Posts that it ever had; null if unknown. `removed_at`, epoch
 * ms: the Posts still exist and can be restored.
 *
 * `post.collections`: the numbers of a Post's collections, ascending, separated by spaces.
 *
 * `meta.protected` is the checksum of the protected users whose Posts were left out of counts when the revision was last
 * raised for it; absent where it never was.
 *
 * `covered`: the times that collections cover, of each disjoint whole minutes, epoch ms; `end` is exclusive. Collection
 * 0 means Posts in none. `posted`: Posts that were created through the interface, from the first of which on a
 * collection covers everything.
 */
export const POSTS_SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES
  ('chunks', '0'), ('sealed', '0'), ('shape', '1'), ('live', '0'), ('open', '0'), ('collections', '2');
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  author_id TEXT,
  username TEXT,
  text TEXT NOT NULL,
  lang TEXT,
  flags INTEGER NOT NULL,
  rest TEXT,
  facts TEXT,
  sum INTEGER,
  collections TEXT DEFAULT '1'
);
CREATE TABLE object (kind TEXT, key TEXT, json TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE open_post (
  n INTEGER PRIMARY KEY, id INTEGER NOT NULL, created_at INTEGER NOT NULL, terms TEXT NOT NULL,
  sum INTEGER
);
CREATE TABLE change (
  revision INTEGER, t0 INTEGER, t1 INTEGER NOT NULL, PRIMARY KEY (revision, t0)
) WITHOUT ROWID;
CREATE TABLE live (c INTEGER PRIMARY KEY);
CREATE TABLE tombstone (
  c INTEGER, o INTEGER, revision INTEGER NOT NULL, PRIMARY KEY (c, o)
) WITHOUT ROWID;
CREATE INDEX tombstone_by_revision ON tombstone (revision);
CREATE INDEX open_post_by_id ON open_post (id);
CREATE TABLE revision_mark (revision INTEGER PRIMARY KEY, mark TEXT NOT NULL);
CREATE TABLE chunk (
  c INTEGER PRIMARY KEY, n INTEGER NOT NULL, t0 INTEGER NOT NULL, t1 INTEGER NOT NULL,
  id0 INTEGER NOT NULL, id1 INTEGER NOT NULL, first_tail INTEGER NOT NULL, first_term INTEGER NOT NULL,
  geo INTEGER NOT NULL, ids_sum INTEGER NOT NULL, sum INTEGER NOT NULL,
  times_parts BLOB NOT NULL, times BLOB NOT NULL, ids BLOB NOT NULL
);
CREATE TABLE posting (
  c INTEGER NOT NULL, term TEXT NOT NULL, list_sum INTEGER NOT NULL, spots_sum INTEGER NOT NULL,
  link INTEGER NOT NULL, list BLOB NOT NULL, spots BLOB
);
CREATE UNIQUE INDEX posting_by_term ON posting (c, term);
CREATE TABLE tail (
  c INTEGER, h INTEGER, next INTEGER NOT NULL, sum INTEGER NOT NULL, block BLOB NOT NULL, PRIMARY KEY (c, h)
) WITHOUT ROWID;
CREATE TABLE filter (c INTEGER PRIMARY KEY, parts BLOB NOT NULL, bits BLOB NOT NULL);
CREATE TABLE dead (c INTEGER PRIMARY KEY, sum INTEGER NOT NULL);
CREATE INDEX user_by_name ON object (lower(json_extract(json, '$.username'))) WHERE kind = 'users';
CREATE TABLE version (post INTEGER PRIMARY KEY, first INTEGER NOT NULL, n INTEGER NOT NULL);
CREATE UNIQUE INDEX version_by_first ON version (first, n);
CREATE TABLE answer (
  post INTEGER, kind TEXT, target INTEGER NOT NULL, author TEXT NOT NULL, PRIMARY KEY (post, kind)
) WITHOUT ROWID;
CREATE INDEX answer_by_target ON answer (target, kind, author);
CREATE TABLE community (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE community_member (
  community TEXT, account TEXT, PRIMARY KEY (community, account)
) WITHOUT ROWID;
CREATE TABLE relation (
  n INTEGER PRIMARY KEY, kind INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL, post INTEGER
);
CREATE UNIQUE INDEX relation_by_ends ON relation (kind, source, target);
CREATE INDEX relation_by_source ON relation (kind, source, n, target);
CREATE INDEX relation_by_target ON relation (kind, target, n, source);
CREATE UNIQUE INDEX relation_by_post ON relation (post) WHERE post IS NOT NULL;
CREATE TABLE relation_count (
  kind INTEGER, side INTEGER, id INTEGER, total INTEGER NOT NULL, made INTEGER NOT NULL,
  PRIMARY KEY (kind, side, id)
) WITHOUT ROWID;
CREATE TABLE list (
  id INTEGER PRIMARY KEY, owner INTEGER, name TEXT NOT NULL, description TEXT NOT NULL,
  private INTEGER NOT NULL, created_at INTEGER
);
CREATE INDEX list_by_owner ON list (owner, id);
CREATE TABLE charge (
  app TEXT NOT NULL, day INTEGER NOT NULL, operation TEXT NOT NULL, requests INTEGER NOT NULL,
  charged INTEGER NOT NULL, price INTEGER NOT NULL, PRIMARY KEY (app, day, operation)
) WITHOUT ROWID;
CREATE TABLE event (
  n INTEGER PRIMARY KEY, at INTEGER NOT NULL, total INTEGER NOT NULL, type TEXT NOT NULL,
  users TEXT NOT NULL, post TEXT, body TEXT NOT NULL
);
CREATE TABLE event_moved (origin TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE event_session (first INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE forward (
  c INTEGER NOT NULL, part INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (c, part)
) WITHOUT ROWID;
CREATE TABLE collection (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL, source TEXT, kind TEXT, imported_at INTEGER,
  read INTEGER, added INTEGER, first INTEGER, last INTEGER, included INTEGER NOT NULL, removed_at INTEGER
);
CREATE INDEX protected_user ON object (key)
  WHERE kind = 'users' AND json_type(json, '$.protected') = 'true';
INSERT INTO collection (id, name, folded, included) VALUES (2, 'Posted here', 'posted here', 1);
CREATE TABLE covered (
  collection INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, PRIMARY KEY (collection, start)
) WITHOUT ROWID;
CREATE TABLE posted (
  collection INTEGER NOT NULL, created_at INTEGER NOT NULL, id INTEGER NOT NULL,
  PRIMARY KEY (collection, created_at, id)
) WITHOUT ROWID;
`;

/** Charges name the account that the app acted as, as bills do. */
export const CHARGES_BY_ACCOUNT = `
CREATE TABLE charge_by_account (
  app TEXT NOT NULL, day INTEGER NOT NULL, operation TEXT NOT NULL, account TEXT NOT NULL, requests INTEGER NOT NULL,
  charged INTEGER NOT NULL, price INTEGER NOT NULL, PRIMARY KEY (app, day, operation, account)
) WITHOUT ROWID;
INSERT INTO charge_by_account SELECT app, day, operation, 'unknown', requests, charged, price FROM charge;
DROP TABLE charge;
ALTER TABLE charge_by_account RENAME TO charge;
`;

const ORIGINAL_AT = `instr(facts, '"repostOfId":"')`;
/** True of a repost that names its original by id: quotes within a text are escaped. Never fails, as JSON functions do. */
export const HAS_ORIGINAL = `${ORIGINAL_AT} > 0`;
export const ORIGINAL_ID = `CAST(substr(facts, ${ORIGINAL_AT} + 14, 19) AS INTEGER)`;

/** Finds the reposts of a Post in whichever chunks they are: a deletion removes them. */
export const REPOSTS_BY_ORIGINAL = `
CREATE INDEX repost_by_original ON post (${ORIGINAL_ID}) WHERE ${HAS_ORIGINAL};
`;
