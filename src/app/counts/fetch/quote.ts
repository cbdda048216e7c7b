import { boughtGranularity } from '#core/counts/requests.ts';
import { RULES_VERSION, format } from '#core/query/format.ts';
import { planOf } from './agreement.ts';
import { seriesKey, storeKey, type Plan } from '#app/counts/cache/records.ts';
import type { LoadServices } from './load-request.ts';
import { LoadSession, type WorkerSession } from './load-session.ts';
import type { Terms } from '#app/counts/source-policy.ts';
import { astOf, type Need } from '#app/counts/need.ts';
import { viewOf } from '#core/series/bucket-layout.ts';

/**
 * Plans what a need of a priced source would buy, from what this browser has stored. Sends and notes nothing.
 *
 * Includes pages that the service already has, so the actual purchase may be smaller.
 *
 * @throws {Fault} if the cache cannot be read.
 * @throws The signal's reason when aborted.
 */
export async function quotePlan(
  need: Need,
  terms: Terms,
  services: LoadServices,
  signal: AbortSignal,
): Promise<Plan> {
  const { source, minutes } = need;
  const { store } = services;
  const key = seriesKey(source.id, source.store, format(astOf(need)), RULES_VERSION);
  const point = { revision: source.revision, mark: source.mark };
  const row = await store.storeRow(storeKey(source.id, source.store), point);
  signal.throwIfAborted();
  const view = viewOf(need);
  const bought = boughtGranularity(view.granularity, true, minutes);
  const target = { need, view, key, bought, force: false, again: false, quote: true, signal };
  const open: WorkerSession = { number: null };
  const session = new LoadSession(target, row, services, open, () => undefined);
  try {
    await session.reopen();
    const { scheduler } = session;
    return planOf(scheduler.need(), 0, terms, scheduler.repeats);
  } finally {
    if (open.number !== null) await store.close(open.number);
  }
}
