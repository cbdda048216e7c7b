import { formatInstant } from '#contract/instant.ts';
import type { PollRequest } from '#contract/posts/polls.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { readInstant } from '#core/import/instant.ts';
import { string, type Json } from '#core/import/json.ts';
import type { StoredObject } from './object-table.ts';

/**
 * A new poll without votes.
 *
 * @param now - Its beginning, epoch ms.
 */
export function newPoll(
  id: string,
  { options, duration_minutes }: PollRequest,
  now: number,
): StoredObject {
  const poll = {
    id,
    options: options.map((label, i) => ({ position: i + 1, label, votes: 0 })),
    duration_minutes,
    end_datetime: formatInstant(now + duration_minutes * MINUTE_MS),
  };
  return { kind: 'polls', key: id, json: JSON.stringify(poll) };
}

/** A stored poll as it is at an instant (epoch ms): open until it ends. An import may lack the end. */
export function pollJson(stored: Json, now: number): Json {
  const text = string(stored.end_datetime);
  const end = text === undefined ? null : readInstant(text);
  return end === null ? stored : { ...stored, voting_status: now < end ? 'open' : 'closed' };
}
