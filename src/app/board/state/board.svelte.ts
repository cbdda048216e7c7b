import { END_LAG_MS, type CountsEndpoint } from '#contract/counts.ts';
import type { SourceId } from '#contract/source.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import type { Need } from '#app/counts/bucket-layout.ts';
import { usd } from '#core/counts/price.ts';
import type { Comparison, Trend } from '#app/chart/form.ts';
import { basisUnit } from '#core/series/basis.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import type { Preset } from '#core/time/presets.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { detailShown, finer, type Shown } from './zoom-resolution.ts';
import { comparedOf, type ComparedPeriod } from './comparison.ts';
import { SideRuns } from './side-runs.svelte.ts';
import type { BoardNeed } from './need-key.ts';
import { ChartSettings } from './chart-settings.svelte.ts';
import { aboutBuckets, typedRange, type ViewRange } from './range.ts';
import type { BoardSeries, SeriesContext } from './series.svelte.ts';
import { SourceState } from './source-state.svelte.ts';
import { formatView, type Tab, type View } from './view.ts';
import { SAMPLE_SERIES, type BoardOptions } from './board-options.ts';

/** A pause in typing after which a valid query is asked, and in zooming after which finer buckets are. */
const TYPING_MS = 700;
const RESTING_MS = 160;

/** The board: one view of one source, and the series on it. */
export class Board extends SourceState {
  #typing = 0;
  #zooming = 0;
  /** The view of a first visit, as text. */
  #first = $state('');

  /** Whether minutes are bought where hours would do. */
  minutes = $state(false);
  /** How it is drawn. */
  readonly picture = new ChartSettings();
  /** Whether the newest counts are asked again and again. */
  live = $state(false);
  /** The stretch that the drawer tells of, and its series; null where it is closed. */
  picked = $state.raw<{ readonly span: Span; readonly of: number } | null>(null);
  tab = $state<Tab>('summary');
  /** What it has counted beside its range. */
  readonly looks = new SideRuns(this);
  /** Sentences about an address that could not be read whole. */
  problems = $state.raw<readonly string[]>([]);
  /** Whether this is a first visit's board as it came: no address holds it, so that posts can take its place. */
  readonly untouched = $derived.by(
    () => this.#first !== '' && !this.sourceChosen && formatView(this.view()) === this.#first,
  );
  /** Whether there is a view: a first visit has none until it is known what there is to count from. */
  readonly begun = $derived.by(
    () => this.#first !== '' || this.sourceChosen || this.series.length > 0,
  );
  /** Counts requests that this view took; none where all was kept here. */
  readonly requests = $derived.by(() =>
    this.series.reduce((sum, one) => sum + one.run.requests, 0),
  );

  readonly #shownDetail: Shown | null = $derived.by(() => {
    const { zoom, fine, now } = this;
    if (!zoom || fine === 'off') return null;
    const asked = this.series.filter((one) => one.kind === 'query' && one.shown !== '');
    const curves = asked.map((one) => one.detail?.curve ?? null);
    return detailShown(curves, zoom, now, this.rangeResolution);
  });
  /** Whether the part that is looked at is shown by buckets of its own. */
  readonly detailed = $derived.by(() => this.#shownDetail !== null);
  /** The time that what is looked at is held against; null where there was none. */
  compareWith = $state.raw<SeriesContext['compareWith']>(null);
  readonly compared: ComparedPeriod | null = $derived.by(() => {
    const { edges, resting: window, rested, resolution, table } = this;
    const asked = rested ? null : this.asked;
    const priced = policyOf(this.sourceId, null).terms !== null;
    const unit = rested ? null : basisUnit(this.asked, priced);
    return comparedOf({ edges, window, asked, resolution, table, unit }, this.picture.comparison);
  });

  constructor(deps: BoardOptions) {
    super(deps);
    this.zone = deps.zone;
    this.weekStart = deps.weekStart;
    this.now = this.#knowable();
  }

  /** By the clock, when it looked last. */
  get lookedAt(): number {
    return this.now + END_LAG_MS;
  }

  /** By the clock. */
  get clock(): number {
    return this.deps.now();
  }

  /** As far as any source answers: a bucket that has just begun is not missing yet. */
  #knowable(): number {
    return this.deps.now() - END_LAG_MS;
  }

  /** Reads what there is to count from, again where it was read before; then asks what changed by it. */
  async loadSources(): Promise<void> {
    if (!(await this.readSources())) return;
    const posts = this.held;
    const untouched = this.untouched && this.sourceId === 'sample' && posts > 0;
    if (!this.sourceChosen && (this.series.length === 0 || untouched)) this.#begin();
    else if (this.sourceId === 'posts' && this.series.length === 0 && posts > 0) this.add();
    else this.askAll();
  }

  /** A first visit: Your posts where there are any, else the sample with its topics. */
  #begin(): void {
    this.#clear();
    this.#open(this.held > 0 ? 'posts' : 'sample');
    this.#first = formatView(this.view());
  }

  #clear(): void {
    for (const one of this.series) one.dispose();
    this.series = [];
    this.chosenResolution = null;
  }

  #open(source: SourceId): void {
    this.sourceId = source;
    this.zoom = null;
    if (source === 'sample') {
      // It has three years: one of them has a time before that it can be held against.
      this.range = { preset: '1y' };
      if (this.series.length === 0) this.addAll(SAMPLE_SERIES);
    } else {
      this.range = { preset: source === 'platform' ? this.cheapRange() : 'all' };
      if (this.series.length === 0 && this.source && this.source.posts !== 0) this.add();
    }
    this.#takeTyped();
    this.look();
  }

  /** Makes what is typed the queries, where that costs nothing. */
  #takeTyped(): void {
    if (this.sourceId !== 'platform') for (const one of this.series) one.commit();
  }

  /** Shows another source: the queries stay, unless they are only those of the sample as they came. */
  chooseSource(source: SourceId): void {
    this.sourceChosen = true;
    if (source === 'platform') this.live = false;
    const untouched =
      this.series.length === SAMPLE_SERIES.length &&
      this.series.every((one, i) => !one.edited && one.query === SAMPLE_SERIES[i]?.query);
    const empty = this.series.every((one) => one.blank);
    if (untouched || empty) {
      this.#clear();
    }
    this.#open(source);
  }

  /** Moves now on and asks what that makes due. */
  look(): void {
    this.now = this.#knowable();
    this.askAll();
  }

  /** Asks the newest counts again, though they may be fresh. */
  refresh(): void {
    this.now = this.#knowable();
    this.askAll(true);
  }

  need(): BoardNeed | null {
    const { source, asked: span, zone, weekStart, exact, endpoint, minutes } = this;
    if (!source || source.posts === 0) return null;
    const policy = policyOf(source.id, this.platform);
    const focus = (): Span | null => this.zoom;
    const resolution = this.rangeResolution;
    return { source, span, resolution, zone, weekStart, exact, endpoint, policy, minutes, focus };
  }

  /** Opens a tab, and looks up what it shows beside the chart's counts. */
  chooseTab(tab: Tab): void {
    this.tab = tab;
    if (this.looks.fineResolution) this.looks.all();
  }

  protected askOne(one: BoardSeries, again = false): void {
    const need = this.need();
    void one.ask(need, again);
    this.looks.at(one, need, again);
  }

  askAll(again = false): void {
    this.gate.renew();
    for (const one of this.series) this.askOne(one, again);
  }

  /** Asks the newest counts of the series that are done: what was stopped, put off or refused stays so. */
  async refreshDone(): Promise<void> {
    this.now = this.#knowable();
    const done = this.series.filter((one) => one.kind === 'query' && one.run.phase === 'done');
    for (const one of done) this.askOne(one, true);
    await Promise.all(done.map((one) => one.asked));
  }

  protected override shownDetail(): Shown | null {
    return this.#shownDetail;
  }

  protected override zoomed(): void {
    const zooming = ++this.#zooming;
    this.deps.later(() => {
      if (zooming !== this.#zooming) return;
      this.rest();
      this.looks.all();
    }, RESTING_MS);
  }

  protected override context(): SeriesContext {
    return this;
  }

  chooseRange(range: ViewRange): void {
    this.range = range;
    this.zoom = null;
    this.now = this.#knowable();
    const chosen = this.chosenResolution;
    if (chosen) {
      const buckets = aboutBuckets(this.span, chosen);
      if (buckets < 3 || buckets > 50_000) this.chosenResolution = null;
    }
    this.askAll();
  }

  choosePreset(preset: Preset): void {
    this.chooseRange({ preset });
  }

  /** Cuts what is looked at: the range, or a zoom, which can be cut finer than its range. */
  chooseResolution(resolution: Resolution): void {
    if (this.zoom && finer(resolution, this.rangeResolution)) this.fine = resolution;
    else {
      if (this.zoom) this.fine = 'off';
      this.chosenResolution = resolution;
    }
    this.look();
  }

  /** Has the view held against another earlier time. */
  chooseComparison(comparison: Comparison): void {
    this.picture.comparison = comparison;
    this.look();
  }

  chooseZone(zone: string): void {
    this.zone = zone;
    this.look();
  }

  chooseEndpoint(endpoint: CountsEndpoint): void {
    this.chosenEndpoint = endpoint;
    if (endpoint === 'recent' && this.span.start < this.deps.now() - 8 * DAY_MS) {
      this.choosePreset('7d');
    } else this.look();
  }

  /** Takes or leaves the offer to buy minutes: what waits is planned anew. */
  chooseMinutes(on: boolean): void {
    this.minutes = on;
    this.look();
  }

  chooseWeekStart(weekStart: WeekStart): void {
    this.weekStart = weekStart;
    this.look();
  }

  /** Notes what is typed; a pause asks it where that costs nothing, else it waits for {@link commit}. */
  type(one: BoardSeries, text: string): void {
    one.text = text;
    const typing = ++this.#typing;
    this.deps.later(() => {
      if (typing === this.#typing) this.leave(one);
    }, TYPING_MS);
  }

  /** Takes what was typed in a series, where that costs nothing; on the platform it waits for {@link commit}. */
  leave(one: BoardSeries): void {
    if (this.sourceId !== 'platform') this.commit(one);
  }

  /** Makes what was typed in a series its query and asks it, whatever that costs. */
  commit(one: BoardSeries): void {
    // It may have been removed since it was typed in.
    if (this.series.includes(one) && one.commit()) this.askOne(one);
  }

  /** What {@link commit} would have asked of a series. */
  loadNeeds(one: BoardSeries): Need[] {
    const need = this.need();
    const query = one.text.trim();
    const needs = need ? [need, ...this.looks.asked(one, need)] : [];
    return needs.map((each) => ({ ...each, query }));
  }

  /**
   * What needs of a series would cost by what is known here, USD.
   *
   * @throws {Fault} if the cache cannot be read.
   * @throws The signal's reason when aborted.
   */
  async price(one: BoardSeries, needs: readonly Need[], signal: AbortSignal): Promise<number> {
    const plans = await Promise.all(needs.map((need) => one.run.quote(need, signal)));
    return usd(plans.reduce((sum, plan) => sum + (plan?.money ?? 0), 0));
  }

  retry(one: BoardSeries): void {
    this.askOne(one, true);
  }

  /** Asks what a series lacks, without asking again what is fresh. */
  fill(one: BoardSeries): void {
    void one.fill(this.need());
  }

  /** The trend as the address holds it, which knows places, not ids. */
  #trendView(): Trend | null {
    const { trend } = this.picture;
    if (trend.kind !== 'per') return trend.kind === 'none' ? null : trend;
    const of = this.placeOf(trend.of);
    return of > 0 ? { kind: 'per', of } : null;
  }

  /** The view as it stands, for the address. */
  view(): View {
    const { picked } = this;
    const series = this.viewSeries();
    const of = picked && this.placeOf(picked.of);
    const trend = this.#trendView();
    return {
      source: this.sourceId,
      range: this.range,
      zone: this.zone,
      ...(this.chosenResolution && { resolution: this.chosenResolution }),
      ...(this.chosenEndpoint === 'recent' && { endpoint: this.chosenEndpoint }),
      weekStart: this.weekStart,
      ...(this.zoom && { zoom: this.zoom }),
      ...(this.zoom && this.fine !== 'auto' && { fine: this.fine }),
      ...this.picture.view(),
      ...(trend && { trend }),
      ...(this.live && { live: true }),
      ...(this.tab !== 'summary' && { tab: this.tab }),
      ...(picked && of && { picked: { span: picked.span, of } }),
      series,
    };
  }

  /**
   * Takes a view over: series whose query stands already keep their counts.
   *
   * @param carried - Series of a file that take the places of the view's own, 0-based.
   */
  apply(
    view: View,
    problems: readonly string[],
    carried: ReadonlyMap<number, FixedSeries> | null = null,
  ): void {
    this.problems = problems;
    if (view.source) {
      this.sourceId = view.source;
      this.sourceChosen = true;
    }
    this.now = this.#knowable();
    this.zone = view.zone ?? this.deps.zone;
    this.range = this.#readable(view.range) ?? { preset: view.source === 'posts' ? 'all' : '3y' };
    this.chosenResolution = view.resolution ?? null;
    this.chosenEndpoint = view.endpoint ?? 'all';
    this.weekStart = view.weekStart ?? this.deps.weekStart;
    this.zoom = view.zoom ?? null;
    if (view.zoom && !this.zoom) {
      this.problems = [...this.problems, 'The zoom lies outside the range.'];
    }
    this.fine = (this.zoom && view.fine) ?? 'auto';
    this.rest();
    this.picture.apply(view);
    // A link or a saved board spends nothing by itself: on the platform it is turned on by hand.
    this.live = view.live === true && this.sourceId !== 'platform';
    this.tab = view.tab ?? 'summary';
    this.setSeries(view.series ?? [], carried);
    this.#takeTyped();
    if (view.trend?.kind === 'per') {
      const base = this.idAt(view.trend.of);
      this.picture.trend = base === undefined ? { kind: 'none' } : { kind: 'per', of: base };
    }
    const of = view.picked && this.idAt(view.picked.of);
    this.picked = view.picked && of !== undefined ? { span: view.picked.span, of } : null;
    this.look();
  }

  /** The range if it can be counted; what is wrong with it joins the problems. */
  #readable(range: ViewRange | undefined): ViewRange | null {
    if (!range || 'preset' in range) return range ?? null;
    const typed = typedRange(range.from, range.to, this.table, this.now);
    if (typed.ok) return range;
    const why = [typed.from, typed.to].filter(Boolean).join(' ');
    this.problems = [...this.problems, `The range ${range.from} to ${range.to}: ${why}`];
    return null;
  }
}
