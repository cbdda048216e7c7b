import type { Access } from './counts.ts';
import type { PlatformSettings } from './platform.ts';

/**
 * Published figures. Prices of counts: platform-facts 1.6. Prices of Posts and users: docs.x.com
 * x-api/getting-started/pricing ("Charged per resource returned in the response"). Limits, and the second between
 * archive requests: 1.5. Settling: ledger rule 10. The caps are this program's choice: counting one query over the
 * whole archive five times costs $12.20.
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
  return access !== 'self-service';
}
