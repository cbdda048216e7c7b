import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { Need } from '#app/counts/need.ts';
import type { Wait } from '#app/api/client.ts';
import type { Plan, Tally } from '#app/counts/cache/records.ts';
import { viewOf } from '#core/series/bucket-layout.ts';
import type { Fault } from '#contract/fault.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve, type State } from '#core/series/series.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

/** State of the bucket from `start` to `end`. */
export type Patch = (start: number, end: number) => State;
/** Posts of a query in a bucket, the n-th of its curve. */
export type Counted = (query: string, start: number, end: number, n: number) => number;

const WAVE: Counted = ({ length }, _, __, n) =>
  Math.round(60 + 40 * Math.sin(n / 9 + length) + 9 * Math.sin(n * 2.3));

/** A run that has its whole curve at once: by default a wave shifted by the query's length. Tests set everything else. */
export class DrawnRun implements Run {
  phase = $state<Run['phase']>('idle');
  plan = $state.raw<Plan | null>(null);
  made = $state.raw<Tally>({ requests: 0, money: 0, bytes: 0 });
  progress = $state.raw<Run['progress']>({ done: 0, total: 0 });
  wait = $state.raw<Wait | null>(null);
  fault = $state.raw<Fault | null>(null);
  offline = $state(false);
  outdated = $state(false);
  elsewhere = $state.raw<Run['progress'] | null>(null);
  curve = $state.raw<Curve | null>(null);
  pyramid = $state.raw<Pyramid | null>(null);
  readonly basis = null;
  requests = $state(0);
  seams = $state.raw<Run['seams']>([]);
  changes = $state.raw<Run['changes']>([]);
  upperBounds = $state(false);
  key = $state('');
  probeOffer = $state.raw<Run['probeOffer']>(null);
  platformSkewMs = $state<number | null>(null);
  /** Methods called, in order. */
  readonly calls: string[] = [];
  readonly needs: Need[] = [];
  readonly #now: number;
  readonly #counted: Counted;
  #patch: Patch;

  constructor(
    now: number,
    patch: Patch = (_, end) => (end > now ? 'partial' : 'settled'),
    counted: Counted = WAVE,
  ) {
    this.#now = now;
    this.#patch = patch;
    this.#counted = counted;
  }

  /** Draws the last need again with other states. */
  patch(patch: Patch): void {
    this.#patch = patch;
    const need = this.needs.at(-1);
    if (need) this.#draw(need);
  }

  #draw(need: Need): void {
    const bounds = viewOf(need).edges.all;
    const states = Uint8Array.from(
      { length: bounds.length - 1 },
      (_, i) => STATE[this.#patch(bounds[i] ?? 0, bounds[i + 1] ?? 0)],
    );
    const counts = Float64Array.from(states, (state, i) =>
      state < STATE.partial
        ? Number.NaN
        : this.#counted(need.query, bounds[i] ?? 0, bounds[i + 1] ?? 0, i),
    );
    const fetchedAt = Float64Array.from(counts, (count) =>
      Number.isNaN(count) ? Number.NaN : this.#now,
    );
    this.curve = { bounds, counts, states, fetchedAt };
    this.pyramid = buildPyramid(counts);
  }

  ask(need: Need): Promise<void> {
    this.needs.push(need);
    this.key = `key of ${need.query}`;
    this.#draw(need);
    this.phase = 'done';
    return Promise.resolve();
  }
  refresh(need: Need): Promise<void> {
    return this.ask(need);
  }
  peek(need: Need): Promise<void> {
    this.calls.push('peek');
    return this.ask(need);
  }
  /** Result of {@link quote}. */
  quoted: Plan | null = null;
  quote(): Promise<Plan | null> {
    return Promise.resolve(this.quoted);
  }
  pause(): void {
    this.calls.push('pause');
    this.phase = 'paused';
  }
  async resume(): Promise<void> {
    this.calls.push('resume');
    this.phase = 'fetching';
  }
  cancel(): void {
    this.calls.push('cancel');
    this.phase = 'cancelled';
  }
  audit(windows: number): Promise<void> {
    this.calls.push(`audit ${windows}`);
    return Promise.resolve();
  }
  probe(): Promise<void> {
    this.calls.push('probe');
    return Promise.resolve();
  }
  rebuy(): Promise<void> {
    this.calls.push('rebuy');
    return Promise.resolve();
  }
  dispose(): void {
    this.curve = null;
  }
}
