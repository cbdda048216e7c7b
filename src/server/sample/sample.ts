import { existsSync, renameSync, rmSync } from 'node:fs';
import { finishDraft } from '#server/import/draft.ts';
import { IdMaker } from '#server/import/id-maker.ts';
import { Includes } from '#core/import/includes.ts';
import { readV2Post } from '#core/import/v2.ts';
import { metaOf } from '#server/db/meta.ts';
import { openWriter, type PostWriter } from '#server/posts/editor/writer.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { SAMPLE_DAYS, SAMPLE_POSTS, samplePosts } from './posts.ts';

export interface SampleProgress {
  /** Posts written so far. */
  readonly posts: number;
  /** Progress, 0 to 1. */
  readonly part: number;
}

export interface SampleDeps {
  /** Epoch ms: the sample ends here. */
  readonly end: number;
  readonly seed: number;
  /** About how many Posts it has; {@link SAMPLE_POSTS} unless given. */
  readonly posts?: number | undefined;
  /** For the store's id. */
  readonly random: (n: number) => Uint8Array;
}

/** Fixed, so that samples differ only by their end. */
export const SEED = 1;

/** Days written at a time; between them the thread does other work. */
const DAYS_AT_ONCE = 16;

/** Days after which what was written can be counted, while a sample grows. */
const DAYS_PER_COMMIT = 64;

/** The day from which a growing sample is written first: a first visit shows the last year. */
const FIRST_DAY = SAMPLE_DAYS - 368;

/** Key in `meta` of the end of an incomplete sample, epoch ms. */
const GROWING = 'sample_growing';

/**
 * Creates the sample's file, completely or not at all: it is written under another name and then
 * renamed.
 *
 * @returns The number of its Posts.
 * @throws {@link StoreError} if it cannot be written.
 */
export async function makeSample(
  file: string,
  deps: SampleDeps,
  onProgress?: (progress: SampleProgress) => void,
): Promise<number> {
  const unfinished = `${file}.new`;
  clear(unfinished);
  const writer = openWriter(unfinished, deps);
  let posts = 0;
  try {
    posts = await writeDays(writer, deps, { from: 0, to: SAMPLE_DAYS }, (days, added) => {
      onProgress?.({ posts: added, part: days / SAMPLE_DAYS });
    });
    writer.finish();
  } finally {
    writer.close();
  }
  clear(file);
  renameSync(unfinished, file);
  onProgress?.({ posts, part: 1 });
  return posts;
}

/** True if a sample is empty, or was not complete when the process that made it ended. */
export function isSampleDue(file: string, deps: Pick<SampleDeps, 'random'>): boolean {
  const db = openPosts(file, deps);
  try {
    return (
      metaOf(db).number(GROWING) > 0 || db.prepare('SELECT 1 FROM post LIMIT 1').get() === undefined
    );
  } finally {
    db.close();
  }
}

/**
 * Fills the sample's file, which others may read meanwhile: the last year first, then the two before it. The file covers
 * the days that are written. One that was interrupted is completed as it was begun. The result has the Posts of
 * {@link makeSample}.
 *
 * @returns The number of Posts added.
 * @throws {@link StoreError} if it cannot be written.
 */
export async function growSample(
  file: string,
  deps: SampleDeps,
  onProgress?: (progress: SampleProgress) => void,
): Promise<number> {
  const db = openPosts(file, deps);
  const writer = openWriter(file, deps);
  let posts = 0;
  let done = 0;
  try {
    const meta = metaOf(db);
    const end = meta.number(GROWING) || deps.end;
    db.write('sample', () => meta.put(GROWING, end));
    const parts = [
      { from: FIRST_DAY, to: SAMPLE_DAYS },
      // A day of the other part, so that no time between them is uncovered.
      { from: 0, to: FIRST_DAY + 1 },
    ];
    for (const part of parts) {
      posts += await writeDays(writer, { ...deps, end }, part, (days, added) => {
        // The first days soon, for the first curve.
        if (days === DAYS_AT_ONCE || days % DAYS_PER_COMMIT === 0) writer.finish();
        onProgress?.({ posts: posts + added, part: (done + days) / SAMPLE_DAYS });
      });
      done += part.to - part.from;
      writer.finish();
    }
    db.write('sample', () => meta.put(GROWING, 0));
  } finally {
    writer.close();
    db.close();
  }
  onProgress?.({ posts, part: 1 });
  return posts;
}

/**
 * Adds some days of the sample, numbered from its first one.
 *
 * @param onDays - Called every {@link DAYS_AT_ONCE} days with the numbers of days and of Posts added so far.
 * @returns The number of Posts added.
 */
async function writeDays(
  writer: PostWriter,
  { end, seed, posts: size = SAMPLE_POSTS }: SampleDeps,
  { from, to }: { from: number; to: number },
  onDays: (days: number, posts: number) => void,
): Promise<number> {
  const includes = new Includes();
  const ids = new IdMaker();
  let posts = 0;
  let day = 0;
  for (const { data, includes: included } of samplePosts(end, seed, size)) {
    const at = day++;
    if (at >= to) break;
    // The first day brings the authors of all.
    if (at > 0 && at < from) continue;
    writer.putObjects(includes.addAll(included));
    if (at < from) continue;
    const batch: NewPost[] = [];
    for (const raw of data) {
      const draft = readV2Post(raw, includes, []);
      const post = typeof draft === 'string' ? draft : finishDraft(draft, ids, end);
      if (typeof post === 'string') throw new TypeError(`a Post of the sample ${post}`);
      batch.push(post);
    }
    // Each part covers its own time.
    posts += writer.add(batch, String(from)).added;
    const days = day - from;
    if (days % DAYS_AT_ONCE !== 0) continue;
    onDays(days, posts);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return posts;
}

function clear(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) rmSync(path);
}
