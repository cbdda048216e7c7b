import { astOf, type Need } from '#app/counts/need.ts';
import { coveredSpans } from '#app/counts/source-policy.ts';
import { seriesKey } from '#app/counts/cache/records.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import { reachOf } from '#core/counts/head.ts';
import { format, RULES_VERSION } from '#core/query/format.ts';
import { viewOf, type BucketView } from '#core/series/bucket-layout.ts';
import { draw, type Drawn } from '#core/series/draw.ts';
import { STATE, type Series } from '#core/series/series.ts';
import { BUCKET_MS, ceilTo, type Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** The members of its report that a run needs. */
interface RunDeps {
  readonly count: (question: ReportQuestion) => Promise<CountedBuckets>;
  /** Epoch ms. */
  readonly now: number;
  /** Follows a load to its end; it may fail. */
  readonly follow: (load: Promise<void>) => void;
}

/** The edges of the buckets of a granularity in a span, which begins at one. */
function gridOf({ start, end }: Span, granularity: Granularity): Float64Array {
  const width = BUCKET_MS[granularity];
  const size = Math.max(0, Math.ceil((end - start) / width));
  return Float64Array.from({ length: size + 1 }, (_, i) => start + i * width);
}

/** Stretches of buckets that were fetched at the same time. */
function fetchedRuns(bounds: Float64Array, fetchedAt: Float64Array): Series['fetched'] {
  const runs: { from: number; to: number; at: number }[] = [];
  for (const [i, at] of fetchedAt.entries()) {
    if (Number.isNaN(at)) continue;
    const [from = 0, to = 0] = bounds.subarray(i, i + 2);
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
    const [from = 0, to = 0] = bounds.subarray(i, i + 2);
    if (from < reach.start) return STATE.uncovered;
    // The bucket that is not over yet.
    return to > reach.end ? Math.min(state, STATE.partial) : state;
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
export class CountedRun implements Run {
  phase = $state<Run['phase']>('idle');
  readonly plan = null;
  readonly made = { requests: 0, money: 0, bytes: 0 };
  readonly progress = { done: 0, total: 0 };
  readonly wait = null;
  readonly fault = null;
  readonly offline = false;
  readonly outdated = false;
  readonly elsewhere = null;
  readonly requests = 0;
  readonly seams = [];
  readonly changes = [];
  readonly upperBounds = false;
  readonly probeOffer = null;
  readonly platformSkewMs = null;
  key = $state('');
  #drawn = $state.raw<Drawn | null>(null);
  readonly #deps: RunDeps;
  #round = 0;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  get curve(): Run['curve'] {
    return this.#drawn?.curve ?? null;
  }
  get pyramid(): Run['pyramid'] {
    return this.#drawn?.pyramid ?? null;
  }
  get basis(): Run['basis'] {
    return this.#drawn?.basis ?? null;
  }

  /** Counts a need, and shows it once it is counted. */
  ask(need: Need): Promise<void> {
    const load = this.#load(need);
    this.#deps.follow(load);
    // A failure is reported to whatever follows the load.
    return load.catch(() => undefined);
  }

  async #load(need: Need): Promise<void> {
    const round = ++this.#round;
    this.phase = 'reading';
    try {
      const key = seriesKey(need.source.id, need.source.store, format(astOf(need)), RULES_VERSION);
      const drawn = await this.#count(need, viewOf(need));
      if (round !== this.#round) return;
      [this.key, this.#drawn, this.phase] = [key, drawn, 'done'];
    } catch (error) {
      if (round === this.#round) this.phase = 'failed';
      throw error;
    }
  }

  async #count({ source, query, endpoint }: Need, view: BucketView): Promise<Drawn> {
    const { count, now } = this.#deps;
    const { span, granularity } = view;
    const reach = reachOf(endpoint, now, granularity);
    const end = Math.max(span.start, Math.min(span.end, reach.end));
    const bounds = gridOf({ start: span.start, end: ceilTo(end, granularity) }, granularity);
    const counted =
      bounds.length > 1
        ? await count({ source: source.id, query, bounds })
        : { counts: new Float64Array(), states: new Uint8Array(), fetchedAt: new Float64Array() };
    const series = seriesOf(granularity, bounds, counted, reach);
    return draw(series, view, reach.end, coveredSpans(source.coverage));
  }

  refresh(need: Need): Promise<void> {
    return this.ask(need);
  }
  peek(): Promise<void> {
    return Promise.resolve();
  }
  quote(): Promise<null> {
    return Promise.resolve(null);
  }
  pause(): void {}
  async resume(): Promise<void> {}
  cancel(): void {}
  dispose(): void {
    this.#round += 1;
    [this.key, this.#drawn, this.phase] = ['', null, 'idle'];
  }
  audit(): Promise<void> {
    return Promise.resolve();
  }
  probe(): Promise<void> {
    return Promise.resolve();
  }
  rebuy(): Promise<void> {
    return Promise.resolve();
  }
}
