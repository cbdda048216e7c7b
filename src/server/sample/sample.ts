import { existsSync, renameSync, rmSync } from 'node:fs';
import { finishDraft } from '#server/import/draft.ts';
import { IdMaker } from '#server/import/id-maker.ts';
import { Includes } from '#core/import/includes.ts';
import { readV2Post } from '#core/import/v2.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
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

/**
 * Creates the sample's file, completely or not at all: it is written under another name and then
 * renamed.
 *
 * @returns The number of its Posts.
 * @throws {@link StoreError} if it cannot be written.
 */
export async function makeSample(
  file: string,
  { end, seed, posts: size = SAMPLE_POSTS, random }: SampleDeps,
  onProgress?: (progress: SampleProgress) => void,
): Promise<number> {
  const unfinished = `${file}.new`;
  clear(unfinished);
  const writer = openWriter(unfinished, { random });
  const includes = new Includes();
  const ids = new IdMaker();
  let posts = 0;
  let days = 0;
  try {
    for (const { data, includes: included } of samplePosts(end, seed, size)) {
      writer.putObjects(includes.addAll(included));
      const batch: NewPost[] = [];
      for (const raw of data) {
        const draft = readV2Post(raw, includes, []);
        const post = typeof draft === 'string' ? draft : finishDraft(draft, ids, end);
        if (typeof post === 'string') throw new TypeError(`a Post of the sample ${post}`);
        batch.push(post);
      }
      posts += writer.add(batch).added;
      days += 1;
      if (days % DAYS_AT_ONCE !== 0) continue;
      onProgress?.({ posts, part: days / SAMPLE_DAYS });
      await new Promise((resolve) => setImmediate(resolve));
    }
    writer.finish();
  } finally {
    writer.close();
  }
  clear(file);
  renameSync(unfinished, file);
  onProgress?.({ posts, part: 1 });
  return posts;
}

function clear(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) rmSync(path);
}
