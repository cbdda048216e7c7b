import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Ast, Clause } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { createWriter } from '#server/posts/editor/writer.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import { clause, query, variedPosts } from '#tests/support/data/varied-posts.ts';

/** Posts in a sealed chunk, and in the open set. */
const SEALED = 9000;
const OPEN = 500;
const START = Date.UTC(2020, 1, 29);
const SPAN = { start: START, end: START + DAY_MS };

const POSTS = variedPosts(SEALED + OPEN);
const TERMS = POSTS.map(termsOf);
const LISTS: Readonly<Record<string, readonly string[]>> = { '1': ['12', '14'], '2': ['99'] };

const folder = temporaryFolder();
const file = folder('posts');
const random = countingBytes();
{
  const db = openPosts(file, { random });
  for (const [list, accounts] of Object.entries(LISTS)) {
    const { put } = relationTable(db);
    for (const account of accounts) put('member', BigInt(list), BigInt(account));
  }
  const writer = createWriter(db);
  const rows = POSTS.map((post, i) => {
    const columns = { authorId: null, username: null, text: post.text, lang: null, rest: null };
    return {
      id: BigInt(i + 1),
      createdAt: START + i * 1000,
      ...columns,
      facts: factsOf(post, columns),
      terms: TERMS[i]!,
    };
  });
  writer.add(rows.slice(0, SEALED));
  writer.finish();
  writer.add(rows.slice(SEALED));
  writer.finish();
  writer.close();
}
const source = openSource(file, { random });
afterAll(() => source.close());

function read(text: string): Ast {
  const parsed = parse(text, { product: 'recent' });
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.diagnostics)}`);
  return parsed.ast;
}

function counted(text: string): number {
  const wanted = condition(read(text), source.index);
  const counts = source.index.histogram(wanted, SPAN, 'hour');
  return counts.reduce((a, b) => a + b, 0);
}

test('the index counts exactly the Posts that match, for any query', () => {
  fc.assert(
    fc.property(query, (text) => {
      const wanted = condition(read(text), {
        members: (list) => LISTS[list] ?? [],
        collection: () => null,
      });
      expect(counted(text), text).toBe(TERMS.filter((terms) => match(wanted, terms)).length);
    }),
    { numRuns: long() ? 10_000 : 30 },
  );
});

const bare = (name: string | undefined): string =>
  (name ?? '').toLowerCase().replaceAll(/\s+/g, ' ');

/** True if an operator applies to a Post, from its fields and the platform's documentation alone. */
const MEANINGS: Readonly<Record<string, (value: string, post: IndexablePost) => boolean>> = {
  min_likes: (n, post) => (post.likes ?? 0) >= Number(n),
  min_replies: (n, post) => (post.replies ?? 0) >= Number(n),
  min_reposts: (n, post) => (post.reposts ?? 0) >= Number(n),
  retweets_of: (who, post) =>
    [bare(post.repostOfUsername), post.repostOfUserId].includes(bare(who)),
  in_reply_to_tweet_id: (id, post) => post.replyToId === id,
  retweets_of_tweet_id: (id, post) => post.repostOfId === id,
  quotes_of_tweet_id: (id, post) => post.quoteOfId === id,
  list: (list, post) => (LISTS[list] ?? []).includes(post.authorId ?? ''),
  context: (id, post) => (post.contexts ?? []).includes(id),
  entity: (name, post) => (post.entities ?? []).some((each) => bare(each) === bare(name)),
  place: (name, post) => !post.isRetweet && (post.places ?? []).some((each) => bare(each) === name),
  place_country: (code, post) => !post.isRetweet && bare(post.country) === bare(code),
  bounding_box: (area, post) => {
    const [west = 0, south = 0, east = 0, north = 0] = area.slice(1, -1).split(' ').map(Number);
    const holds = (x: number, y: number): boolean =>
      x >= west && x <= east && y >= south && y <= north;
    return (
      !post.isRetweet &&
      (post.boxes ?? []).some((b) => holds(b.west, b.south) && holds(b.east, b.north))
    );
  },
  point_radius: (area, post) => {
    const [lon = 0, lat = 0, radius = 0] = area.slice(1, -1).split(' ').map(Number.parseFloat);
    const km = area.endsWith('mi]') ? radius * 1.609344 : radius;
    const rad = Math.PI / 180;
    // The law of cosines, on a sphere of 6371.0088 km.
    const holds = (x: number, y: number): boolean =>
      Math.acos(
        Math.sin(lat * rad) * Math.sin(y * rad) +
          Math.cos(lat * rad) * Math.cos(y * rad) * Math.cos((x - lon) * rad),
      ) *
        6371.0088 <=
      km;
    return (
      !post.isRetweet &&
      (post.boxes ?? []).some(
        (b) =>
          holds(b.west, b.south) &&
          holds(b.west, b.north) &&
          holds(b.east, b.south) &&
          holds(b.east, b.north),
      )
    );
  },
};

function clausesOf(ast: Ast): Clause[] {
  return ast.kind === 'clause' ? [ast] : ast.of.flatMap(clausesOf);
}

const ONE_OF_EACH = [
  'retweets_of:ann',
  'retweets_of:12',
  'in_reply_to_tweet_id:1',
  'retweets_of_tweet_id:2',
  'quotes_of_tweet_id:1',
  'context:1.2',
  'entity:"ann b"',
  'place:"new york"',
  'place:p2',
  'place_country:gb',
  'list:1',
  'list:2',
  'list:3',
  'min_likes:13',
  'min_replies:1',
  'min_reposts:1000',
  'bounding_box:[-0.3 51.4 0.1 51.7]',
  'point_radius:[-0.1 51.5 24mi]',
];

/** Counts a clause and compares; returns its operator, or null if no meaning is documented. */
function compare(text: string): string | null {
  const combined = `min_likes:0 ${text}`;
  const [, { operator, value } = { operator: '', value: '' }] = clausesOf(read(combined));
  const means = MEANINGS[operator];
  if (!means) return null;
  const expected = POSTS.filter((post) => means(value, post)).length;
  expect(counted(combined), text).toBe(expected);
  return operator;
}

test('operators on fields of a Post match those fields', () => {
  expect(new Set(ONE_OF_EACH.map(compare))).toEqual(new Set(Object.keys(MEANINGS)));
  fc.assert(
    fc.property(clause, (text) => {
      compare(text);
    }),
    { numRuns: long() ? 20_000 : 50 },
  );
});
