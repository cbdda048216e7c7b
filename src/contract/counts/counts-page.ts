import { parseJson } from '#core/text/bounded-json.ts';
import type { CountsAnswer } from './counts.ts';
import type { Page, PageFault } from '#core/counts/check.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maximum characters of evidence per value. */
const MOST_EVIDENCE = 200;
/** Maximum members of a value to name as evidence. */
const MOST_MEMBERS = 6;
/** Maximum characters of a token, which goes into the next URL. The platform's have about fifty. */
const MOST_TOKEN = 1_000;

/** Describes a value of an answer in a few characters, whatever its size or depth. */
function glimpse(value: unknown, inside = false): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MOST_EVIDENCE));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value);
  if (inside) return `an object of ${names.length}`;
  const some = names
    .slice(0, MOST_MEMBERS)
    .map((name) => `${glimpse(name)}:${glimpse(value[name], true)}`);
  const more = names.length > some.length ? `, ${names.length - some.length} more` : '';
  return `{${some.join(',')}${more}}`.slice(0, MOST_EVIDENCE);
}

/** Reads the `meta` of an answer. Totals are taken as written, like the counts. */
function metaOf(meta: unknown): CountsAnswer['meta'] | null {
  if (!isObject(meta)) return null;
  const { total_tweet_count: tweets, total_post_count: posts, next_token: token } = meta;
  const number = (value: unknown): value is number | undefined =>
    value === undefined || typeof value === 'number';
  if (!number(tweets) || !number(posts)) return null;
  if (token !== undefined && (typeof token !== 'string' || token.length > MOST_TOKEN)) return null;
  return { total_tweet_count: tweets, total_post_count: posts, next_token: token };
}

function malformed(expected: string, got: string): PageFault {
  return { kind: 'malformed', expected, got, times: 1 };
}

/** The fault of a bucket that the fast reader refused. */
function faultIn(bucket: unknown, i: number): PageFault {
  return malformed(
    'start and end as instants, and tweet_count or post_count',
    `bucket ${i}: ${glimpse(bucket)}`,
  );
}

/**
 * Reads the bytes of a counts answer into arrays, in either vocabulary (platform-facts section 0).
 *
 * Follows the contract's `CountsAnswer`, but by hand in one pass: a page of minutes has 44,640 buckets, and the worker
 * needs no other reader. Numbers are taken as written; the self-check judges them.
 *
 * @returns The page, or a fault `cut-body` (not JSON) or `malformed` (JSON of another form), with a few hundred
 *   characters of evidence at most. Never throws, whatever the bytes.
 */
export function readCountsPage(body: ArrayBuffer): Page | PageFault {
  const text = new TextDecoder().decode(body);
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    const expected = error instanceof Error ? error.message : 'JSON';
    return { kind: 'cut-body', expected, got: text.slice(-80), times: 1 };
  }
  const found = isObject(json) && 'meta' in json ? json['data'] : null;
  if (!isObject(json) || (found !== undefined && !Array.isArray(found))) {
    return malformed('data and meta', text.slice(0, 80));
  }
  const meta = metaOf(json['meta']);
  if (!meta) return malformed('meta of the contract', glimpse(json['meta']));
  const data = (found ?? []) as (Record<string, unknown> | null)[];
  const n = data.length;
  const starts = new Float64Array(n);
  const ends = new Float64Array(n);
  const counts = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    const bucket = data[i];
    if (!bucket || typeof bucket.start !== 'string' || typeof bucket.end !== 'string') {
      return faultIn(bucket, i);
    }
    const start = Date.parse(bucket.start);
    const end = Date.parse(bucket.end);
    const count = bucket.tweet_count ?? bucket.post_count;
    if (Number.isNaN(start) || Number.isNaN(end) || typeof count !== 'number') {
      return faultIn(bucket, i);
    }
    starts[i] = start;
    ends[i] = end;
    counts[i] = count;
  }
  const { total_tweet_count: tweets, total_post_count: posts, next_token: token } = meta;
  return { starts, ends, counts, total: tweets ?? posts ?? null, token: token ?? null };
}
