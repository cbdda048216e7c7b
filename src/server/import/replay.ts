import { setTimeout as sleep } from 'node:timers/promises';
import { termsOf } from '#core/text/terms.ts';
import type { Db } from '#server/db/driver.ts';
import type { PostChange } from '#server/posts/editor/changes.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import { postTable, type NewPost, type PostRow } from '#server/posts/store/post-table.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';

/** Posts and objects read at a time. */
const PAGE = 500;
/** Most Posts in one transaction, when several are due at once. */
const DUE_AT_ONCE = 32;
/** Longest wait at a time, ms: longer ones would not fit a timer. */
const LONGEST_WAIT_MS = 3_600_000;
const PROGRESS_EVERY_MS = 200;

/** A file of Posts that were imported only to be replayed. */
interface Staged {
  readonly posts: number;
  /** All Posts by time. */
  byTime(): Generator<NewPost[]>;
  /** The objects to which the Posts refer. */
  objects(): Generator<StoredObject[]>;
}

function stagedIn(db: Db): Staged {
  db.exec('CREATE INDEX IF NOT EXISTS post_by_time ON post (created_at, id)');
  const table = postTable(db);
  const page = db.prepare(
    'SELECT id FROM post WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?',
    'exact',
  );
  const objects = db.prepare(
    'SELECT kind, key, json FROM object WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?',
  );
  const newPost = (row: PostRow): NewPost => {
    const { flags: _flags, collections: _collections, ...post } = row;
    return { ...post, terms: termsOf(storedPost(row, table.object)) };
  };
  return {
    posts: table.count(),
    *byTime() {
      for (let last: PostRow | null = null; ;) {
        const from: [number, bigint] = last === null ? [-1, 0n] : [last.createdAt, last.id];
        const ids = page.all([...from, PAGE]).map(([id]) => id as bigint);
        const rows = new Map(table.rows(ids).map((row) => [row.id, row]));
        const found = ids.flatMap((id) => rows.get(id) ?? []);
        last = found.at(-1) ?? null;
        if (last === null) return;
        yield found.map(newPost);
      }
    },
    *objects() {
      for (let [kind, key] = ['', '']; ;) {
        const rows = objects.all([kind, key, PAGE]);
        if (rows.length === 0) return;
        yield rows.map((row) => {
          [kind, key] = [String(row[0]), String(row[1])];
          return { kind, key, json: String(row[2]) };
        });
      }
    },
  };
}

export interface ReplayProgress {
  /** Posts replayed so far, including those that were there. */
  readonly done: number;
  readonly total: number;
  /** Time of the newest one, epoch ms. */
  readonly at: number;
}

export interface ReplayDeps {
  /** The factor by which it is faster than they were written. */
  readonly speed: number;
  readonly write: PostEditor['write'];
  /** Those of some ids that the target contains. */
  readonly existing: (ids: readonly bigint[]) => ReadonlySet<bigint>;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Waits some ms; rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Called about five times a second while Posts are added. */
  readonly onProgress: (progress: ReplayProgress) => void;
}

/**
 * Adds the Posts of a file in the order of their times, at their own pace, each with its event. Those that are there
 * are skipped without a wait, so that an interrupted replay continues where it ended.
 *
 * @param from - An open file of Posts, which gets an index by time.
 * @returns The number of Posts that were added and of those that were there, also if the signal stopped it. Rejects
 *   with {@link StoreError} if a file cannot be read or written.
 */
export async function replayPosts(
  from: Db,
  deps: ReplayDeps,
): Promise<{ added: number; already: number }> {
  const { speed, write, existing, elapsed, signal, onProgress } = deps;
  const wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  const staged = stagedIn(from);
  let [added, already] = [0, 0];
  let reported = -Infinity;
  /** The instant of a Post and the moment at which it was due: all others follow from it. */
  let start: { readonly at: number; readonly moment: number } | null = null;
  const dueIn = ({ createdAt }: NewPost): number => {
    start ??= { at: createdAt, moment: elapsed() };
    return start.moment + (createdAt - start.at) / speed - elapsed();
  };
  for (const objects of staged.objects()) {
    if (signal.aborted) return { added, already };
    await write({ what: 'putObjects', of: [objects] });
  }
  let first: number | null = null;
  for (const page of staged.byTime()) {
    const since = (first ??= page[0]!.createdAt);
    const there = existing(page.map(({ id }) => id));
    already += there.size;
    const posts = page.filter(({ id }) => !there.has(id));
    for (let next = 0; next < posts.length;) {
      for (let ms; (ms = dueIn(posts[next]!)) > 0;) {
        if (signal.aborted) break;
        await wait(Math.min(ms, LONGEST_WAIT_MS), signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      }
      if (signal.aborted) return { added, already };
      const due = posts.slice(next, next + DUE_AT_ONCE).filter((post) => dueIn(post) <= 0);
      const done = await write(
        ...due.map((post): PostChange & { what: 'replay' } => ({
          what: 'replay',
          of: [post, [], since],
        })),
      );
      const fresh = done.filter(Boolean).length;
      added += fresh;
      already += due.length - fresh;
      next += due.length;
      if (elapsed() - reported < PROGRESS_EVERY_MS) continue;
      reported = elapsed();
      const at = due.at(-1)!.createdAt;
      onProgress({ done: added + already, total: staged.posts, at });
    }
  }
  return { added, already };
}
