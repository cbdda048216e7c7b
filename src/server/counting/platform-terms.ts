import { endpointsFor, hasArchive } from '#contract/counts/platform-terms.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { Prices } from '#core/counts/price.ts';
import type { Endpoints } from '#core/counts/requests.ts';
import { HOUR_MS } from '#core/time/span.ts';

/** On what terms a query is asked of the platform. */
export interface QueryTerms {
  readonly endpoints: Endpoints;
  /** USD per request. */
  readonly prices: Prices;
  readonly settleMs: number;
  /** The platform's clock minus the service's, ms. */
  readonly clockSkewMs: number;
}

/** The terms of a query by the settings. A query that recent counts would refuse is only asked of the archive. */
export function platformTerms(
  { settings, clockAheadMs }: Pick<PlatformAnswer, 'settings' | 'clockAheadMs'>,
  query: string,
): QueryTerms {
  const { access, prices, settleHours } = settings;
  const endpoints = endpointsFor(hasArchive(access) ? 'both' : 'recent', query);
  const { recent, all } = prices;
  const settleMs = settleHours * HOUR_MS;
  return { endpoints, prices: { recent, all }, settleMs, clockSkewMs: clockAheadMs ?? 0 };
}
