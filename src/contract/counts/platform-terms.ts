import { ARCHIVE_LEVELS, type Access } from '#contract/accounts/access.ts';
import type { Endpoints } from '#core/counts/requests.ts';
import { queryLength, queryLengthLimit } from './counts.ts';
import type { PlatformSettings } from './platform.ts';

/**
 * The public figures: prices of counts by platform-facts 1.6, of Posts and users by docs.x.com
 * x-api/getting-started/pricing ("Charged per resource returned in the response"), limits by 1.5, a second between requests of the archive
 * by 1.5 (older text, and what clients observe); settling by ledger rule 10. The caps are this project's choice: five whole
 * archives are $12.20.
 */
export const DEFAULT_PLATFORM_SETTINGS: PlatformSettings = {
  access: 'pay-per-use',
  prices: { recent: 0.005, all: 0.01, post: 0.005, user: 0.01 },
  limits: {
    recent: { requests: 300, windowSeconds: 900 },
    all: { requests: 300, windowSeconds: 900 },
  },
  archiveSpacingMs: 1_000,
  settleHours: 24,
  caps: { day: { requests: null, money: 25 }, month: { requests: null, money: 100 } },
};

export function hasArchive(access: Access): boolean {
  return ARCHIVE_LEVELS.includes(access);
}

/** Of the offered endpoints, those that take a query: only the archive takes one that is too long for recent counts. */
export function endpointsFor(offered: Endpoints, query: string): Endpoints {
  const long = queryLength(query) > queryLengthLimit('recent', 'enterprise');
  return offered === 'both' && long ? 'all' : offered;
}
