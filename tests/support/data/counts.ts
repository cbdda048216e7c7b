import { expect } from 'vitest';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

interface Page {
  data?: { start: string; end: string; tweet_count: number }[];
  meta: { total_tweet_count: number; next_token?: string };
}

/**
 * Follows every page of counts of the archive, and checks its total and that it adjoins the previous page.
 *
 * @returns The buckets with a count above 0 by their start, and the sum of the totals.
 */
export async function countAll(
  url: string,
  token: string,
  query: string,
  granularity: Granularity,
  { start, end }: Span,
): Promise<{ total: number; buckets: Record<string, number> }> {
  const buckets: Record<string, number> = {};
  let total = 0;
  let next: string | undefined;
  let expectedEnd = new Date(end).toISOString();
  do {
    const address = new URL('/2/tweets/counts/all', url);
    address.search = new URLSearchParams({
      query,
      granularity,
      start_time: new Date(start).toISOString(),
      end_time: new Date(end).toISOString(),
      ...(next ? { next_token: next } : {}),
    }).toString();
    const answer = await fetch(address, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
    });
    expect(answer.status, address.search).toBe(200);
    const page = (await answer.json()) as Page;
    const data = page.data ?? [];
    expect(data.at(-1)?.end).toBe(expectedEnd);
    let sum = 0;
    for (const bucket of data) {
      sum += bucket.tweet_count;
      if (bucket.tweet_count > 0) buckets[bucket.start] = bucket.tweet_count;
    }
    expect(page.meta.total_tweet_count).toBe(sum);
    total += sum;
    expectedEnd = data[0]?.start ?? '';
    next = page.meta.next_token;
  } while (next);
  expect(expectedEnd).toBe(new Date(start).toISOString());
  return { total, buckets };
}
