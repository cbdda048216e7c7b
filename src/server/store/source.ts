import { anyWith, extent, histogram } from '#server/index/counting.ts';
import type { CountingIndex } from '#server/index/counting.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { OpenSegments } from '#server/index/segments.ts';
import { chunkTable } from './chunks.ts';
import { metaNumber } from './migrate.ts';
import { openPosts } from './posts.ts';
import { revisions } from './revision.ts';

/** A file of Posts, open for counting. */
export interface Source {
  readonly index: CountingIndex;
  /** Picks up what was committed since, by whatever connection; cheap where nothing was. */
  refresh(): void;
  close(): void;
}

/**
 * Opens a file of Posts, made if it is absent. Other processes may write to it meanwhile: what the index
 * answers from changes by {@link Source.refresh} alone.
 *
 * @throws {@link StoreError} as `openStore`; every function, when the file cannot be read.
 */
export function openSource(file: string, deps: { random: (n: number) => Uint8Array }): Source {
  const db = openPosts(file, deps, { mapped: true });
  const table = chunkTable(db);
  const known = revisions(db);
  const dataVersion = db.prepare('PRAGMA data_version');
  const membersOf = db.prepare('SELECT account FROM member WHERE list = ?');
  const store = String(db.prepare(`SELECT value FROM meta WHERE key = 'store'`).get()?.[0]);

  const open = new OpenSegments();
  let sealed: Chunk[] = [];
  let lastChunk = 0;
  let lastOpen = 0;
  let opened = -1;
  let version: unknown;
  let revision = -1;
  let chunks: readonly Chunk[] = [];
  let facts = extent(chunks);

  const refresh = (): void => {
    const now = dataVersion.get()?.[0];
    if (now === version) return;
    db.read(() => {
      const latest = known.current();
      if (latest !== revision) {
        for (const { c, chunk } of table.from(lastChunk + 1)) {
          sealed = [...sealed, chunk];
          lastChunk = c;
        }
        const generation = metaNumber(db, 'opened');
        if (generation !== opened) {
          open.clear();
          opened = generation;
          lastOpen = 0;
        }
        const rows = table.open(lastOpen);
        open.add(rows);
        lastOpen = rows.at(-1)?.n ?? lastOpen;
        revision = latest;
        chunks = [...sealed, ...open.chunks];
        facts = extent(chunks);
      }
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
    get posts() {
      return facts.posts;
    },
    get first() {
      return facts.first;
    },
    get last() {
      return facts.last;
    },
    histogram: (condition, span, granularity, ids) =>
      histogram(chunks, condition, span, granularity, ids),
    hasUser: (nameOrId) => anyWith(chunks, `from:${nameOrId}`),
    members: (list) => membersOf.all([list]).map(([account]) => String(account)),
    changesSince: (since) => known.changes(since, revision),
  };
  return { index, refresh, close: () => db.close() };
}
