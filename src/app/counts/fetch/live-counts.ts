import type { Client } from '#app/api/client.ts';
import { LIVE } from '#contract/counts/live.ts';
import { formatInstant } from '#contract/instant.ts';
import { floorTo } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, PAGE_DAYS, SECOND_MS } from '#core/time/span.ts';
import { generationOf } from '#app/counts/cache/store-row.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import type { LoadSession } from './load-session.ts';
import type { Run } from './series-run.svelte.ts';

/** A run with its load, and the state of the store that this had shown. */
interface LoadedRun {
  readonly run: Run;
  readonly load: LoadSession;
  readonly revision: number;
  /** Start of the first bucket to count, epoch ms. */
  readonly start: number;
}

const NOTHING = (): void => undefined;

/** A request that takes longer is given up. */
const PATIENCE_MS = 30 * SECOND_MS;

/** The load of a run whose newest buckets can be counted; null if there is none, as while much of it loads. */
function loadedRun(run: Run, from: number): LoadedRun | null {
  const { live: load } = run;
  if (!load) return null;
  const { scheduler, target, row } = load;
  const { span, granularity } = target.view;
  // An earlier period has none of it.
  if (span.end <= from) return null;
  const known = scheduler.known.at(-1)?.to ?? span.start;
  if (!run.loaded && known < from - HOUR_MS) return null;
  const start = floorTo(Math.max(span.start, Math.min(from, known)), granularity);
  return { run, load, revision: row.revision, start };
}

/**
 * Counts the newest buckets of runs again, from an instant or the last counts that they loaded up to now: those of the same
 * buckets at once, so that they are of one state. The cache keeps what the last load stored.
 *
 * @returns Shows them all; null if only a load can: the store is another, or more is missing than a page has.
 * @throws {Fault} as `Client.send`.
 */
export async function countLive(
  runs: readonly Run[],
  from: number,
  {
    client,
    store,
  }: {
    readonly client: Pick<Client, 'send' | 'now'>;
    readonly store: Pick<StoreClient, 'takeLive'>;
  },
): Promise<(() => void) | null> {
  const groups = new Map<string, LoadedRun[]>();
  const earliest = client.now() - (PAGE_DAYS - 1) * DAY_MS;
  for (const run of runs) {
    const each = loadedRun(run, from);
    if (!each) continue;
    if (each.start < earliest) return null;
    const { need, view } = each.load.target;
    const key = `${need.source.id} ${view.granularity} ${each.start}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const counted = await Promise.all(
    [...groups.values()].map((group) => count(group, client, store)),
  );
  const shows = counted.flatMap((each) => each ?? []);
  return counted.includes(null) ? null : () => shows.forEach((show) => show());
}

/** Counts runs with the same buckets. @returns The way to show each; null as {@link countLive}. */
async function count(
  runs: readonly LoadedRun[],
  client: Pick<Client, 'send'>,
  store: Pick<StoreClient, 'takeLive'>,
): Promise<(() => void)[] | null> {
  const [first] = runs;
  if (!first) return [];
  const { start, load } = first;
  const { need, view } = load.target;
  const { method, path, answer } = LIVE.counts;
  const queries = [...new Set(runs.map(({ load }) => load.target.need.query))];
  const { source } = need;
  const body = {
    source: source.id,
    queries,
    granularity: view.granularity,
    start: formatInstant(start),
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const got = await client.send(method, path, body, answer, { signal });
  const isOther = ({ load: { target }, revision }: LoadedRun): boolean =>
    target.need.source.store !== got.store || revision > got.revision;
  if (runs.some(isOther)) return null;
  const end = Date.parse(got.end);
  return await Promise.all(
    runs.map(async ({ run, load }) => {
      try {
        const { need } = load.target;
        const counts = got.counts[queries.indexOf(need.query)] ?? [];
        const generation = generationOf(load.row, got.revision);
        const taken = { start, end, counts, generation };
        // A curve that did not move is not drawn, and no figure is computed again.
        if (!(await store.takeLive(load.scheduler.session, taken))) return NOTHING;
        if (!run.loaded) {
          // With the pages that arrive, in their order.
          await load.render();
          return NOTHING;
        }
        const rendered = await load.rendering();
        return () => {
          if (run.loaded === load) run.show?.(rendered);
        };
      } catch (error) {
        // Another load has begun, and shows what there is.
        if (run.live !== load) return NOTHING;
        throw error;
      }
    }),
  );
}
