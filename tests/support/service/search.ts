import { expect } from 'vitest';
import type { Span } from '#core/time/span.ts';

interface Page {
  data?: { id: string; created_at: string }[];
  meta: { result_count: number; next_token?: string };
}

/**
 * Follows every page of a search of the archive and checks its `result_count` and its order.
 *
 * @returns The ids found, newest first.
 */
export async function searchAll(
  url: string,
  token: string,
  query: string,
  { start, end }: Span,
): Promise<string[]> {
  const ids: string[] = [];
  let next: string | undefined;
  let before = Infinity;
  do {
    const address = new URL('/2/tweets/search/all', url);
    address.search = new URLSearchParams({
      query,
      max_results: '500',
      'tweet.fields': 'created_at',
      start_time: new Date(start).toISOString(),
      end_time: new Date(end).toISOString(),
      ...(next ? { next_token: next } : {}),
    }).toString();
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status, address.search).toBe(200);
    const { data = [], meta } = (await answer.json()) as Page;
    expect(meta.result_count).toBe(data.length);
    for (const { id, created_at } of data) {
      const second = Math.floor(Date.parse(created_at) / 1000);
      expect(second).toBeLessThanOrEqual(before);
      before = second;
      ids.push(id);
    }
    next = meta.next_token;
  } while (next);
  return ids;
}
