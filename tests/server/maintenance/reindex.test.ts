import { afterAll, describe, expect, test, vi } from 'vitest';
import { serviceApp } from '#server/app.ts';
import { importFiles } from '#server/import/import.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { makePost } from '#tests/server/posts/changing-posts.ts';
import { startService } from '#tests/support/service/service.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

vi.setConfig({ testTimeout: 120_000 });

const file = temporaryFolder();
const random = countingBytes();
const NOW = Date.UTC(2026, 10, 21);

const service = startService({ now: () => NOW });
afterAll(() => service.close());
const token = service.auth.issueToken({ access: 'enterprise', limited: false });

/** The interface over a file of Posts; `bodyOf` returns an answer of counts as it is sent, with its token. */
function openInterface(name: string) {
  const source = openSource(name, { random });
  const app = serviceApp({
    ...service.deps,
    source: (id) => (id === 'posts' ? { id, ...source } : null),
  });
  const bodyOf = async (asked: Record<string, string>): Promise<string> => {
    const path = `/2/tweets/counts/all?${new URLSearchParams(asked).toString()}`;
    const answer = await app.request(path, { headers: { authorization: `Bearer ${token}` } });
    const body = await answer.text();
    expect([answer.status, body]).toEqual([200, body]);
    return body;
  };
  return { bodyOf, close: () => source.close() };
}

interface Look {
  readonly queries: readonly string[];
  readonly start_time: string;
  readonly end_time: string;
}

/** Maximum number of pages followed for one query; a page of minutes has up to 31 days. */
const PAGES = 3;

/** Answers to every query by every granularity, page after page. */
async function answers(
  bodyOf: (asked: Record<string, string>) => Promise<string>,
  { queries, ...range }: Look,
): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  for (const query of queries) {
    for (const granularity of ['minute', 'hour', 'day']) {
      let next: string | undefined;
      for (let page = 0; page < PAGES && (page === 0 || next !== undefined); page++) {
        const body = await bodyOf({
          query,
          granularity,
          ...range,
          ...(next === undefined ? {} : { next_token: next }),
        });
        bodies.set(`${query} by ${granularity}, page ${page}`, body);
        next = JSON.parse(body).meta.next_token;
      }
    }
  }
  return bodies;
}

/** Compares all answers before and after a reindex, from an open service and from a new one. */
async function expectSameAnswers(name: string, look: Look): Promise<void> {
  const staying = openInterface(name);
  const before = await answers(staying.bodyOf, look);
  const paged = [...before.keys()].filter((key) => key.endsWith('page 1'));
  expect(paged.length).toBeGreaterThan(0);
  const totals = [...before.values()].map((body) => JSON.parse(body).meta.total_tweet_count);
  expect(Math.max(...totals)).toBeGreaterThan(0);
  const db = openPosts(name, { random });
  for (const _ of reindex(db));
  db.close();
  expect(await answers(staying.bodyOf, look)).toEqual(before);
  staying.close();
  const reopened = openInterface(name);
  expect(await answers(reopened.bodyOf, look)).toEqual(before);
  reopened.close();
}

describe('a rebuilt index gives the same answers, byte for byte', () => {
  test('of Posts in chunks and in the open set, some edited, some deleted', async () => {
    const name = file('made');
    const pick = numbers(21);
    const add = (from: number, n: number): void => {
      const writer = openWriter(name, { random });
      writer.add(Array.from({ length: n }, (_, i) => makePost(BigInt(from + i), pick)));
      writer.finish();
      writer.close();
    };
    const db = openPosts(name, { random });
    db.exec('PRAGMA synchronous = OFF');
    add(1, 1200);
    for (const _ of reindex(db));
    add(1201, 300);
    const changes = postChanges(db);
    for (let id = 5; id < 1500; id += 37) changes.remove(BigInt(id));
    for (let id = 6; id < 1500; id += 41) {
      changes.edit(BigInt(id), makePost(BigInt(20_000 + id), pick));
    }
    db.close();
    await expectSameAnswers(name, {
      queries: ['cat', '"cat dog" -lang:de', '(bird OR 東京) has:links', '#news from:u3', '$AB 🎉'],
      start_time: '2017-02-27T00:00:00Z',
      end_time: '2017-04-12T12:34:56Z',
    });
  });

  const data = realData();
  test.runIf(data)('of real Posts', { tags: 'long' }, async () => {
    const name = file('real');
    await importFiles(
      { files: postFiles(data!, 'mayweather'), store: name },
      { signal: new AbortController().signal, now: () => NOW, random },
    );
    await expectSameAnswers(name, {
      queries: ['mcgregor', 'mayweather lang:en', '"conor mcgregor"', '#maymac -is:retweet'],
      start_time: '2017-07-01T00:00:00Z',
      end_time: '2017-08-28T00:00:00Z',
    });
  });
});
