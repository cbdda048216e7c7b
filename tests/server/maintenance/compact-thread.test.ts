import { expect, test } from 'vitest';
import { openCompactor } from '#server/maintenance/compact-thread.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { makePost } from '#tests/server/posts/changing-posts.ts';
import { here } from '#tests/support/service/threads.ts';

const file = temporaryFolder();

test('a compactor that was stopped works again, and one that was closed does not', async () => {
  const name = file('posts');
  const writer = openWriter(name, { random: countingBytes() });
  const pick = numbers(1);
  writer.add(Array.from({ length: 20 }, (_, i) => makePost(BigInt(i + 1), pick)));
  writer.finish();
  writer.close();
  const compactor = openCompactor(here, name, (error) => {
    throw error;
  });
  const rebuilt = (): Promise<number | null> =>
    compactor.reindex(() => {}, new AbortController().signal);
  expect(await rebuilt()).toBe(20);
  await compactor.stop();
  expect(await rebuilt()).toBe(20);
  await compactor.close();
  expect(await rebuilt()).toBeNull();
});
