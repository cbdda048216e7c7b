import { END_LAG_MS } from '#contract/counts/counts.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import type { Foreign, Need } from '#app/counts/need.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { usd } from '#core/counts/price.ts';
import type { Comparison, Trend } from '#app/chart/draw/form.ts';
import { basisUnit } from '#core/series/basis.ts';
import type { KnownCauses } from '#app/insight/peaks/peaks-found.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import type { Preset } from '#core/time/presets.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { detailShown, finer, type ShownBuckets } from './zoom-resolution.ts';
import { comparedOf, type ChosenSpan, type ComparedPeriod } from './comparison.ts';
import { SideRuns } from './side-runs.svelte.ts';
import type { BoardNeed } from './need-key.ts';
import { ChartSettings } from './chart-settings.svelte.ts';
import { aboutBuckets, typedRange, type ViewRange } from '#core/time/range.ts';
import type { BoardSeries, SeriesContext } from './series.svelte.ts';
import { SeriesList } from './series-list.svelte.ts';
import { OwnViews } from './own-views.ts';
import { BoardSource } from './source-state.svelte.ts';
import { TimeWindow } from './time-window.svelte.ts';
import { formatView, type Tab, type View } from './view.ts';
import { ALL_POSTS, SAMPLE_SERIES, type BoardOptions } from './board-options.ts';

/** The pause in typing after which a valid query loads, and in zooming after which finer buckets load; ms. */
const TYPING_MS = 700;
const RESTING_MS = 160;

/** The needs that follow a series' own, in a plan. */
const LATER = {
  detail: 'zoom',
  earlier: 'earlier period',
  fine: 'finer buckets',
  pace: 'last hours',
  history: 'earlier weeks',
} as const;

/** The board: one view of one source, and the series on it. */
export class Board {
  readonly #options: BoardOptions;
  readonly #own: OwnViews;
  #typing = 0;
  #zooming = 0;
  /** The view of a first visit, as the address would hold it. */
  #first = $state('');

  readonly source: BoardSource;
  readonly time: TimeWindow;
  readonly series: SeriesList;
  readonly chart = new ChartSettings();
  /** Extra runs next to those of the range: for a zoom, earlier periods or a tab. */
  readonly runs: SideRuns;
  /** True to buy minutes where hours would do. */
  minutes = $state(false);
  /** True if the newest counts refresh by themselves. */
  live = $state(false);
  /** True while an import of this page adds Posts to the source. */
  growing = $state(false);
  /** The span that the drawer explains, and its series; null while it is closed. */
  picked = $state.raw<{ readonly span: Span; readonly of: number } | null>(null);
  tab = $state<Tab>('summary');
  /** Id of the series whose related words the discover tab shows; null for what rises. */
  related = $state<number | null>(null);
  /** True if there are events; set by their owner. */
  hasEvents: () => boolean = () => false;
  /** One sentence for each part of the address that could not be read. */
  problems = $state.raw<readonly string[]>([]);
  /** Compares a curve with an earlier one; null until that code has loaded, after the first curve. */
  comparing = $state.raw<SeriesContext['comparing']>(null);
  /** Finds a chosen period to compare with; null until that code has loaded, after the first curve. */
  chosenSpan = $state.raw<ChosenSpan | null>(null);
  /** The causes of its peaks; null until their code has loaded, after the first curve. */
  causes = $state.raw<KnownCauses | null>(null);
  /** True if this is still the board of a first visit, which the user's own posts may replace. */
  readonly untouched = $derived.by(
    () => this.#first !== '' && !this.source.chosen && formatView(this.view()) === this.#first,
  );
  /** True if there is a view: a first visit has none until the sources are known. */
  readonly begun = $derived.by(
    () => this.#first !== '' || this.source.chosen || this.series.all.length > 0,
  );
  /** Counts requests this view sent; 0 if everything came from the cache. */
  readonly requests = $derived.by(() =>
    this.series.all.reduce((sum, series) => sum + series.run.requests, 0),
  );
  readonly offline = $derived.by(
    () => this.source.offline || this.series.all.some((series) => series.run.offline),
  );
  /** Finer buckets by which the zoom is shown; null while it is shown by those of the range. */
  readonly shownDetail: ShownBuckets | null = $derived.by(() => {
    const { zoom, fine, now, rangeResolution } = this.time;
    if (!zoom || fine === 'off') return null;
    const curves = this.series.queries.map((series) => series.detail?.curve ?? null);
    return detailShown(curves, zoom, now, rangeResolution);
  });
  /** The earlier periods the view is compared with, the latest first. */
  readonly periods: readonly ComparedPeriod[] = $derived.by(() =>
    this.comparedBy(this.chart.comparison),
  );

  /** The latest of the earlier periods, from which changes are computed; null if there is none. */
  get compared(): ComparedPeriod | null {
    return this.periods[0] ?? null;
  }

  /** The periods of a comparison, the latest first. */
  comparedBy(comparison: Comparison): ComparedPeriod[] {
    const { edges, asked: range, resting: window, rested, resolution, table } = this.time;
    const asked = rested ? null : this.time.asked;
    const priced = policyOf(this.source.id, null).terms !== null;
    const unit = rested ? null : basisUnit(this.time.asked, priced);
    const cut = { edges, range, window, asked, resolution, table, unit };
    return comparedOf(cut, comparison, this.chosenSpan);
  }

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#own = options.ownViews ?? new OwnViews(null);
    this.source = new BoardSource(options);
    this.time = new TimeWindow(this);
    this.series = new SeriesList(options, this);
    this.runs = new SideRuns(this);
    this.time.zone = options.zone;
    this.time.weekStart = options.weekStart;
    this.time.now = this.#knowable();
  }

  /** True if the zoom is drawn with finer buckets than the range. */
  get detailed(): boolean {
    return this.shownDetail !== null;
  }

  /** The time at which the board last loaded, epoch ms. */
  get loadedAt(): number {
    return this.time.now + this.#lag;
  }

  /** Epoch ms. */
  get clock(): number {
    return this.#options.now();
  }

  /** The time that sources do not answer for yet. */
  get #lag(): number {
    return this.live && this.source.id !== 'platform' ? 0 : END_LAG_MS;
  }

  /** The latest time any source can answer for: a bucket that has just begun is not missing yet. */
  #knowable(): number {
    return this.#options.now() - this.#lag;
  }

  /** Reads the sources, then loads what that changes. */
  async loadSources(): Promise<void> {
    const { source, series } = this;
    if (!(await source.read())) return;
    const posts = source.ownPosts;
    const untouched = this.untouched && source.id === 'sample' && posts > 0;
    if (!source.chosen && (series.all.length === 0 || untouched)) this.#begin();
    else {
      if (source.id === 'posts' && series.all.length === 0 && posts > 0) series.addAll([ALL_POSTS]);
      this.#askAll(false);
    }
  }

  /** A first visit shows the user's own posts where there are any, else the sample with its topics. */
  #begin(): void {
    this.#clear();
    this.#open(this.source.ownPosts > 0 ? 'posts' : 'sample');
    this.#first = formatView(this.view());
  }

  #clear(): void {
    for (const series of this.series.all) series.dispose();
    this.series.all = [];
    this.time.chosenResolution = null;
  }

  #open(id: SourceId): void {
    const { source, time, series } = this;
    source.id = id;
    time.zoom = null;
    if (id === 'sample') {
      // The sample covers three years: with one on screen there is an earlier one to compare with.
      time.range = { preset: '1y' };
      if (series.all.length === 0) series.addAll(SAMPLE_SERIES);
    } else {
      time.range = { preset: id === 'platform' ? source.cheapRange() : 'all' };
      if (series.all.length === 0 && source.info && source.info.posts !== 0) {
        if (id === 'posts') series.addAll([ALL_POSTS]);
        else series.add();
      }
    }
    this.#commitTyped();
    this.load();
  }

  /** Turns typed texts into queries where loading costs nothing. */
  #commitTyped(): void {
    if (this.source.id !== 'platform') for (const series of this.series.all) series.commit();
  }

  /** Shows another source. Keeps the queries unless they are the unchanged ones of a first visit. */
  chooseSource(id: SourceId): void {
    this.source.chosen = true;
    if (id === 'platform') this.live = false;
    const foreign = id === 'platform' && this.source.id !== id;
    const { all } = this.series;
    const untouched = [SAMPLE_SERIES, [ALL_POSTS]].some(
      (first) =>
        all.length === first.length &&
        all.every((series, i) => !series.edited && series.query === first[i]?.query),
    );
    if (untouched || all.every((series) => series.blank)) this.#clear();
    if (foreign || id !== 'platform') this.#setForeign(foreign);
    this.#open(id);
  }

  /** Moves the chart's "now" to the clock and loads what is due. */
  load(): void {
    this.time.now = this.#knowable();
    this.askAll();
  }

  /** Fetches the newest counts again, even where they are fresh. */
  refresh(): void {
    this.time.now = this.#knowable();
    this.askAll(true);
  }

  /** True if a series waits for the user to load it, because the view did not come from this user. */
  readonly foreign = $derived.by(() => this.series.all.some((series) => series.foreign));

  #setForeign(foreign: boolean): void {
    for (const series of this.series.all)
      series.foreign = foreign && series.kind === 'query' && !series.blank;
  }

  /** Notes that the view is one of this user's. */
  #noteOwn(): void {
    if (this.source.id === 'platform' && !this.foreign) this.#own.add(this.view());
  }

  /** The origin of a series' needs, if it is not this user. */
  #foreignOf(series: BoardSeries): Foreign {
    return {
      get waits() {
        return series.foreign;
      },
      load: () => {
        series.foreign = false;
        this.#noteOwn();
      },
      later: () => {
        const need = this.need();
        const query = series.query.trim();
        const extra = need ? this.runs.asked(series, need) : [];
        return extra.map(({ which, need }) => ({ what: LATER[which], need: { ...need, query } }));
      },
    };
  }

  /** The need of a series, or of all; null while there is no source. */
  need(series?: BoardSeries): BoardNeed | null {
    const { asked: span, zone, weekStart, exact, rangeResolution: resolution } = this.time;
    const { info: source, endpoint, platform } = this.source;
    if (!source || source.posts === 0) return null;
    const { minutes } = this;
    const policy = policyOf(source.id, platform);
    const focus = (): Span | null => this.time.zoom;
    const foreign = series?.foreign ? { foreign: this.#foreignOf(series) } : {};
    const need = { source, span, resolution, zone, weekStart, exact, endpoint, policy, minutes };
    return { ...need, focus, ...foreign };
  }

  /** The tabs below the chart. The table and events are there while chosen, events and the ledger where there are any. */
  get tabs(): readonly Tab[] {
    return [
      'summary',
      'peaks',
      'discover',
      this.tab === 'calendar' ? 'calendar' : 'heat',
      ...(this.hasEvents() || this.tab === 'events' ? (['events'] as const) : []),
      ...(this.tab === 'table' ? (['table'] as const) : []),
      ...(this.source.id === 'platform' ? (['ledger'] as const) : []),
    ];
  }

  /** Opens the tab after the open one. */
  nextTab(): void {
    const open = Math.max(0, this.tabs.indexOf(this.tab));
    this.chooseTab(this.tabs[(open + 1) % this.tabs.length] ?? 'summary');
  }

  /** Opens a tab and loads what it needs in addition to the chart's counts. */
  chooseTab(tab: Tab): void {
    this.tab = tab;
    if (this.runs.fineResolution) this.runs.all();
  }

  /** Asks a series for what it needs, and its side runs. */
  ask(series: BoardSeries, again = false): void {
    this.#noteOwn();
    this.#ask(series, again);
  }

  #ask(series: BoardSeries, again: boolean): void {
    const need = this.need(series);
    void series.ask(need, again);
    this.runs.at(series, need, again);
  }

  /** Loads what every series needs, as an act of the user. */
  askAll(again = false): void {
    this.#askAll(true, again);
  }

  /** @param act - Whether the user acts; else the requests without approval count as those of the last act. */
  #askAll(act: boolean, again = false): void {
    if (act) this.series.approval.renew();
    this.#noteOwn();
    for (const series of this.series.all) this.#ask(series, again);
  }

  /** Fetches the newest counts of finished series; a stopped or refused series stays as it is. */
  async refreshDone(): Promise<void> {
    this.time.now = this.#knowable();
    const done = this.series.all.filter(
      (series) => series.kind === 'query' && series.run.phase === 'done',
    );
    this.#noteOwn();
    for (const series of done) this.#ask(series, true);
    await Promise.all(done.map((series) => series.asked));
  }

  /** Loads finer buckets once the zoom rests. */
  zoomed(): void {
    const zooming = ++this.#zooming;
    this.#options.later(() => {
      if (zooming !== this.#zooming) return;
      this.time.rest();
      this.#noteOwn();
      this.runs.all();
    }, RESTING_MS);
  }

  chooseRange(range: ViewRange): void {
    const { time } = this;
    time.range = range;
    time.zoom = null;
    time.now = this.#knowable();
    const chosen = time.chosenResolution;
    if (chosen) {
      const buckets = aboutBuckets(time.span, chosen);
      if (buckets < 3 || buckets > 50_000) time.chosenResolution = null;
    }
    this.askAll();
  }

  choosePreset(preset: Preset): void {
    this.chooseRange({ preset });
  }

  /**
   * Sets the resolution of the zoom if it is finer than the range's, otherwise that of the range.
   *
   * @param resolution - Null for the ones that fit.
   */
  chooseResolution(resolution: Resolution | null): void {
    const { time } = this;
    if (!resolution) {
      time.chosenResolution = null;
      time.fine = 'auto';
    } else if (time.zoom && finer(resolution, time.rangeResolution)) time.fine = resolution;
    else {
      if (time.zoom) time.fine = 'off';
      time.chosenResolution = resolution;
    }
    this.load();
  }

  chooseComparison(comparison: Comparison): void {
    this.chart.comparison = comparison;
    this.load();
  }

  chooseZone(zone: string): void {
    this.time.zone = zone;
    this.load();
  }

  chooseEndpoint(endpoint: CountsEndpoint): void {
    this.source.chosenEndpoint = endpoint;
    if (endpoint === 'recent' && this.time.span.start < this.#options.now() - 8 * DAY_MS) {
      this.choosePreset('7d');
    } else this.load();
  }

  /** Accepts or declines the offer to buy minutes, then plans again. */
  chooseMinutes(on: boolean): void {
    this.minutes = on;
    this.load();
  }

  chooseWeekStart(weekStart: WeekStart): void {
    this.time.weekStart = weekStart;
    this.load();
  }

  /** Takes typed text. Where loading is free it loads after a pause; otherwise it waits for {@link commit}. */
  type(series: BoardSeries, text: string): void {
    series.text = text;
    const typing = ++this.#typing;
    this.#options.later(() => {
      if (typing === this.#typing) this.leave(series);
    }, TYPING_MS);
  }

  /** Commits a series' typed text where loading is free; on the platform it waits for {@link commit}. */
  leave(series: BoardSeries): void {
    if (this.source.id !== 'platform') this.commit(series);
  }

  /** Turns a series' typed text into its query and loads it, at any cost. */
  commit(series: BoardSeries): void {
    // It may have been removed since it was typed in.
    const typed = series.edited;
    if (!this.series.all.includes(series) || !series.commit()) return;
    if (typed) series.foreign = false;
    this.ask(series);
  }

  /** The needs that {@link commit} would load for a series. */
  loadNeeds(series: BoardSeries): Need[] {
    const need = this.need();
    const query = series.text.trim();
    const extra = need ? this.runs.asked(series, need).map((each) => each.need) : [];
    const needs = need ? [need, ...extra] : [];
    return needs.map((each) => ({ ...each, query }));
  }

  /**
   * The price of a series' needs after what the cache already holds, in USD.
   *
   * @throws {Fault} if the cache cannot be read.
   * @throws The signal's reason when aborted.
   */
  async price(series: BoardSeries, needs: readonly Need[], signal: AbortSignal): Promise<number> {
    const plans = await Promise.all(needs.map((need) => series.run.quote(need, signal)));
    return usd(plans.reduce((sum, plan) => sum + (plan?.money ?? 0), 0));
  }

  retry(series: BoardSeries): void {
    this.ask(series, true);
  }

  /** Loads what a series and its side runs lack, not what is fresh. */
  fill(series: BoardSeries): void {
    const need = this.need(series);
    void series.fill(need);
    this.runs.at(series, need, true);
  }

  /** The trend for the address, which identifies series by position, not by id. */
  #trendView(): Trend | null {
    const { trend } = this.chart;
    if (trend.kind !== 'per') return trend.kind === 'none' ? null : trend;
    const of = this.series.placeOf(trend.of);
    return of > 0 ? { kind: 'per', of } : null;
  }

  /** The view for the address. */
  view(): View {
    const { picked, time, source } = this;
    const series = this.series.views();
    const of = picked && this.series.placeOf(picked.of);
    const trend = this.#trendView();
    return {
      source: source.id,
      range: time.range,
      zone: time.zone,
      ...(time.chosenResolution && { resolution: time.chosenResolution }),
      ...(source.chosenEndpoint === 'recent' && { endpoint: source.chosenEndpoint }),
      weekStart: time.weekStart,
      ...(time.zoom && { zoom: time.zoom }),
      ...(time.zoom && time.fine !== 'auto' && { fine: time.fine }),
      ...this.chart.view(),
      ...(trend && { trend }),
      ...(this.live && { live: true }),
      ...(this.tab !== 'summary' && { tab: this.tab }),
      ...(picked && of && { picked: { span: picked.span, of } }),
      series,
    };
  }

  /**
   * Shows a view. A series whose query is unchanged keeps its counts.
   *
   * @param carried - Series from a file, by the position they take in the view, 0-based.
   */
  apply(
    view: View,
    problems: readonly string[],
    carried: ReadonlyMap<number, FixedSeries> | null = null,
  ): void {
    const { time, source, series, chart } = this;
    this.problems = problems;
    if (view.source) {
      source.id = view.source;
      source.chosen = true;
    }
    // Until the view is complete, nothing of it is noted as the user's.
    this.#setForeign(source.id === 'platform');
    time.now = this.#knowable();
    time.zone = view.zone ?? this.#options.zone;
    time.range = this.#readable(view.range) ?? { preset: view.source === 'posts' ? 'all' : '3y' };
    time.chosenResolution = view.resolution ?? null;
    source.chosenEndpoint = view.endpoint ?? 'all';
    time.weekStart = view.weekStart ?? this.#options.weekStart;
    time.zoom = view.zoom ?? null;
    if (view.zoom && !time.zoom) {
      this.problems = [...this.problems, 'The zoom is outside the range.'];
    }
    time.fine = (time.zoom && view.fine) ?? 'auto';
    time.rest();
    chart.apply(view);
    // A link or a saved board must never spend money: on the platform only the user turns this on.
    this.live = view.live === true && source.id !== 'platform';
    this.tab = view.tab ?? 'summary';
    series.set(view.series ?? [], carried);
    this.#commitTyped();
    if (view.trend?.kind === 'per') {
      const base = series.idAt(view.trend.of);
      chart.trend = base === undefined ? { kind: 'none' } : { kind: 'per', of: base };
    }
    const of = view.picked && series.idAt(view.picked.of);
    this.picked = view.picked && of !== undefined ? { span: view.picked.span, of } : null;
    this.#setForeign(source.id === 'platform' && !this.#own.has(this.view()));
    time.now = this.#knowable();
    this.#askAll(false);
  }

  /** The range if it can be counted; otherwise null, with the reason added to the problems. */
  #readable(range: ViewRange | undefined): ViewRange | null {
    if (!range || 'preset' in range) return range ?? null;
    const typed = typedRange(range.from, range.to, this.time.table, this.time.now);
    if (typed.ok) return range;
    const why = [typed.from, typed.to].filter(Boolean).join(' ');
    this.problems = [...this.problems, `The range ${range.from} to ${range.to}: ${why}`];
    return null;
  }
}
