import type { Access, CountsEndpoint } from '#contract/counts.ts';
import { hasArchive, type PlatformAnswer } from '#contract/platform.ts';
import type { SourceId } from '#contract/source.ts';
import { PlanGate } from '#app/counts/gate.svelte.ts';
import { policyOf } from '#app/counts/policy.ts';
import type { Need } from '#app/counts/run.svelte.ts';
import { firstAfter } from '#app/chart/line.ts';
import type { Preset } from '#core/time/preset.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { Frame } from './frame.svelte.ts';
import { aboutBuckets, typedRange, type ViewRange } from './range.ts';
import { BoardSeries } from './series.svelte.ts';
import { formatView, type Tab, type View, type ViewSeries } from './view.ts';
import { SAMPLE_SERIES, type BoardDeps } from './world.ts';

/** A pause in typing after which a valid query is asked. */
const TYPING_MS = 700;

/** The board: one view of one source, and the series on it. */
export class Board extends Frame {
  readonly #deps: BoardDeps;
  #ids = 1;
  #typing = 0;
  /** The view of a first visit, as text. */
  #first = $state('');

  /** Why {@link sources} could not be had, where it never could. */
  sourcesFault = $state.raw<Error | null>(null);
  offline = $state(false);
  /** Terms, caps and sums of the platform; null without one, and until they are known. */
  platform = $state.raw<PlatformAnswer | null>(null);
  /** Whether the user or the address chose the source. */
  sourceChosen = $state(false);
  /** Where runs wait with plans that are more than a handful of pages. */
  readonly gate = new PlanGate();
  /** Whether minutes are bought where hours would do. */
  minutes = $state(false);
  #endpoint = $state<CountsEndpoint>('all');
  /** The service's own dashboard reads own posts without limit; the platform by what its token may. */
  readonly access: Access = $derived.by(() =>
    this.sourceId === 'platform' && this.platform ? this.platform.settings.access : 'enterprise',
  );
  /** Whether the platform's token reaches the last seven days alone. */
  readonly recentOnly = $derived.by(() => !hasArchive(this.access));
  readonly endpoint: CountsEndpoint = $derived.by(() =>
    this.recentOnly ? 'recent' : this.#endpoint,
  );
  tab = $state<Tab>('summary');
  series = $state.raw<readonly BoardSeries[]>([]);
  selected = $state<number | null>(null);
  /** Sentences about an address that could not be read whole. */
  problems = $state.raw<readonly string[]>([]);
  readonly visible = $derived.by(() => this.series.filter((one) => !one.hidden));
  readonly shownOffline = $derived.by(
    () => this.offline || this.series.some((one) => one.run.offline),
  );
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

  constructor(deps: BoardDeps) {
    super();
    this.#deps = deps;
    this.zone = deps.zone;
    this.weekStart = deps.weekStart;
    this.now = deps.now();
  }

  /** Reads what there is to count from, again where it was read before; then asks what changed by it. */
  async loadSources(): Promise<void> {
    try {
      const { sources, offline } = await this.#deps.sources();
      this.sources = sources;
      this.offline = offline;
      this.sourcesFault = null;
    } catch (error) {
      this.offline = true;
      this.sourcesFault = error instanceof Error ? error : new Error(String(error));
      return;
    }
    await this.loadPlatform();
    const posts = this.sources?.find((source) => source.id === 'posts')?.posts ?? 0;
    const untouched = this.untouched && this.sourceId === 'sample' && posts > 0;
    if (!this.sourceChosen && (this.series.length === 0 || untouched)) this.#begin();
    else if (this.sourceId === 'posts' && this.series.length === 0 && posts > 0) this.add();
    else this.askAll();
  }

  /** Reads the platform's settings anew where there is a platform; what was known stays where they cannot be had. */
  async loadPlatform(): Promise<void> {
    if (!this.sources?.some((source) => source.id === 'platform')) this.platform = null;
    else this.platform = await this.#deps.platform().catch(() => this.platform);
  }

  /** A first visit: Your posts where there are any, else the sample with its topics. */
  #begin(): void {
    const posts = this.sources?.find((source) => source.id === 'posts')?.posts ?? 0;
    this.#clear();
    this.#open(posts > 0 ? 'posts' : 'sample');
    this.#first = formatView(this.view());
  }

  #clear(): void {
    for (const one of this.series) one.run.dispose();
    this.series = [];
    this.chosenResolution = null;
  }

  #open(source: SourceId): void {
    this.sourceId = source;
    this.zoom = null;
    if (source === 'sample') {
      this.range = { preset: '3y' };
      if (this.series.length === 0) {
        this.#addAll(SAMPLE_SERIES);
        this.chosenResolution = 'week';
      }
    } else {
      this.range = { preset: source === 'platform' ? this.#cheapRange() : 'all' };
      if (this.series.length === 0 && this.source && this.source.posts !== 0) this.add();
    }
    this.look();
  }

  /** As much of the platform as one request a query tells. */
  #cheapRange(): Preset {
    return this.platform?.settings.access === 'self-service' ? '7d' : '30d';
  }

  /** Shows another source: the queries stay, unless they are only those of the sample as they came. */
  chooseSource(source: SourceId): void {
    this.sourceChosen = true;
    const untouched =
      this.series.length === SAMPLE_SERIES.length &&
      this.series.every((one, i) => one.text === SAMPLE_SERIES[i]?.query);
    if (untouched || this.series.every((one) => one.text.trim() === '')) {
      this.#clear();
    }
    this.#open(source);
  }

  /** Moves now on and asks what that makes due. */
  look(): void {
    this.now = this.#deps.now();
    this.askAll();
  }

  /** Asks the newest counts again, though they may be fresh. */
  refresh(): void {
    this.now = this.#deps.now();
    this.askAll(true);
  }

  #need(): Omit<Need, 'query'> | null {
    const { source, asked: span, resolution, zone, weekStart, endpoint, minutes } = this;
    if (!source || source.posts === 0) return null;
    const policy = policyOf(source.id, this.platform);
    const focus = (): Span | null => this.zoom;
    return { source, span, resolution, zone, weekStart, endpoint, policy, minutes, focus };
  }

  askAll(again = false): void {
    const need = this.#need();
    for (const one of this.series) one.ask(need, again);
  }

  chooseRange(range: ViewRange): void {
    this.range = range;
    this.zoom = null;
    this.now = this.#deps.now();
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

  chooseResolution(resolution: Resolution): void {
    this.chosenResolution = resolution;
    this.look();
  }

  /** Makes a window of the picture the range, in a finer resolution. */
  narrow(window: Span, resolution: Resolution): void {
    // Whole buckets of what is shown now, so that a zoom over some days becomes those days.
    const first = firstAfter(this.bounds, window.start);
    const last = firstAfter(this.bounds, window.end - 1);
    const [start = window.start, end = window.end] = [this.bounds[first], this.bounds[last + 1]];
    this.range = this.rangeText({ start, end: Math.min(end, Math.max(this.now, window.end)) });
    this.chosenResolution = resolution;
    this.zoom = null;
    this.look();
  }

  chooseZone(zone: string): void {
    this.zone = zone;
    this.look();
  }

  chooseEndpoint(endpoint: CountsEndpoint): void {
    this.#endpoint = endpoint;
    if (endpoint === 'recent' && this.span.start < this.#deps.now() - 8 * DAY_MS) {
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

  #addAll(list: readonly ViewSeries[]): BoardSeries[] {
    const taken = new Set(this.series.map((one) => one.number));
    const added = list.map((from) => {
      let number = 0;
      while (taken.has(number)) number += 1;
      taken.add(number);
      const run = this.#deps.run(() => one.name, this.gate);
      const one = new BoardSeries(this.#ids++, number, from, run, this);
      return one;
    });
    this.series = [...this.series, ...added];
    return added;
  }

  /** Adds a query, or goes to the one that is still empty. */
  add(from: ViewSeries = { query: '', label: '', hidden: false }): BoardSeries {
    const empty = this.series.find((one) => one.text.trim() === '');
    const one = from.query === '' && empty ? empty : this.#addAll([from])[0];
    if (!one) throw new RangeError('expected one series, got none');
    this.selected = one.id;
    one.ask(this.#need());
    return one;
  }

  /** Puts many queries on the board, the first in the place of `at` where that is empty. */
  paste(lines: readonly string[], at?: BoardSeries): void {
    const rest = [...lines];
    if (at && at.text.trim() === '') {
      at.text = rest.shift() ?? '';
      at.ask(this.#need());
    }
    for (const one of this.#addAll(rest.map((query) => ({ query, label: '', hidden: false })))) {
      one.ask(this.#need());
    }
    this.selected = null;
  }

  /** Takes what was typed; a pause asks it. */
  type(one: BoardSeries, text: string): void {
    one.text = text;
    const typing = ++this.#typing;
    this.#deps.later(() => {
      if (typing === this.#typing) this.commit(one);
    }, TYPING_MS);
  }

  commit(one: BoardSeries): void {
    one.ask(this.#need());
  }

  retry(one: BoardSeries): void {
    one.ask(this.#need(), true);
  }

  /** Asks what a series lacks, without asking again what is fresh. */
  fill(one: BoardSeries): void {
    one.fill(this.#need());
  }

  duplicate(one: BoardSeries): void {
    this.add({ query: one.text, label: one.label ? `${one.label} copy` : '', hidden: false });
  }

  /** Takes a series off the board. @returns What puts it back where it was. */
  remove(one: BoardSeries): () => void {
    const place = this.series.indexOf(one);
    one.run.dispose();
    this.series = this.series.filter((other) => other !== one);
    if (this.selected === one.id) this.selected = null;
    return () => {
      this.series = this.series.toSpliced(place, 0, one);
      one.ask(this.#need(), true);
    };
  }

  /** Shows one series alone, or all again where it is alone already. */
  solo(one: BoardSeries): void {
    const alone = !one.hidden && this.series.every((other) => other === one || other.hidden);
    for (const other of this.series) other.hidden = !alone && other !== one;
  }

  /** The view as it stands, for the address. */
  view(): View {
    return {
      source: this.sourceId,
      range: this.range,
      zone: this.zone,
      ...(this.chosenResolution && { resolution: this.chosenResolution }),
      ...(this.#endpoint === 'recent' && { endpoint: this.#endpoint }),
      ...(this.weekStart !== this.#deps.weekStart && { weekStart: this.weekStart }),
      ...(this.zoom && { zoom: this.zoom }),
      ...(this.tab !== 'summary' && { tab: this.tab }),
      series: this.series.filter((one) => one.text.trim() !== '').map((one) => one.view()),
    };
  }

  /** Takes a view over: series whose query stands already keep their counts. */
  apply(view: View, problems: readonly string[]): void {
    this.problems = problems;
    if (view.source) {
      this.sourceId = view.source;
      this.sourceChosen = true;
    }
    this.now = this.#deps.now();
    this.zone = view.zone ?? this.#deps.zone;
    this.range = this.#readable(view.range) ?? { preset: view.source === 'posts' ? 'all' : '3y' };
    this.chosenResolution = view.resolution ?? null;
    this.#endpoint = view.endpoint ?? 'all';
    this.weekStart = view.weekStart ?? this.#deps.weekStart;
    this.zoom = view.zoom ?? null;
    if (view.zoom && !this.zoom) {
      this.problems = [...this.problems, 'The zoom lies outside the range.'];
    }
    this.tab = view.tab ?? 'summary';
    const before = [...this.series];
    const kept = (view.series ?? []).map((from) => {
      const at = before.findIndex((one) => one.text === from.query);
      return { from, one: at < 0 ? undefined : before.splice(at, 1)[0] };
    });
    for (const gone of before) gone.run.dispose();
    this.series = kept.flatMap(({ one }) => (one ? [one] : []));
    const fresh = this.#addAll(kept.flatMap(({ from, one }) => (one ? [] : [from])));
    this.series = kept.flatMap(({ from, one }) => {
      const here = one ?? fresh.shift();
      if (here) [here.label, here.hidden] = [from.label, from.hidden];
      return here ? [here] : [];
    });
    if (!this.series.some((one) => one.id === this.selected)) this.selected = null;
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
