import { astOf, type Need } from '#app/counts/need.ts';
import { coveredSpans } from '#app/counts/source-policy.ts';
import { seriesKey } from '#app/counts/cache/records.ts';
import { WITHOUT_REQUESTS } from '#app/board/state/static-run.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import { reachOf } from '#core/counts/head.ts';
import { format, RULES_VERSION } from '#core/query/format.ts';
import { viewOf, type BucketView } from '#core/series/bucket-layout.ts';
import { draw, type Drawn } from '#core/series/draw.ts';
import { sameBuckets, STATE, type Series } from '#core/series/series.ts';
import { bucketCount, bucketEdges, type Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

/** The members of its report that a run needs. */
interface RunDeps {
  readonly count: (question: ReportQuestion) => Promise<CountedBuckets>;
  /** Called before a load; may refuse it by throwing. */
  readonly before: () => void;
  /** True if only the buckets shown are counted, not what other figures need. */
  readonly plain: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Follows a load to its end; it may fail. */
  readonly follow: (load: Promise<void>) => void;
}

/** Stretches of buckets that were fetched at the same time. */
function fetchedRuns(bounds: Float64Array, fetchedAt: Float64Array): Series['fetched'] {
  const runs: { from: number; to: number; at: number }[] = [];
  for (let i = 0; i < fetchedAt.length; i += 1) {
    const at = fetchedAt[i] ?? Number.NaN;
    if (Number.isNaN(at)) continue;
    const from = bounds[i] ?? 0;
    const to = bounds[i + 1] ?? 0;
    const last = runs.at(-1);
    if (last && last.at === at && last.to === from) last.to = to;
    else runs.push({ from, to, at });
  }
  return runs;
}

/** Counted buckets as a series. @param reach - The span that the source can count now. */
function seriesOf(
  granularity: Granularity,
  bounds: Float64Array,
  { counts, states, fetchedAt }: CountedBuckets,
  reach: Span,
): Series {
  const known = states.map((state, i) => {
    if ((bounds[i] ?? 0) < reach.start) return STATE.uncovered;
    // The bucket that is not over yet.
    return (bounds[i + 1] ?? 0) > reach.end ? Math.min(state, STATE.partial) : state;
  });
  return {
    granularity,
    start: bounds[0] ?? 0,
    counts: counts.map((count) => (Number.isNaN(count) ? 0 : count)),
    states: known,
    fetched: fetchedRuns(bounds, fetchedAt),
  };
}

/** The run of a series whose counts are those of a report, in one piece. */
export function countedRun({ count, before, plain, now, follow }: RunDeps): Run {
  let phase = $state<Run['phase']>('idle');
  let key = $state('');
  let drawn = $state.raw<Drawn | null>(null);
  let latest = 0;

  async function counted({ source, query, endpoint }: Need, view: BucketView): Promise<Drawn> {
    const { span, granularity } = view;
    const reach = reachOf(endpoint, now(), granularity);
    const buckets = bucketCount(span.start, Math.min(span.end, reach.end), granularity);
    const bounds = bucketEdges(span.start, buckets, granularity);
    const found =
      buckets > 0
        ? await count({ source: source.id, query, bounds })
        : { counts: new Float64Array(), states: new Uint8Array(), fetchedAt: new Float64Array() };
    const series = seriesOf(granularity, bounds, found, reach);
    return draw(series, view, reach.end, coveredSpans(source.coverage));
  }

  /** The buckets shown, as the source sums them itself. */
  async function summed({ source, query }: Need, view: BucketView): Promise<Drawn> {
    const { edges, span, granularity, cut } = view;
    const bounds = edges.all.slice();
    [bounds[0], bounds[bounds.length - 1]] = [span.start, span.end];
    const found = await count({ source: source.id, query, bounds, granularity, cut });
    const { counts, states } = found;
    const curve = { ...found, bounds: edges.all };
    return { curve, pyramid: buildPyramid(counts, states), basis: null };
  }

  async function load(need: Need): Promise<void> {
    const round = ++latest;
    phase = 'reading';
    let view: BucketView | null = null;
    try {
      before();
      const { id, store } = need.source;
      const loadedKey = seriesKey(id, store, format(astOf(need)), RULES_VERSION);
      view = viewOf(plain ? { ...need, unit: null } : need);
      const loaded = await (plain ? summed(need, view) : counted(need, view));
      if (round !== latest) return;
      [key, drawn, phase] = [loadedKey, loaded, 'done'];
    } catch (error) {
      if (round === latest) {
        // Figures of another time would be read as those of this one.
        const isSame = view && drawn && sameBuckets(drawn.curve, { bounds: view.edges.all });
        if (!isSame) [key, drawn] = ['', null];
        phase = 'failed';
      }
      throw error;
    }
  }

  /** Counts a need, and shows it once it is counted. */
  function ask(need: Need): Promise<void> {
    const loading = load(need);
    follow(loading);
    // A failure is reported to whatever follows the load.
    return loading.catch(() => undefined);
  }

  return {
    ...WITHOUT_REQUESTS,
    upperBounds: false,
    get phase() {
      return phase;
    },
    get key() {
      return key;
    },
    get curve() {
      return drawn?.curve ?? null;
    },
    get pyramid() {
      return drawn?.pyramid ?? null;
    },
    get basis() {
      return drawn?.basis ?? null;
    },
    ask,
    refresh: ask,
    dispose: () => {
      latest += 1;
      [key, drawn, phase] = ['', null, 'idle'];
    },
  };
}
