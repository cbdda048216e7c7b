import { BUCKET_MS, floorTo, type Granularity } from '#core/time/bucket.ts';

/** A page of counts as a source writes it. */
export interface WrittenPage {
  data?: { end: string; start: string; tweet_count: number }[];
  meta: { total_tweet_count: number; next_token?: string };
}

/** A valid page: every bucket of `[start, end)`, cut at its ends. @param posts - Count of a bucket by its start. */
export function writtenPage(
  start: number,
  end: number,
  granularity: Granularity,
  posts: (start: number) => number,
): WrittenPage {
  const data: NonNullable<WrittenPage['data']> = [];
  let total = 0;
  for (let t = start; t < end;) {
    const to = Math.min(end, floorTo(t, granularity) + BUCKET_MS[granularity]);
    const count = posts(t);
    total += count;
    data.push({
      end: new Date(to).toISOString(),
      start: new Date(t).toISOString(),
      tweet_count: count,
    });
    t = to;
  }
  return { data, meta: { total_tweet_count: total } };
}

/** JSON as the bytes of a body. */
export function bytesOf(json: unknown): ArrayBuffer {
  return new TextEncoder().encode(JSON.stringify(json)).buffer;
}
