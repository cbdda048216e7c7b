import { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import { basisOfGiven, combineBases } from '#core/series/basis.ts';
import { combine } from '#core/series/combine.ts';
import { expanded, formulaUnit, seriesIn, substitute, type Formula } from '#core/series/formula.ts';
import { sameBuckets, type Curve } from '#core/series/series.ts';
import { refit } from '#core/series/rebucket.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { pendingOfAll } from '#app/insight/summary/pending.ts';
import { formulaWords, type FormulaPart } from './formula.ts';
import type { BoardSource } from './source-state.svelte.ts';
import type { TimeWindow } from './time-window.svelte.ts';
import { BoardSeries, type Given, type SeriesContext } from './series.svelte.ts';
import { staticRun } from './static-run.svelte.ts';
import type { ViewSeries } from './view.ts';
import type { BoardOptions } from './board-options.ts';

const EMPTY: ViewSeries = { query: '', label: '', hidden: false };

const NO_PART: FormulaPart = { name: '?', computed: false };

/** A series as a part of a formula; a computed series without a name appears as its formula. */
function formulaPart(each: BoardSeries | undefined): FormulaPart {
  if (!each) return NO_PART;
  return { name: each.name, computed: each.kind === 'formula' && each.label.trim() === '' };
}

/** The style number a series wants, from 0; `chosen` if it was given, not derived from its position. */
export interface WantedStyle {
  readonly number: number;
  readonly chosen: boolean;
}

/**
 * Assigns unique style numbers: chosen numbers first, then positions; a taken number becomes the first free one.
 */
export function styleNumbers(wanted: readonly WantedStyle[]): number[] {
  const taken = new Set<number>();
  const numbers = wanted.map(() => 0);
  for (const round of [true, false]) {
    for (const [i, { number, chosen }] of wanted.entries()) {
      if (chosen !== round) continue;
      let free = taken.has(number) ? 0 : number;
      while (taken.has(free)) free += 1;
      taken.add(free);
      numbers[i] = free;
    }
  }
  return numbers;
}

/** The members of their board that the list and its series use. */
interface ListContext extends SeriesContext {
  readonly time: TimeWindow;
  readonly source: BoardSource;
  /** Commits a series' typed text where loading is free. */
  leave(series: BoardSeries): void;
  /** Loads what one series needs, and its extra runs. */
  ask(series: BoardSeries): void;
}

/** The series of a board, in order: queries, formulas over other series, and series from files. */
export class SeriesList {
  readonly #options: Pick<BoardOptions, 'run'>;
  readonly #board: ListContext;
  #ids = 1;
  /** The approval for which runs with plans that cost more than a few requests wait. */
  readonly approval = new PlanApproval();
  all = $state.raw<readonly BoardSeries[]>([]);
  selected = $state<number | null>(null);
  readonly visible = $derived.by(() => this.all.filter((series) => !series.hidden));
  /** The visible series with a loaded query. */
  readonly loaded = $derived.by(() => this.visible.filter((series) => series.shown !== ''));
  /** The queries that were loaded, visible or not. */
  readonly queries = $derived.by(() =>
    this.all.filter((series) => series.kind === 'query' && series.shown !== ''),
  );

  constructor(options: Pick<BoardOptions, 'run'>, board: ListContext) {
    this.#options = options;
    this.#board = board;
  }

  find(id: number): BoardSeries | undefined {
    return this.all.find((series) => series.id === id);
  }

  /** A formula whose series are replaced by something of theirs; null if one is missing. */
  #bound<T>(
    formula: Formula<number>,
    of: (series: BoardSeries) => T | null | undefined,
  ): Formula<T> | null {
    return substitute(formula, (id) => {
      const series = this.find(id);
      const value = series && of(series);
      return value ? { kind: 'series', of: value } : null;
    });
  }

  /** The curve of a formula over curves of its series, by default those shown; null if one is not known. */
  curveOf(
    formula: Formula<number>,
    of: (series: BoardSeries) => Curve | null | undefined = ({ curve }) => curve,
  ): Curve | null {
    const curves = this.#bound(formula, of);
    const [first, ...rest] = curves ? seriesIn(curves) : [];
    const same = first && rest.every((curve) => sameBuckets(curve, first));
    return curves && same ? combine(curves) : null;
  }

  /** The parts of a computed series. @param of - Its formula, which may change. */
  computed(formula: Formula<number>, of: () => Formula<number> = () => formula) {
    const parts = (): (BoardSeries | undefined)[] => seriesIn(of()).map((id) => this.find(id));
    return {
      kind: 'formula',
      formula,
      describe: () => formulaWords(of(), (id) => formulaPart(this.find(id))),
      unit: () =>
        formulaUnit(
          expanded(of(), (id) => this.find(id)?.formula ?? null),
          (id) => this.find(id)?.unit ?? 'count',
        ),
      parts: () => substitute(of(), (id) => this.find(id)?.parts ?? null),
      basisParts: () => {
        const bases = this.#bound(of(), ({ basis }) => basis);
        const [first, ...rest] = bases ? seriesIn(bases) : [];
        const same = first && rest.every(({ curve }) => sameBuckets(curve, first.curve));
        return same ? substitute(of(), (id) => this.find(id)?.basisParts ?? null) : null;
      },
      pending: () => pendingOfAll(parts().flatMap((part) => part ?? [])),
      fractions: () => parts().some((part) => part?.fractions ?? false),
      by: (bounds, cut) => this.curveOf(of(), (series) => series.curveBy(bounds, cut)),
      run: () =>
        staticRun(
          () => this.curveOf(of()),
          () => parts().some((part) => part?.run.upperBounds),
          () => {
            const bases = this.#bound(of(), ({ basis }) => basis);
            return bases && combineBases(bases);
          },
        ),
    } satisfies Given;
  }

  #fixed(fixed: FixedSeries): Given {
    return {
      kind: 'file',
      fixed,
      describe: () => fixed.query || fixed.label || 'unknown query',
      by: (bounds, cut) => refit(fixed, bounds, cut),
      run: () =>
        staticRun(
          () => refit(fixed, this.#board.time.edges.all, this.#board.time.cut),
          undefined,
          () => {
            const { basis, now } = this.#board.time;
            return basis && basisOfGiven(fixed, basis.unit, basis.edges.all, now);
          },
        ),
    };
  }

  /** Numbers no series has, lowest first: a series keeps its colour until it is removed. */
  *#numbers(): Generator<number, never> {
    const taken = new Set(this.all.map((series) => series.number));
    for (let number = 0; ; number += 1) if (!taken.has(number)) yield number;
  }

  /** @param given - Its file or, by the ids of its series, its formula; a query without either. */
  #make(from: ViewSeries, number: number, given?: FixedSeries | Formula<number>): BoardSeries {
    const id = this.#ids++;
    const query: Given = {
      kind: 'query',
      run: () => this.#options.run(() => series.name, this.approval),
    };
    const of =
      given && 'kind' in given
        ? this.computed(given, () => series.formula ?? given)
        : given && this.#fixed(given);
    const series: BoardSeries = new BoardSeries(id, number, from, of ?? query, this.#board);
    return series;
  }

  addAll(list: readonly ViewSeries[]): BoardSeries[] {
    const numbers = this.#numbers();
    const added = list.map((from) => this.#make(from, numbers.next().value));
    this.all = [...this.all, ...added];
    return added;
  }

  /**
   * Replaces the list by that of a view. Series with the same query, formula or file stay as they are; series of
   * files the view does not name move to the end; all others go. A view's series whose file is missing is left out.
   *
   * @param carried - Series from a file that replace the view's series at these positions, 0-based; other file series
   * go then.
   */
  set(list: readonly ViewSeries[], carried: ReadonlyMap<number, FixedSeries> | null = null): void {
    const before = this.all.filter((series) => series.kind !== 'file');
    const files = carried ? [] : this.all.filter((series) => series.kind === 'file');
    const takeOf = (
      from: BoardSeries[],
      fits: (series: BoardSeries) => boolean,
    ): BoardSeries | undefined => {
      const at = from.findIndex(fits);
      return at < 0 ? undefined : from.splice(at, 1)[0];
    };
    const unchanged = list.map(({ query, formula, file }, i) => {
      if (formula || carried?.has(i)) return undefined;
      return file
        ? takeOf(files, ({ fixed }) => fixed !== null && fixedKey(fixed) === file)
        : takeOf(before, (series) => series.kind === 'query' && series.query === query);
    });
    const placed = list.map((from, i) => {
      const file = carried?.get(i);
      if (file) return this.#make({ ...from, query: '' }, i, file);
      const made = from.formula === undefined && from.file === undefined;
      return unchanged[i] ?? (made ? this.#make(from, i) : null);
    });
    // A formula refers to series by id, so it comes after the series it is computed from.
    const waiting = new Map(list.flatMap(({ formula }, i) => (formula ? [[i, formula]] : [])));
    for (let round = waiting.size; round > 0; round -= 1) {
      for (const [i, formula] of waiting) {
        const from = list[i];
        const ids = substitute(formula, (place) => {
          const series = placed[place - 1];
          return series ? { kind: 'series', of: series.id } : null;
        });
        if (!ids || !from) continue;
        waiting.delete(i);
        const same = (series: BoardSeries): boolean =>
          series.formula !== null && JSON.stringify(series.formula) === JSON.stringify(ids);
        placed[i] = takeOf(before, same) ?? this.#make(from, i, ids);
      }
    }
    for (const gone of before) gone.dispose();
    for (const [i, from] of list.entries()) {
      const each = placed[i];
      if (!each) continue;
      each.takeName(from);
      each.hidden = from.hidden;
      if (each.kind === 'query') each.text = from.typed ?? from.query;
    }
    const shown = placed.flatMap((series, i) => {
      const given = list[i]?.style;
      return series ? [{ series, number: given ? given - 1 : i, chosen: given !== undefined }] : [];
    });
    const all = [
      ...shown,
      ...files.map((file) => ({ series: file, number: file.number, chosen: false })),
    ];
    for (const [i, number] of styleNumbers(all).entries()) {
      const series = all[i]?.series;
      if (series) series.number = number;
    }
    this.all = all.map(({ series }) => series);
    if (!this.find(this.selected ?? Number.NaN)) this.selected = null;
  }

  /** Adds a query, or selects the one that is still empty. */
  add(from: ViewSeries = EMPTY): BoardSeries {
    const empty = this.all.find((series) => series.blank);
    const series = from.query === '' && empty ? empty : this.addAll([from])[0];
    if (!series) throw new RangeError('expected one series, got none');
    this.selected = series.id;
    this.#board.ask(series);
    return series;
  }

  /** Adds many queries as if they were typed, the first into `at` if that is empty. */
  paste(lines: readonly string[], at?: BoardSeries): void {
    const rest = [...lines];
    if (at?.blank) {
      at.text = rest.shift() ?? '';
      this.#board.leave(at);
    }
    this.addQueries(rest.map((query) => ({ query, label: '' })));
    this.selected = null;
  }

  /** Adds queries with names as if they were typed. */
  addQueries(list: readonly { readonly query: string; readonly label: string }[]): void {
    for (const { query, label } of list) {
      const [series] = this.addAll([EMPTY]);
      if (!series) continue;
      series.text = query;
      series.takeName({ ...EMPTY, query, label, derived: true });
      this.#board.leave(series);
    }
  }

  /** Adds series read from a file; they are never requested from a source. */
  addFixed(list: readonly FixedSeries[]): BoardSeries[] {
    const numbers = this.#numbers();
    const added = list.map((from) =>
      this.#make({ ...EMPTY, label: from.label }, numbers.next().value, from),
    );
    this.all = [...this.all, ...added];
    return added;
  }

  /** The series from files, as read. */
  get fixed(): readonly FixedSeries[] {
    return this.all.flatMap(({ fixed }) => fixed ?? []);
  }

  /** Replaces the series from files; identical ones stay. */
  set fixed(list: readonly FixedSeries[]) {
    const fresh = [...list];
    const stay = this.all.filter(({ fixed }) => {
      const at = fixed ? fresh.indexOf(fixed) : 0;
      if (fixed && at >= 0) fresh.splice(at, 1);
      return at >= 0;
    });
    if (stay.length < this.all.length) this.all = stay;
    if (fresh.length > 0) this.addFixed(fresh);
  }

  /** Adds a series computed by a formula. @param formula - By the ids of its series. */
  compute(formula: Formula<number>): BoardSeries {
    const series = this.#make(EMPTY, this.#numbers().next().value, formula);
    this.all = [...this.all, series];
    this.selected = series.id;
    return series;
  }

  /** Adds a copy below, with what is being typed. */
  duplicate(series: BoardSeries): void {
    const label = series.label ? `${series.label} copy` : '';
    const from = { ...EMPTY, query: series.query, typed: series.text, label, derived: true };
    const [copy] = this.addAll([from]);
    if (!copy) return;
    copy.text = series.text;
    copy.foreign = series.foreign;
    this.selected = copy.id;
    this.#board.ask(copy);
    this.move(copy, this.all.indexOf(series) + 1 - this.all.indexOf(copy));
  }

  /** Moves a series by `by` places, within the list. */
  move(series: BoardSeries, by: number): void {
    const from = this.all.indexOf(series);
    const to = Math.min(this.all.length - 1, Math.max(0, from + by));
    if (from >= 0 && from !== to) this.all = this.all.toSpliced(from, 1).toSpliced(to, 0, series);
  }

  /** A series and everything computed from it, directly or indirectly. */
  dependents(series: BoardSeries): BoardSeries[] {
    const gone = new Set([series.id]);
    // The user orders the list, so a formula may come before its parts.
    for (let before = 0; before < gone.size;) {
      before = gone.size;
      for (const { id, formula } of this.all) {
        if (formula && seriesIn(formula).some((part) => gone.has(part))) gone.add(id);
      }
    }
    return this.all.filter(({ id }) => gone.has(id));
  }

  /** Removes a series and everything computed from it. @returns A function that puts them back. */
  remove(series: BoardSeries): () => void {
    const before = this.all;
    const gone = new Set(this.dependents(series));
    for (const each of gone) each.dispose();
    this.all = before.filter((other) => !gone.has(other));
    if (this.selected !== null && !this.find(this.selected)) this.selected = null;
    return () => {
      // Nothing to put back: the same query was added again, or another board was opened.
      const again = (each: BoardSeries): boolean =>
        this.all.some(
          (now) => !before.includes(now) && now.query === each.query && now.text === each.text,
        );
      if (
        [...gone].some(again) ||
        !before.some((series) => gone.has(series) || this.all.includes(series))
      )
        return;
      const since = this.all.filter((other) => !before.includes(other));
      this.all = [
        ...before.filter((other) => gone.has(other) || this.all.includes(other)),
        ...since,
      ];
      for (const each of gone) this.#board.ask(each);
    };
  }

  /** Shows one series alone, or all again if it is alone already. */
  solo(series: BoardSeries): void {
    const alone = !series.hidden && this.all.every((other) => other === series || other.hidden);
    for (const other of this.all) other.hidden = !alone && other !== series;
  }

  /** True if a series' typed text is about to become its query by itself. */
  #pending({ edited, valid }: BoardSeries): boolean {
    return edited && valid && this.#board.source.id !== 'platform';
  }

  /** The series the address can hold: no empty or half-typed query, and no formula over one. */
  #inUrl(): BoardSeries[] {
    const shown = this.all.filter(
      (series) => !series.blank && (series.query !== '' || !this.#pending(series)),
    );
    const without = (list: BoardSeries[]): BoardSeries[] => {
      const ids = new Set(list.map(({ id }) => id));
      const rest = list.filter(
        ({ formula }) => !formula || seriesIn(formula).every((id) => ids.has(id)),
      );
      return rest.length === list.length ? list : without(rest);
    };
    return without(shown);
  }

  /** Position of a series in the address, 1-based; 0 if it has none. */
  placeOf(id: number): number {
    return this.#inUrl().findIndex((series) => series.id === id) + 1;
  }

  /** Id of the series at a position in the address; undefined if there is none. */
  idAt(place: number): number | undefined {
    return this.#inUrl()[place - 1]?.id;
  }

  /** The series as the address holds them. */
  views(): ViewSeries[] {
    return this.withViews().map(({ view }) => view);
  }

  /**
   * The series with their entries in a view.
   *
   * @param carried - Whether the counts of file series are stored elsewhere, by position.
   */
  withViews(carried = false): { readonly series: BoardSeries; readonly view: ViewSeries }[] {
    const all = this.#inUrl();
    const place = (id: number): number => all.findIndex((series) => series.id === id) + 1;
    return all.map((series, i) => {
      const { formula, fixed, number } = series;
      const typed = !carried && series.edited && !this.#pending(series);
      const view = { ...series.view(), ...(number !== i && { style: number + 1 }) };
      if (fixed) {
        const of = carried ? { query: fixed.query } : { query: '', file: fixedKey(fixed) };
        return { series, view: { ...view, ...of } };
      }
      if (!formula) return { series, view: typed ? { ...view, typed: series.text } : view };
      const places = substitute(formula, (id) => ({ kind: 'series', of: place(id) }));
      return { series, view: { ...view, query: '', ...(places && { formula: places }) } };
    });
  }
}
