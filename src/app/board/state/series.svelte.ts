import type { Parsed } from '#core/query/ast.ts';
import type { Cut } from '#core/series/rollup.ts';
import { sameBuckets, type Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import { parse } from '#core/query/parse.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import { summarize, type Parts, type Summary } from '#app/insight/summary.ts';
import { seriesStyle, type SeriesStyle } from '#app/ui/series-style.ts';
import { queryLengthLimit, type Access, type CountsEndpoint } from '#contract/counts.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import type { Operation } from '#core/series/combine.ts';
import { BESIDE, SideRun, type Beside, type BesideKind } from './side-run.svelte.ts';
import { keyOf, type BoardNeed } from './need-key.ts';
import { covers, type Before, type ComparedPeriod } from './comparison.ts';
import { leftOf } from './left.ts';
import type { ViewSeries } from './view.ts';
import { isDerived } from './board-options.ts';

/** What a series reads of the board around it. */
export interface SeriesContext {
  readonly endpoint: CountsEndpoint;
  /** What the source lets this page do. */
  readonly access: Access;
  readonly now: number;
  /** The zoom once it rests. */
  readonly rested: Span | null;
  /** Whether the part that is looked at is shown by buckets of its own. */
  readonly detailed: boolean;
  readonly table: ZoneTable;
  /** The time that is held against what is looked at. */
  readonly compared: ComparedPeriod | null;
  /** Lays earlier counts under a curve; null until it is fetched, after the first curve. */
  readonly compareWith: typeof import('./compare-with.ts').compareWith | null;
}

/** What makes a series: a query, two others, or a file. */
export type SeriesKind = 'query' | 'formula' | 'file';

/** What a computed series is computed of, by id. */
export interface Formula {
  readonly operation: Operation;
  readonly a: number;
  readonly b: number;
}

/** What a series is made with. */
export interface Given {
  readonly kind: SeriesKind;
  readonly formula?: Formula;
  /** What was read from a file, where it comes from one. */
  readonly fixed?: FixedSeries;
  /** What is counted, in words, where that is no query of the board's. */
  told?(): string;
  /** What it is computed of, as far as that is known. */
  parts?(): Parts | null;
  /** The same of its basis. */
  basisParts?(): Parts | null;
  /** Of what is computed: whether any of that is no counts. */
  fractions?(): boolean;
  /** Its counts by other buckets than the chart's, where no run tells them; null where they are not known. */
  by?(bounds: Float64Array, cut: Cut): Curve | null;
  /** One more run of it. */
  run(): Run;
}

/** One series on the board: its query as typed, the text that is asked, and what is known of it. */
export class BoardSeries {
  readonly id: number;
  readonly kind: SeriesKind;
  /** Set where it is computed. */
  readonly formula: Formula | null;
  /** Set where it comes from a file. */
  readonly fixed: FixedSeries | null;
  /** Number that its colour, dash and marker come from. */
  number = $state(0);
  readonly style: SeriesStyle = $derived.by(() => seriesStyle(this.number));
  readonly run: Run;
  /** Runs beside its own, in the order in which they are looked at. */
  readonly #beside: Readonly<Record<BesideKind, SideRun>>;
  #round = 0;
  readonly #fractions: () => boolean;
  readonly #board: SeriesContext;
  readonly #told: (() => string) | undefined;
  readonly #parts: (() => Parts | null) | undefined;
  readonly #basisParts: (() => Parts | null) | undefined;
  readonly #by: ((bounds: Float64Array, cut: Cut) => Curve | null) | undefined;
  /** As typed, valid or not; {@link commit} makes it the query. */
  text = $state('');
  #query = $state('');
  #label = $state('');
  /** The query that the label was made for; null where the user gave it. */
  #labelFor = $state<string | null>(null);
  hidden = $state(false);
  /** Last needs that were asked, as text. */
  #asked = '';
  #asking: Promise<void> = Promise.resolve();
  #shown = $state('');

  readonly limit = $derived.by(() => queryLengthLimit(this.#board.endpoint, this.#board.access));
  readonly parsed: Parsed = $derived.by(() => this.#parse(this.text));
  /** Whether what is typed can be counted. */
  readonly valid = $derived.by(() => this.#sound(this.text, this.parsed));
  readonly #parsedQuery: Parsed = $derived.by(() => this.#parse(this.#query));
  /** Whether its query can be counted, whatever is being typed. */
  readonly countable = $derived.by(() => this.#sound(this.#query, this.#parsedQuery));
  /** Whether what is typed is not its query yet. */
  readonly edited = $derived.by(
    () => this.kind === 'query' && this.text.trim() !== this.#query.trim(),
  );
  /** Whether it is a new one in which nothing is typed yet. */
  readonly blank = $derived.by(
    () => this.kind === 'query' && this.#query.trim() === '' && this.text.trim() === '',
  );
  /** Whether the counts that it has are of the text in its row. */
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
  /** What its figures are computed from, whatever the resolution; null where that is the curve. */
  readonly basis = $derived.by(() => (this.curve ? this.#drawn.basis : null));
  /** The curve of its basis, or those that its basis is computed of; null where one has none. */
  readonly basisParts: Parts | null = $derived.by(() =>
    this.#basisParts ? this.#basisParts() : (this.basis?.curve ?? null),
  );
  /** Its curve, or those that it is computed of; null where one is not known. */
  readonly parts: Parts | null = $derived.by(() => (this.#parts ? this.#parts() : this.curve));
  readonly summary: Summary | null = $derived.by(() => {
    const { curve, parts, fractions, pyramid, basis, basisParts } = this;
    const { now, rested } = this.#board;
    return curve && parts
      ? summarize(curve, now, rested, parts, fractions, pyramid, basis, basisParts)
      : null;
  });
  /** Earlier counts under the buckets shown, and the change since; null while they are not known, or there are none. */
  readonly before: Before | null = $derived.by(() => {
    const { compared, table, now, compareWith } = this.#board;
    const { curve } = this;
    const was = this.#shown ? this.earlier?.curve : null;
    return compareWith &&
      curve &&
      was &&
      compared &&
      covers(was, compared) &&
      curve.counts.length >= compared.to
      ? compareWith(curve, was, compared, table, now, {
          now: this.basis,
          before: this.earlier?.basis ?? null,
        })
      : null;
  });
  readonly busy = $derived.by(() => this.run.phase === 'reading' || this.run.phase === 'fetching');
  /** What was planned and then put off or stopped; null where there is none. */
  readonly gap: { readonly pages: number; readonly money: number } | null = $derived.by(() => {
    const left = this.run.phase === 'cancelled' ? leftOf(this.run) : null;
    return left && left.pages > 0 ? left : null;
  });

  #parse(text: string): Parsed {
    return parse(text, { product: this.#board.endpoint === 'recent' ? 'recent' : 'all' });
  }

  #sound(text: string, parsed: Parsed): boolean {
    const some = this.kind === 'query' && text.trim() !== '';
    return some && parsed.ok && [...text].length <= this.limit;
  }

  /** The query that the user wants counted, apart from what is being typed; empty where there was none yet. */
  get query(): string {
    return this.#query;
  }

  /** Whether its counts are those of a query: asked here, or told by a file that names it. */
  get queried(): boolean {
    return this.kind === 'query' ? this.#shown !== '' : !!this.fixed?.query && !this.fractions;
  }

  /** Whether what a file told, or what is computed of it, are no counts. */
  get fractions(): boolean {
    return this.#fractions();
  }

  /** The query whose counts are shown; what is typed becomes it when it is asked. */
  get shown(): string {
    return this.#told?.() ?? this.#shown;
  }

  constructor(id: number, number: number, from: ViewSeries, given: Given, board: SeriesContext) {
    this.id = id;
    this.kind = given.kind;
    this.formula = given.formula ?? null;
    this.fixed = given.fixed ?? null;
    const whole =
      this.fixed?.counts.every((count) => Number.isNaN(count) || Number.isInteger(count)) ?? true;
    this.#fractions = given.fractions ?? (() => !whole);
    this.number = number;
    this.run = given.run();
    this.#beside = {
      detail: new SideRun(given.run),
      earlier: new SideRun(given.run),
      fine: new SideRun(given.run),
    };
    this.#board = board;
    this.#told = given.told;
    this.#parts = given.parts;
    this.#basisParts = given.basisParts;
    this.#by = given.by;
    if (given.kind !== 'query') this.#shown = given.kind;
    this.text = from.query;
    this.#query = from.query;
    this.hidden = from.hidden;
    this.takeName(from);
  }

  /** Its own name; empty where the query names itself. One that was made for another query is none. */
  get label(): string {
    const of = this.#labelFor;
    return of === null || of === (this.#query || this.text).trim() ? this.#label : '';
  }

  /** The user names it: that name stays, whatever the query. */
  set label(label: string) {
    this.#label = label;
    this.#labelFor = null;
  }

  /** Takes the name that a view gives it; one that is its query's text follows the query as none does. */
  takeName({ label, query, typed, derived }: ViewSeries): void {
    const of = (query || (typed ?? '')).trim();
    const follows = this.kind === 'query';
    this.label = follows && label.trim() === of ? '' : label;
    if (follows && (derived ?? isDerived(label, of))) this.#labelFor = of;
  }

  /** The curve if it is one of these buckets: while another range is on its way the old one still stands. */
  curveOf(bounds: Float64Array): Curve | null {
    const { curve } = this;
    return curve && sameBuckets(curve, { bounds }) ? curve : null;
  }

  /** Its counts by some buckets of the whole range, be they those of the chart or not; null until they are known. */
  curveBy(bounds: Float64Array, cut: Cut): Curve | null {
    if (this.#by) return this.#by(bounds, cut);
    const known = this.#shown ? [this.run.curve, this.fine?.curve] : [];
    return known.find((curve) => curve && sameBuckets(curve, { bounds })) ?? null;
  }

  /** Makes what is typed its query, which from then on is counted. @returns Whether it can be counted. */
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
   * Asks for what is needed unless that was asked last; `again` asks even that, and the newest counts though
   * they are fresh.
   *
   * @returns When it is over, however it ended.
   */
  ask(need: BoardNeed | null, again = false): Promise<void> {
    if (!need || this.kind !== 'query') return this.#asking;
    if (!this.countable) {
      // Another source or window may refuse a query that was counted: its counts are not theirs.
      if (this.#shown !== '') this.dispose();
      this.#shown = '';
      return this.#asking;
    }
    const query = this.#query.trim();
    const key = keyOf(query, need);
    // What could not be asked because the service was away is asked again once it is back.
    if (key === this.#asked && !again && !this.run.offline) return this.#asking;
    this.#asked = key;
    this.#shown = query;
    this.#asking = again ? this.run.refresh({ ...need, query }) : this.run.ask({ ...need, query });
    return this.#asking;
  }

  /** Asks what is missing though the same was asked before; what is fresh is not asked again. */
  fill(need: BoardNeed | null): Promise<void> {
    this.#asked = '';
    return this.ask(need);
  }

  /** Of the part that is looked at, in buckets of its own; null until there was one. */
  get detail(): Run | null {
    return this.#ofThis(this.#beside.detail);
  }

  /** Of the time that the view is held against; null until there was one. */
  get earlier(): Run | null {
    return this.#ofThis(this.#beside.earlier);
  }

  /** Of the range in the finer buckets that a tab shows; null until there was one. */
  get fine(): Run | null {
    return this.#ofThis(this.#beside.fine);
  }

  /** A run beside this one while it is of the same query and source: another may be on its way. */
  #ofThis({ run }: SideRun): Run | null {
    return run && run.key === this.run.key ? run : null;
  }

  /** When what was asked last is over, however it ended. */
  get asked(): Promise<void> {
    return this.#asking;
  }

  /**
   * Looks at what lies beside the series' own need, once that is met, one after the other.
   *
   * @param needs - Read before each: finer counts of a zoom make another earlier time of it.
   * @param again - Looks even at what was looked at last.
   */
  async lookBeside(needs: (which: BesideKind) => Beside | null, again: boolean): Promise<void> {
    const round = ++this.#round;
    await this.#asking;
    for (const which of BESIDE) {
      const stands = round === this.#round && this.run.phase === 'done';
      if (!stands || this.kind !== 'query' || this.#shown === '') return;
      const beside = needs(which);
      if (beside) await this.#beside[which].look(this.#shown, beside, again);
    }
  }

  /** As the address holds it. */
  view(): ViewSeries {
    const [query, label] = [this.#query, this.label.trim()];
    const derived = label !== '' && this.#labelFor !== null && !isDerived(label, query);
    return { query, label, ...(derived && { derived }), hidden: this.hidden };
  }

  /** Lets go of everything that it holds; it can be asked again. */
  dispose(): void {
    this.#asked = '';
    this.run.dispose();
    this.#round += 1;
    for (const beside of Object.values(this.#beside)) beside.dispose();
  }
}
