import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { finishDraft } from '#server/import/draft.ts';
import { IdMaker } from '#server/import/id-maker.ts';
import type { Machine } from '#server/machine.ts';
import { Includes } from '#core/import/includes.ts';
import { readV2Post } from '#core/import/v2.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import { laterPosts, SAMPLE_DAYS } from './posts.ts';
import { SEED } from './sample.ts';

/** Numbers in `meta` of a sample that continues: its end, epoch ms, and its number of Posts then. */
const END = 'sample_end';
const POSTS = 'sample_posts';

/** Posts that are due for longer are added without events: the service did not run, or the clock was set. */
const LATE_MS = HOUR_MS / 6;

/** Longest wait, ms: the clock may be set meanwhile. */
const LONGEST_WAIT_MS = 60_000;

/** A Post of the sample and the objects that it refers to. */
interface LivePost {
  readonly post: NewPost;
  readonly objects: readonly StoredObject[];
}

/** Makes the Posts of a UTC day after the sample's end, by time. */
function dayMaker(end: number, posts: number): (day: number) => LivePost[] {
  const later = laterPosts(end, SEED, posts);
  return (day) => {
    const { data, includes: included } = later(day);
    const includes = new Includes();
    const objects = includes.addAll(included);
    return data.map((raw) => {
      const draft = readV2Post(raw, includes, []);
      const at = Date.parse(raw.created_at);
      const post = typeof draft === 'string' ? draft : finishDraft(draft, new IdMaker(), at);
      if (typeof post === 'string') throw new TypeError(`a Post of the sample ${post}`);
      const refers = (key: string): boolean => key === raw.author_id || key.endsWith(`_${raw.id}`);
      return { post, objects: objects.filter(({ key }) => refers(key)) };
    });
  };
}

/** The end of a sample and its number of Posts then, which its file stores with the first call. */
function sampleIn(db: Db, posts: number, newest: number): { end: number; posts: number } {
  const meta = metaOf(db);
  if (meta.number(END) === 0) {
    db.write('sample', () => {
      meta.put(END, newest);
      meta.put(POSTS, posts);
    });
  }
  return { end: meta.number(END), posts: meta.number(POSTS) };
}

export interface LiveSampleDeps extends Pick<Machine, 'now' | 'timer' | 'log'> {
  /** The sample's file, which stays open only during the call. */
  readonly db: Db;
  /** Its number of Posts, and the instant of the newest one, epoch ms; null if there is none. */
  readonly posts: number;
  readonly newest: number | null;
  /** Changes the sample. */
  readonly write: PostEditor['write'];
}

/** A sample that gets new Posts. */
export type LiveSample = ReturnType<typeof startLiveSample>;

/**
 * Continues a sample at its own rhythm: each Post is added with its event when it is due. What was due while no service
 * ran is added without events, so that the counts have no gap. A sample that ended longer ago than it covers stays as it
 * is, which bounds that work. After an error, which is logged, it tries again within a minute.
 */
export function startLiveSample(deps: LiveSampleDeps) {
  const { db, newest, write, now, timer, log } = deps;
  if (newest === null) return { rest: async () => {}, close: async () => {} };
  const sample = sampleIn(db, deps.posts, newest);
  /** Made at the first use, because it computes the rates of three years. */
  let postsOf: ReturnType<typeof dayMaker> | null = null;
  /** All Posts before this instant, epoch ms, are there. */
  let done = newest;
  /** The newest Post there, epoch ms: the next one covers the time from it, also if nothing was due meanwhile. */
  let since = newest;
  let known: { readonly day: number; readonly posts: readonly LivePost[] } | null = null;
  const postsFrom = (from: number, to: number): LivePost[] => {
    const day = Math.floor(from / DAY_MS);
    if (known?.day !== day) {
      postsOf ??= dayMaker(sample.end, sample.posts);
      known = { day, posts: postsOf(day) };
    }
    return known.posts.filter(({ post: { createdAt } }) => createdAt >= from && createdAt < to);
  };
  const stopped = new AbortController();
  /** Adds what is due, day by day. @returns Whether it was all added. */
  const addDue = async (): Promise<boolean> => {
    const until = now();
    if (until - done > SAMPLE_DAYS * DAY_MS) return false;
    while (done < until && !stopped.signal.aborted) {
      const next = Math.min(until, (Math.floor(done / DAY_MS) + 1) * DAY_MS);
      const due = postsFrom(done, next);
      const late = due.filter(({ post }) => post.createdAt < until - LATE_MS);
      if (late.length > 0) {
        const posts = late.map(({ post }) => post);
        await write({ what: 'fill', of: [posts, late.flatMap(({ objects }) => objects), since] });
        since = posts.at(-1)!.createdAt;
      }
      for (const { post, objects } of due.slice(late.length)) {
        await write({ what: 'replay', of: [post, objects, since] });
        since = post.createdAt;
      }
      done = next;
    }
    return true;
  };
  let adding: Promise<void> | null = null;
  let cancel = (): void => {};
  const add = (): void => {
    adding = addDue()
      .catch((error: unknown) => {
        const why = errorMessage(error);
        log(`The sample was not continued: ${why}`);
        return false;
      })
      .then((isAdded) => {
        adding = null;
        if (stopped.signal.aborted) return;
        const [next] = isAdded ? postsFrom(done, done + LONGEST_WAIT_MS) : [];
        const wait = next ? next.post.createdAt + 1 - now() : LONGEST_WAIT_MS;
        cancel = timer(Math.min(Math.max(wait, 1), LONGEST_WAIT_MS), add);
      });
  };
  add();
  return {
    /** Resolves once nothing is being added. */
    rest: async (): Promise<void> => void (await adding),
    /** Stops; resolves once nothing is being added. */
    close: async (): Promise<void> => {
      stopped.abort();
      cancel();
      await adding;
    },
  };
}
