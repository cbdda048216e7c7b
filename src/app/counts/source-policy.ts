import { DEFAULT_PLATFORM_SETTINGS, hasArchive } from '#contract/counts/platform-terms.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { Coverage, SourceId, SourceInfo } from '#contract/counts/source.ts';
import { CONFIRM_ABSENT_MS, type EmptyPolicy } from '#core/counts/empty-pages.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import type { RequestPace, PoolStates } from '#core/counts/price.ts';
import type { Endpoints } from '#core/counts/requests.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { SourceEnds } from '#core/time/range.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import type { StoreRow } from '#app/counts/cache/records.ts';

/** The cost of requests to a source, and the pace at which they may be sent. */
export interface Terms {
  /** USD per request. */
  readonly prices: { readonly recent: number; readonly all: number };
  readonly pace: RequestPace;
  readonly pools: PoolStates;
}

/** The way to query a source, and the trust in its answers. */
export interface SourcePolicy {
  /** The time from the end of a day until its counts are settled. */
  readonly settleMs: number;
  /** Parallel requests of one series. */
  readonly parallel: number;
  readonly empty: EmptyPolicy;
  /** True if its answers name a store and a revision, and it reports what changed since a revision. */
  readonly reportsChanges: boolean;
  /** The endpoints that may be used. */
  readonly endpoints: Endpoints;
  /** Null if requests cost nothing. The cache then does not note them. */
  readonly terms: Terms | null;
}

/** The times for which a source has data, ascending. */
export function coveredSpans(coverage: Coverage): Span[] {
  return coverage.map(({ start, end }) => ({
    start: Date.parse(start),
    end: end === null ? Infinity : Date.parse(end),
  }));
}

/** The times at which the oldest and the newest Post of a source were created. */
export function endsOf(source: SourceInfo | null): SourceEnds | null {
  const at = (text: string | null): number | null => (text === null ? null : Date.parse(text));
  return source && { first: at(source.first), last: at(source.last) };
}

const OWN: SourcePolicy = {
  settleMs: SETTLE_MS,
  parallel: 4,
  empty: { confirmAbsentMs: null },
  reportsChanges: true,
  endpoints: 'all',
  terms: null,
};

/** Buckets of a store's shortest page of the last 24 hours; null if all had full length. */
export function shortest(
  { pages }: Pick<StoreRow, 'pages'>,
  granularity: Granularity,
  now: number,
): number | null {
  const page = pages?.[granularity];
  return page && now - page.at < DAY_MS ? page.buckets : null;
}

/**
 * The policy of a source, by ledger rules 8, 10, 17 and 21.
 *
 * @param platform - The service's answer about the platform; null, without the service: the public figures.
 */
export function policyOf(source: SourceId, platform: PlatformAnswer | null): SourcePolicy {
  if (source !== 'platform') return OWN;
  const settings = platform?.settings ?? DEFAULT_PLATFORM_SETTINGS;
  const { access, prices, limits, archiveSpacingMs, settleHours } = settings;
  return {
    settleMs: settleHours * HOUR_MS,
    parallel: 4,
    empty: { confirmAbsentMs: CONFIRM_ABSENT_MS },
    reportsChanges: false,
    endpoints: hasArchive(access) ? 'both' : 'recent',
    terms: {
      prices,
      pace: { ...limits, archiveSpacingMs },
      pools: platform?.pools ?? { recent: null, all: null },
    },
  };
}
