import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import { anyWith, extent, histogram } from '#server/index/counting.ts';
import type { CountingIndex } from '#server/index/counting.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { newest } from '#server/index/newest.ts';
import type { Hit, SearchBounds } from '#server/index/newest.ts';
import { OpenSegments } from '#server/index/segments.ts';
import { chunkTable } from './chunks.ts';
import type { StoredChunk } from './chunks.ts';
import { openPostTable } from './open-posts.ts';
import { metaOf } from './meta.ts';
import { openPosts, POSTED, postTable } from './posts.ts';
import type { PostRow } from './posts.ts';
import { revisions } from './revision.ts';
import { tombstoneTable } from './tombstones.ts';

/** Finds Posts and reads them. */
export interface PostFinder {
  /** {@link newest} of the Posts that count, as of the last refresh. */
  newest(condition: Condition, span: Span, most: number, bounds?: SearchBounds): Hit[];
  /** Rows of ids, those that are there now, in any order. */
  rows(ids: readonly bigint[]): PostRow[];
  /** The JSON of an element of `includes` by its kind and key; null where it is not there. */
  object(kind: string, key: string): string | null;
}

/** A file of Posts, open for counting and search. */
export interface Source {
  readonly index: CountingIndex;
  readonly posts: PostFinder;
  /** Picks up what was committed since, by whatever connection; cheap where nothing was. */
  refresh(): void;
  close(): void;
}

/**
 * Opens a file of Posts, made if it is absent. Others may write to it meanwhile: what the index answers from
 * changes by {@link Source.refresh} alone.
 *
 * @throws {@link StoreError} as `openPosts`; every function, when the file cannot be read.
 */
export function openSource(file: string, deps: { random: (n: number) => Uint8Array }): Source {
  const db = openPosts(file, deps, { mapped: true });
  const table = chunkTable(db);
  const openTable = openPostTable(db);
  const rows = postTable(db);
  const tombstones = tombstoneTable(db);
  const known = revisions(db);
  const meta = metaOf(db);
  const dataVersion = db.prepare('PRAGMA data_version');
  const membersOf = db.prepare('SELECT account FROM member WHERE list = ?');
  const store = String(db.prepare(`SELECT value FROM meta WHERE key = 'store'`).get()?.[0]);

  const open = new OpenSegments();
  let sealed = new Map<number, StoredChunk>();
  let lastOpen = 0;
  let shape = -1;
  let version: unknown;
  let revision = -1;
  let mark = '';
  let chunks: readonly Chunk[] = [];
  let facts = extent(chunks);
  let posted = false;

  /** Takes up which chunks are live; a chunk itself never changes, but for its dead. */
  const reshape = (): void => {
    const live = table.live();
    sealed = new Map(live.map((c) => [c, sealed.get(c) ?? table.read(c)]));
    const last = openTable.sealed();
    open.drop(last);
    lastOpen = Math.max(lastOpen, last);
  };

  /** Takes up what died since the last revision that was taken up; a chunk newly read knows its dead. */
  const bury = (): void => {
    if (revision === -1) return open.bury(tombstones.of(0));
    for (const { c, o } of tombstones.since(revision)) {
      if (c === 0) open.bury([o]);
      else sealed.get(c)?.bury([o]);
    }
  };

  const refresh = (): void => {
    const now = dataVersion.get()?.[0];
    if (now === version) return;
    db.read(() => {
      const [latest, latestShape] = [known.current(), table.shape()];
      if (latestShape !== shape) reshape();
      if (latest !== revision) {
        const added = openTable.after(lastOpen);
        open.add(added);
        lastOpen = added.at(-1)?.n ?? lastOpen;
        bury();
      }
      if (latestShape === shape && latest === revision) return;
      mark = known.mark(latest) ?? '';
      [revision, shape] = [latest, latestShape];
      chunks = [...sealed.values(), ...open.chunks];
      facts = extent(chunks);
      posted = meta.number(POSTED) > 0;
    });
    version = now;
  };
  try {
    refresh();
  } catch (error) {
    db.close();
    throw error;
  }

  const index: CountingIndex = {
    store,
    get revision() {
      return revision;
    },
    get mark() {
      return mark;
    },
    get posts() {
      return facts.posts;
    },
    get first() {
      return facts.first;
    },
    get last() {
      return facts.last;
    },
    get posted() {
      return posted;
    },
    histogram: (condition, span, granularity, ids) =>
      histogram(chunks, condition, span, granularity, ids),
    hasUser: (nameOrId) => anyWith(chunks, `from:${nameOrId}`),
    members: (list) => membersOf.all([list]).map(([account]) => String(account)),
    changesSince: (since, given) => known.changes(since, given, revision),
  };
  const posts: PostFinder = {
    newest: (condition, span, most, bounds) => newest(chunks, condition, span, most, bounds),
    rows: rows.rows,
    object: rows.object,
  };
  return { index, posts, refresh, close: () => db.close() };
}
