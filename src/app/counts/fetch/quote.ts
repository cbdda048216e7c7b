import { boughtGranularity } from '#core/counts/requests.ts';
import { RULES_VERSION, format } from '#core/query/format.ts';
import { planOf } from './agreement.ts';
import { seriesKey, storeKey } from '#app/counts/cache/records.ts';
import type { Plan } from './approval.svelte.ts';
import type { LookingDeps, Seat, LoadListener } from './load-session.ts';
import { LoadSession } from './load-session.ts';
import type { Terms } from '#app/counts/source-policy.ts';
import type { Need } from '#app/counts/bucket-layout.ts';
import { astOf, viewOf } from '#app/counts/bucket-layout.ts';

const NOBODY: LoadListener = {
  onProgress: () => undefined,
  onSend: () => undefined,
  onWait: () => undefined,
  onBought: () => undefined,
  onDrawn: () => undefined,
};

/**
 * Plans what a need of a priced source would buy, from what this browser knows: sends nothing and notes nothing.
 *
 * Pages that only the service holds count as bought, so the purchase itself may be smaller.
 *
 * @throws {Fault} if the cache cannot be read.
 * @throws The signal's reason when aborted.
 */
export async function quotePlan(
  need: Need,
  terms: Terms,
  deps: LookingDeps,
  signal: AbortSignal,
): Promise<Plan> {
  const { source, minutes } = need;
  const { keeper } = deps;
  const key = seriesKey(source.id, source.store, format(astOf(need)), RULES_VERSION);
  const point = { revision: source.revision, mark: source.mark };
  const row = await keeper.store(storeKey(source.id, source.store), point);
  signal.throwIfAborted();
  const view = viewOf(need);
  const bought = boughtGranularity(view.granularity, true, minutes);
  const of = { need, view, key, bought, force: false, again: false, quote: true, signal };
  const seat: Seat = { desk: null };
  const looking = new LoadSession(of, row, deps, seat, NOBODY);
  try {
    await looking.reopen();
    const { asking } = looking;
    return planOf(asking.need(), 0, terms, asking.doubted);
  } finally {
    if (seat.desk !== null) await keeper.close(seat.desk);
  }
}
