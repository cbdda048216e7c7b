import { usd } from '#core/counts/price.ts';
import type { Parsed } from '#core/query/ast.ts';
import type { Cut } from '#core/series/rollup.ts';
import { sameBuckets, type Curve } from '#core/series/series.ts';
import { parse } from '#core/query/parse.ts';
import { summarize, type CurveFormula, type Summary } from '#app/insight/summary/summary.ts';
import { GROWING, pendingOf, type Pending } from '#app/insight/summary/pending.ts';
import { seriesStyle, type SeriesStyle } from '#app/ui/series-style.ts';
import { queryLengthLimit } from '#contract/counts/counts.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import type { DispersionBy } from '#core/series/dispersion.ts';
import type { Formula, Unit } from '#core/series/formula.ts';
import {
  EXTRA_ROUNDS,
  extraRuns,
  type ExtraKind,
  type ExtraNeed,
  type ExtraRuns,
  type SideRun,
} from './side-run.svelte.ts';
import { keyOf, type BoardNeed } from './need-key.ts';
import { coversPeriod, type Before, type ComparedPeriod } from './comparison.ts';
import type { Comparing } from './side-needs.ts';
import type { ViewSeries } from './view.ts';
import { isDerived } from './board-options.ts';
import type { BoardSource } from './source-state.svelte.ts';
import type { TimeWindow } from './time-window.svelte.ts';

/** The part of a run's plan that is still to fetch, across pauses and reloads; null without a plan. */
export function remainingOf({
  plan,
  made,
  progress,
}: Pick<Run, 'plan' | 'made' | 'progress'>): { pages: number; money: number } | null {
  if (!plan) return null;
  const planned = plan.recent + plan.all;
  const [total, done] = progress.total > 0 ? [progress.total, progress.done] : [planned, 0];
  const pages = Math.max(0, total - done);
  return { pages, money: pages === 0 ? 0 : Math.max(0, usd(plan.money - made.money)) };
}

/** A curve as a formula of itself. */
const leaf = (curve: Curve | null): CurveFormula | null => curve && { kind: 'series', of: curve };

/** The members of its board that a series reads. */
export interface SeriesContext {
  /** The operations that the source allows this page. */
  readonly source: Pick<BoardSource, 'id' | 'endpoint' | 'access'>;
  readonly time: Pick<TimeWindow, 'now' | 'rested' | 'table' | 'zone' | 'weekStart'>;
  /** True if the zoom is shown by buckets of its own. */
  readonly detailed: boolean;
  /** True while an import adds Posts to the source. */
  readonly growing: boolean;
  /** The earlier periods that the view is compared with, the latest first. */
  readonly periods: readonly ComparedPeriod[];
  /** Compares a curve with an earlier one; null until that code is loaded, after the first curve. */
  readonly comparing: Comparing | null;
}

/** The origin of a series: a query, other series, or a file. */
export type SeriesKind = 'query' | 'formula' | 'file';

/** The parts from which a series is created. */
export interface Given {
  readonly kind: SeriesKind;
  /** By the ids of its series, if it is computed. */
  readonly formula?: Formula<number>;
  /** The series that was read from the file, if it comes from one. */
  readonly fixed?: FixedSeries;
  /** The subject of the counts, in words, if that is not a query of the board. */
  describe?(): string;
  /** The unit of what is computed. */
  unit?(): Unit;
  /** The curves it is computed from; null if one is not known. */
  parts?(): CurveFormula | null;
  /** The same for its basis. */
  basisParts?(): CurveFormula | null;
  /** The event for which its parts wait; null if they are final. */
  pending?(): Pending | null;
  /** True if any part of a formula holds fractions rather than counts. */
  fractions?(): boolean;
  /** Its counts in other buckets than the chart's, for series without a real run; null if unknown. */
  by?(bounds: Float64Array, cut: Cut): Curve | null;
  /** Makes one more run. */
  run(): Run;
}

/** One series on the board: its text as typed, its query, and its counts. */
export class BoardSeries {
  readonly id: number;
  readonly kind: SeriesKind;
  /** Set if it is computed, by the ids of its series. */
  formula = $state.raw<Formula<number> | null>(null);
  /** Set if it comes from a file. */
  readonly fixed: FixedSeries | null;
  /** Determines its colour, dash and marker. */
  number = $state(0);
  readonly style: SeriesStyle = $derived.by(() => seriesStyle(this.number));
  readonly run: Run;
  readonly #extra: ExtraRuns;
  #round = 0;
  /** True while extra runs are still to load. */
  #due = $state(false);
  readonly #given: Given;
  /** True if it comes from a file whose values are not all whole numbers. */
  readonly #isFractional: boolean;
  readonly #board: SeriesContext;
  /** The text as typed, valid or not; {@link commit} makes it the query. */
  text = $state('');
  #query = $state('');
  #label = $state('');
  /** The query the label was made for; null if the user chose the label. */
  #labelFor = $state<string | null>(null);
  hidden = $state(false);
  /** True if the view it belongs to did not come from this user, who has not loaded it yet. */
  foreign = $state(false);
  /** The last requested need, as text. */
  #asked = '';
  #loading: Promise<void> = Promise.resolve();
  #shown = $state('');

  readonly limit = $derived.by(() =>
    queryLengthLimit(this.#board.source.endpoint, this.#board.source.access),
  );
  readonly parsed: Parsed = $derived.by(() => this.#parse(this.text));
  /** True if the typed text can be counted. */
  readonly valid = $derived.by(() => this.#sound(this.text, this.parsed));
  readonly #parsedQuery: Parsed = $derived.by(() => this.#parse(this.#query));
  /** True if its query can be counted, regardless of what is being typed. */
  readonly countable = $derived.by(() => this.#sound(this.#query, this.#parsedQuery));
  /** True if the typed text differs from its query. */
  readonly edited = $derived.by(
    () => this.kind === 'query' && this.text.trim() !== this.#query.trim(),
  );
  /** True if it is new and still empty. */
  readonly blank = $derived.by(
    () => this.kind === 'query' && this.#query.trim() === '' && this.text.trim() === '',
  );
  /** True if its counts belong to the text in its row. */
  readonly current = $derived.by(
    () => this.kind !== 'query' || (this.#shown !== '' && this.#shown === this.text.trim()),
  );
  readonly name = $derived.by(
    () => this.label.trim() || this.shown || this.text.trim() || 'New query',
  );
  readonly #drawn: Run = $derived.by(() =>
    this.#board.detailed && this.detail ? this.detail : this.run,
  );
  readonly curve = $derived.by(() => (this.#shown ? this.#drawn.curve : null));
  readonly pyramid = $derived.by(() => (this.curve ? this.#drawn.pyramid : null));
  /** The basis from which its figures are computed at any resolution; null if that is the curve. */
  readonly basis = $derived.by(() => (this.curve ? this.#drawn.basis : null));
  /** The curve of its basis, or the curves its basis is computed from; null if one is missing. */
  readonly basisParts: CurveFormula | null = $derived.by(() =>
    this.#given.basisParts ? this.#given.basisParts() : leaf(this.basis?.curve ?? null),
  );
  /** Its curve, or the curves it is computed from; null if one is unknown. */
  readonly parts: CurveFormula | null = $derived.by(() =>
    this.#given.parts ? this.#given.parts() : leaf(this.curve),
  );
  /** The unit of its values. */
  readonly unit: Unit = $derived.by(
    () => this.#given.unit?.() ?? (this.fractions ? 'ratio' : 'count'),
  );
  readonly summary: Summary | null = $derived.by(() => {
    const { curve, parts, unit, fractions, pyramid, basis, basisParts } = this;
    const { now, rested: window } = this.#board.time;
    const of = { window, parts, unit, fractions, pyramid, basis, basisParts };
    return curve && parts ? summarize(curve, now, of) : null;
  });
  /** The event for which its figures wait; null if they are final. */
  readonly pending: Pending | null = $derived.by(() =>
    this.#given.pending
      ? this.#given.pending()
      : this.#board.growing
        ? GROWING
        : this.#shown
          ? pendingOf(this.#drawn, this.summary?.share ?? 0)
          : null,
  );
  /** The time before the view, as far as it is known, for each earlier period. */
  readonly #past = $derived.by(() => {
    const { periods, comparing, time } = this.#board;
    const { fixed } = this;
    return periods.map((period, i) =>
      fixed
        ? comparing?.givenBefore(fixed, period, time)
        : { earlier: this.earlierRuns[i] ?? null, history: this.#ofThis(this.#extra.history[0]) },
    );
  });
  /** Earlier counts for the buckets shown, and the change since; null while unknown, or if there are none. */
  readonly before: Before | null = $derived.by(() => this.#before(0));
  /** The same for each earlier period, the latest first. */
  readonly befores: readonly (Before | null)[] = $derived.by(() =>
    this.#board.periods.map((_, i) => (i === 0 ? this.before : this.#before(i))),
  );
  /** The figures of each earlier period; null while they are not final. */
  readonly earlierSummaries: readonly (Summary | null)[] = $derived.by(() =>
    this.#board.periods.map((period, i) => {
      const { curve = null, basis = null } = this.#past[i]?.earlier ?? {};
      return this.#isFinal(i) && curve && coversPeriod(curve, period)
        ? summarize(curve, this.#board.time.now, { basis, basisParts: leaf(basis?.curve ?? null) })
        : null;
    }),
  );
  /** The variation of the sums of its spans; null until the code of comparisons and the history have loaded. */
  readonly noise: DispersionBy | null = $derived.by(() => {
    const { periods, comparing, time, source } = this.#board;
    const { curve, basis } = this;
    const compared = periods[0] ?? null;
    const { earlier = null, history = null } = this.#past[0] ?? {};
    const due = source.id === 'platform' ? null : this.#due;
    const of = { curve, basis, earlier, compared, history, due };
    return comparing && curve ? comparing.noiseOf({ ...of, curve }, time.table) : null;
  });
  readonly busy = $derived.by(() => this.run.phase === 'reading' || this.run.phase === 'fetching');
  /** True while counts load from which its figures follow, also those of earlier periods, or the code that compares them. */
  readonly loading = $derived.by(() => this.busy || this.#due || !this.#board.comparing);
  /** The rest of a plan that was put off or stopped; null if there is none. */
  readonly gap: { readonly pages: number; readonly money: number } | null = $derived.by(() => {
    const remaining = this.run.phase === 'cancelled' ? remainingOf(this.run) : null;
    return remaining && remaining.pages > 0 ? remaining : null;
  });

  /** True if the counts of an earlier period will not change by what is loading. */
  #isFinal(i: number): boolean {
    return !this.pending && !this.earlierRuns[i]?.outdated;
  }

  #before(i: number): Before | null {
    const { periods, comparing } = this.#board;
    const { table, now } = this.#board.time;
    const { curve, noise } = this;
    const period = periods[i];
    const earlier = this.#past[i]?.earlier;
    const was = this.#isFinal(i) ? earlier?.curve : null;
    return comparing &&
      noise &&
      curve &&
      was &&
      period &&
      coversPeriod(was, period) &&
      curve.counts.length >= period.to
      ? comparing.compareWith(
          curve,
          was,
          period,
          table,
          now,
          { now: this.basis, before: earlier?.basis ?? null },
          noise,
        )
      : null;
  }

  #parse(text: string): Parsed {
    const { id, endpoint } = this.#board.source;
    return parse(text, { product: endpoint, own: id === 'posts' });
  }

  #sound(text: string, parsed: Parsed): boolean {
    const some = this.kind === 'query' && text.trim() !== '';
    return some && parsed.ok && [...text].length <= this.limit;
  }

  /** The committed query, apart from what is being typed; empty if there is none yet. */
  get query(): string {
    return this.#query;
  }

  /** True if its counts are those of a query: loaded here, or from a file that names the query. */
  get queried(): boolean {
    return this.kind === 'query' ? this.#shown !== '' : !!this.fixed?.query && !this.fractions;
  }

  /** True if its values are fractions rather than counts. */
  get fractions(): boolean {
    return this.#given.fractions?.() ?? this.#isFractional;
  }

  /** The query whose counts are shown; set when a query loads. */
  get shown(): string {
    return this.#given.describe?.() ?? this.#shown;
  }

  constructor(id: number, number: number, from: ViewSeries, given: Given, board: SeriesContext) {
    this.id = id;
    this.kind = given.kind;
    this.formula = given.formula ?? null;
    this.fixed = given.fixed ?? null;
    this.#isFractional =
      this.fixed?.counts.some((count) => !Number.isNaN(count) && !Number.isInteger(count)) ?? false;
    this.number = number;
    this.run = given.run();
    this.#extra = extraRuns(given.run);
    this.#board = board;
    this.#given = given;
    if (given.kind !== 'query') this.#shown = given.kind;
    this.text = from.query;
    this.#query = from.query;
    this.hidden = from.hidden;
    this.takeName(from);
  }

  /** Its name; empty if the query serves as the name. A label made for another query does not count. */
  get label(): string {
    const of = this.#labelFor;
    return of === null || of === (this.#query || this.text).trim() ? this.#label : '';
  }

  /** Sets a name the user chose: it stays when the query changes. */
  set label(label: string) {
    this.#label = label;
    this.#labelFor = null;
  }

  /** Takes the name from a view; a name equal to the query counts as no name, so it follows the query. */
  takeName({ label, query, typed, derived }: ViewSeries): void {
    const of = (query || (typed ?? '')).trim();
    const follows = this.kind === 'query';
    this.label = follows && label.trim() === of ? '' : label;
    if (follows && (derived ?? isDerived(label, of))) this.#labelFor = of;
  }

  /** The curve if it has these buckets: while another range loads, the curve is still the old one. */
  curveOf(bounds: Float64Array): Curve | null {
    const { curve } = this;
    return curve && sameBuckets(curve, { bounds }) ? curve : null;
  }

  /** Its counts in any buckets of the whole range; null until they are known. */
  curveBy(bounds: Float64Array, cut: Cut): Curve | null {
    if (this.#given.by) return this.#given.by(bounds, cut);
    const known = this.#shown ? [this.run.curve, this.fine?.curve] : [];
    return known.find((curve) => curve && sameBuckets(curve, { bounds })) ?? null;
  }

  /** Makes the typed text its query. @returns Whether it can be counted. */
  commit(): boolean {
    if (!this.valid) return false;
    if (this.edited) this.#query = this.text.trim();
    return true;
  }

  /** Drops what was typed since the last {@link commit}. */
  revert(): void {
    this.text = this.#query;
  }

  /**
   * Loads a need unless it was the last one loaded; `again` loads even then, and fetches fresh newest counts too.
   *
   * @returns Resolves when the run ends, whether it succeeds or not.
   */
  ask(need: BoardNeed | null, again = false): Promise<void> {
    if (!need || this.kind !== 'query') return this.#loading;
    if (!this.countable) {
      // Another source or endpoint may not accept a query counted before: its counts do not apply there.
      if (this.#shown !== '') this.dispose();
      this.#shown = '';
      return this.#loading;
    }
    const query = this.#query.trim();
    const key = keyOf(query, need);
    // A need that failed because the service was offline loads again.
    if (key === this.#asked && !again && !this.run.offline) return this.#loading;
    this.#asked = key;
    this.#shown = query;
    this.#loading = again ? this.run.refresh({ ...need, query }) : this.run.ask({ ...need, query });
    return this.#loading;
  }

  /** Loads what is missing even if the same need was loaded before; fresh counts are not fetched again. */
  fill(need: BoardNeed | null): Promise<void> {
    this.#asked = '';
    return this.ask(need);
  }

  /** The run of the zoom in finer buckets; null until there was one. */
  get detail(): Run | null {
    return this.#ofThis(this.#extra.detail[0]);
  }

  /** The run of the latest earlier period; null until there was one. */
  get earlier(): Run | null {
    return this.earlierRuns[0] ?? null;
  }

  /** The runs of the earlier periods, as far as there are any. */
  get earlierRuns(): readonly (Run | null)[] {
    return this.#board.periods.map((_, i) => this.#ofThis(this.#extra.earlier[i]));
  }

  /** The run of the range in the finer buckets a tab shows; null until there was one. */
  get fine(): Run | null {
    return this.#ofThis(this.#extra.fine[0]);
  }

  /** An extra run, if it already belongs to the same query and source. */
  #ofThis(side: SideRun | undefined): Run | null {
    const run = side?.run;
    return run && run.key === this.run.key ? run : null;
  }

  /** All its runs of its query. */
  get runs(): Run[] {
    const extra = Object.values(this.#extra).flat();
    return [this.run, ...extra.flatMap((side) => this.#ofThis(side) ?? [])];
  }

  /** Loaded counts in finer buckets, for the projection of an unfinished one. */
  get finer(): Curve[] {
    const runs = [this.#ofThis(this.#extra.pace[0]), this.fine];
    return [...runs.map((run) => run?.curve), this.basis?.curve].filter((curve) => !!curve);
  }

  /** Resolves when the last load ends, whether it succeeds or not. */
  get asked(): Promise<void> {
    return this.#loading;
  }

  /**
   * Loads the extra needs, once the series' main need is met: those of one kind one after the other, the kinds of a
   * round at once.
   *
   * @param needs - Called before each round: finer counts of a zoom change its earlier periods.
   * @param again - Loads even what was loaded last.
   */
  async loadExtra(
    needs: (which: ExtraKind) => readonly ExtraNeed[],
    again: boolean,
  ): Promise<void> {
    const round = ++this.#round;
    if (this.kind !== 'query') return;
    this.#due = true;
    await this.#loading;
    const isReady = (): boolean =>
      round === this.#round && this.run.phase === 'done' && this.#shown !== '';
    const load = async (which: ExtraKind): Promise<void> => {
      for (const [i, extra] of needs(which).entries()) {
        if (!isReady()) return;
        await this.#extra[which][i]?.load(this.#shown, extra, again);
      }
    };
    for (const kinds of EXTRA_ROUNDS) if (isReady()) await Promise.all(kinds.map(load));
    if (round === this.#round) this.#due = false;
  }

  /** As the address holds it. */
  view(): ViewSeries {
    const [query, label] = [this.#query, this.label.trim()];
    const derived = label !== '' && this.#labelFor !== null && !isDerived(label, query);
    return { query, label, ...(derived && { derived }), hidden: this.hidden };
  }

  /** Releases everything it holds; it can load again. */
  dispose(): void {
    this.#asked = '';
    this.run.dispose();
    this.#round += 1;
    this.#due = false;
    for (const extra of Object.values(this.#extra).flat()) extra.dispose();
  }
}
