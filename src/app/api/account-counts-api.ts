import { ACCOUNT_COUNTS } from '#contract/counts/account-counts.ts';
import { ofSource } from '#contract/counts/source.ts';
import { formatInstant } from '#contract/instant.ts';
import type { AccountCounts } from '#core/lift/levels.ts';
import type { Span } from '#core/time/span.ts';
import type { OwnSource } from './breakdown-api.ts';
import type { Client } from './client.ts';

/** The buckets in which accounts are counted. */
export interface AccountsAsk {
  readonly query: string;
  readonly span: Span;
  readonly unit: 'day' | 'hour';
  /** IANA name. */
  readonly zone: string;
  /** Buckets of a window. */
  readonly length: number;
}

/**
 * Counts the different accounts of a query by the service this page came from. Rejects with a {@link Fault} as
 * `Client.json` does, at once if the service does not answer, and with the signal's reason when aborted.
 */
export type AccountCounter = (ask: AccountsAsk, signal: AbortSignal) => Promise<AccountCounts>;

export function accountCounter(client: Pick<Client, 'json'>, source: OwnSource): AccountCounter {
  const { path, answer } = ofSource(ACCOUNT_COUNTS, source);
  return async ({ query, span, unit, zone, length }, signal) => {
    const parameters = new URLSearchParams({
      query,
      start_time: formatInstant(span.start),
      end_time: formatInstant(span.end),
      granularity: unit,
      time_zone: zone,
      window: String(length),
    });
    const { data } = await client.json(`${path}?${parameters}`, answer, {
      signal,
      impatient: true,
    });
    return { buckets: Float64Array.from(data.buckets), windows: Float64Array.from(data.windows) };
  };
}
