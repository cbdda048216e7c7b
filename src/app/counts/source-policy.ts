import { DEFAULT_PLATFORM_SETTINGS, hasArchive } from '#contract/platform-terms.ts';
import type { PlatformAnswer } from '#contract/platform.ts';
import type { Coverage, SourceId } from '#contract/source.ts';
import type { EmptyPolicy } from '#core/counts/empty-pages.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import type { Pace, Pools } from '#core/counts/price.ts';
import type { Endpoints } from '#core/counts/requests.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import type { StoreRow } from '#app/counts/cache/records.ts';

/** What requests of a source cost, and how fast they may be sent. */
export interface Terms {
  /** USD per request. */
  readonly prices: { readonly recent: number; readonly all: number };
  readonly pace: Pace;
  readonly pools: Pools;
}

/** How a source is asked and how far it is trusted. */
export interface SourcePolicy {
  /** How long after its end a day's counts are settled. */
  readonly settleMs: number;
  /** Requests of one series under way at a time. */
  readonly parallel: number;
  readonly empty: EmptyPolicy;
  /** Whether its answers carry a store and a revision, and it tells what changed since one. */
  readonly tellsChanges: boolean;
  /** What it may be asked of. */
  readonly endpoints: Endpoints;
  /** Null where requests cost nothing: then they are planned by what the view needs, and no ask is kept. */
  readonly terms: Terms | null;
}

/** The time of which a source has data, as a span; an empty one where the source is empty. */
export function coveredSpan(coverage: Coverage | null): Span {
  if (!coverage) return { start: Infinity, end: Infinity };
  const { start, end } = coverage;
  return { start: Date.parse(start), end: end === null ? Infinity : Date.parse(end) };
}

const OWN: SourcePolicy = {
  settleMs: SETTLE_MS,
  parallel: 4,
  empty: { confirmAbsentMs: null },
  tellsChanges: true,
  endpoints: 'all',
  terms: null,
};

/** How long the platform is given before an answer without `data` is asked again (ledger rule 17). */
const CONFIRM_MS = 60_000;

/** Buckets of the shortest page of a store that came within a day; null where all were as long as they may be. */
export function shortest(
  { pages }: Pick<StoreRow, 'pages'>,
  granularity: Granularity,
  now: number,
): number | null {
  const page = pages?.[granularity];
  return page && now - page.at < DAY_MS ? page.buckets : null;
}

/**
 * How a source is asked, by ledger rules 8, 10, 17 and 21.
 *
 * @param platform - What the service told of the platform; the public figures where it could not be asked.
 */
export function policyOf(source: SourceId, platform: PlatformAnswer | null): SourcePolicy {
  if (source !== 'platform') return OWN;
  const settings = platform?.settings ?? DEFAULT_PLATFORM_SETTINGS;
  const { access, prices, limits, archiveSpacingMs, settleHours } = settings;
  return {
    settleMs: settleHours * HOUR_MS,
    parallel: 4,
    empty: { confirmAbsentMs: CONFIRM_MS },
    tellsChanges: false,
    endpoints: hasArchive(access) ? 'both' : 'recent',
    terms: {
      prices,
      pace: { ...limits, archiveSpacingMs },
      pools: platform?.pools ?? { recent: null, all: null },
    },
  };
}
