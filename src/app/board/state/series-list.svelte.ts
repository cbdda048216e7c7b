import { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import { basisOfGiven, combineBases } from '#core/series/basis.ts';
import { combine, type Operation } from '#core/series/combine.ts';
import { sameBuckets } from '#core/series/series.ts';
import { refit } from '#core/series/rebucket.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { formulaWords, type FormulaPart } from './formula.ts';
import type { SourceState } from './source-state.svelte.ts';
import type { TimeWindow } from './time-window.svelte.ts';
import { BoardSeries, type Given, type SeriesContext } from './series.svelte.ts';
import { styleNumbers } from './style-numbers.ts';
import { StaticRun } from './static-run.svelte.ts';
import type { ViewSeries } from './view.ts';
import type { BoardOptions } from './board-options.ts';

const EMPTY: ViewSeries = { query: '', label: '', hidden: false };

const NO_PART: FormulaPart = { name: '?', computed: false };

/** A series as a part of a formula: computed ones are told by what they are computed of unless they have a name. */
export function partOf(one: BoardSeries | undefined): FormulaPart {
  if (!one) return NO_PART;
  return { name: one.name, computed: one.kind === 'formula' && one.label.trim() === '' };
}

/** What the list and its series read and ask of their board. */
interface ListContext extends SeriesContext {
  readonly time: TimeWindow;
  readonly source: SourceState;
  /** Takes what was typed in a series, where that costs nothing. */
  leave(one: BoardSeries): void;
  /** Asks one series for what it needs, and for its side runs. */
  ask(one: BoardSeries): void;
}

/** The series of a board, in their order: queries, arithmetic of two of them, and what was read from files. */
export class SeriesList {
  readonly #options: Pick<BoardOptions, 'run'>;
  readonly #board: ListContext;
  #ids = 1;
  /** Where runs wait for approval of plans that cost more than a few requests. */
  readonly approval = new PlanApproval();
  all = $state.raw<readonly BoardSeries[]>([]);
  selected = $state<number | null>(null);
  readonly visible = $derived.by(() => this.all.filter((one) => !one.hidden));

  constructor(options: Pick<BoardOptions, 'run'>, board: ListContext) {
    this.#options = options;
    this.#board = board;
  }

  #find(id: number): BoardSeries | undefined {
    return this.all.find((one) => one.id === id);
  }

  #computed(operation: Operation, a: number, b: number): Given {
    const parts = (): (BoardSeries | undefined)[] => [this.#find(a), this.#find(b)];
    return {
      kind: 'formula',
      formula: { operation, a, b },
      told: () => {
        const [first, second] = parts().map(partOf);
        return formulaWords(operation, first ?? NO_PART, second ?? NO_PART);
      },
      parts: () => {
        const [first, second] = parts().map((one) => one?.parts);
        return first && second ? { operation, a: first, b: second } : null;
      },
      basisParts: () => {
        const [first, second] = parts();
        const [a, b] = [first?.basisParts, second?.basisParts];
        const same =
          first?.basis && second?.basis && sameBuckets(first.basis.curve, second.basis.curve);
        return a && b && same ? { operation, a, b } : null;
      },
      fractions: () => parts().some((one) => one?.fractions ?? false),
      by: (bounds, cut) => {
        const [first, second] = parts().map((one) => one?.curveBy(bounds, cut));
        return first && second ? combine(operation, first, second) : null;
      },
      run: () =>
        new StaticRun(
          () => {
            const [first, second] = parts().map((one) => one?.curve);
            return first && second && sameBuckets(first, second)
              ? combine(operation, first, second)
              : null;
          },
          () => parts().some((one) => one?.run.upperBounds),
          () => {
            const [first, second] = parts().map((one) => one?.basis);
            return first && second ? combineBases(operation, first, second) : null;
          },
        ),
    };
  }

  #fixed(fixed: FixedSeries): Given {
    return {
      kind: 'file',
      fixed,
      told: () => fixed.query || fixed.label || 'no query told',
      by: (bounds, cut) => refit(fixed, bounds, cut),
      run: () =>
        new StaticRun(
          () => refit(fixed, this.#board.time.edges.all, this.#board.time.cut),
          undefined,
          () => {
            const { basis, now } = this.#board.time;
            return basis && basisOfGiven(fixed, basis.unit, basis.edges.all, now);
          },
        ),
    };
  }

  /** Numbers that no series has, lowest first: a series keeps its colour for as long as it lives. */
  *#numbers(): Generator<number, never> {
    const taken = new Set(this.all.map((one) => one.number));
    for (let number = 0; ; number += 1) if (!taken.has(number)) yield number;
  }

  #make(from: ViewSeries, number: number, given?: Given): BoardSeries {
    const id = this.#ids++;
    const query: Given = {
      kind: 'query',
      run: () => this.#options.run(() => one.name, this.approval),
    };
    const one: BoardSeries = new BoardSeries(id, number, from, given ?? query, this.#board);
    return one;
  }

  /** Puts queries at the end of the list. */
  addAll(list: readonly ViewSeries[]): BoardSeries[] {
    const numbers = this.#numbers();
    const added = list.map((from) => this.#make(from, numbers.next().value));
    this.all = [...this.all, ...added];
    return added;
  }

  /**
   * Makes the list that of a view: series whose query, formula or file stands already stay as they are, those of
   * files that it does not name stay at its end, the others go. What names a file that is not here is left out.
   *
   * @param carried - Series of a file that take the places of the view's own, 0-based; those there were go then.
   */
  set(list: readonly ViewSeries[], carried: ReadonlyMap<number, FixedSeries> | null = null): void {
    const before = this.all.filter((one) => one.kind !== 'file');
    const files = carried ? [] : this.all.filter((one) => one.kind === 'file');
    const takeOf = (
      from: BoardSeries[],
      fits: (one: BoardSeries) => boolean,
    ): BoardSeries | undefined => {
      const at = from.findIndex(fits);
      return at < 0 ? undefined : from.splice(at, 1)[0];
    };
    const kept = list.map(({ query, formula, file }, i) => {
      if (formula || carried?.has(i)) return undefined;
      return file
        ? takeOf(files, ({ fixed }) => fixed !== null && fixedKey(fixed) === file)
        : takeOf(before, (one) => one.kind === 'query' && one.query === query);
    });
    const placed = list.map((from, i) => {
      const file = carried?.get(i);
      if (file) return this.#make({ ...from, query: '' }, i, this.#fixed(file));
      const made = from.formula === undefined && from.file === undefined;
      return kept[i] ?? (made ? this.#make(from, i) : null);
    });
    // What is computed names series by their ids, so it comes after all others, and after what it is made of.
    const waiting = new Map(list.flatMap(({ formula }, i) => (formula ? [[i, formula]] : [])));
    for (let round = waiting.size; round > 0; round -= 1) {
      for (const [i, { operation, a, b }] of waiting) {
        const [first, second] = [placed[a - 1], placed[b - 1]];
        const from = list[i];
        if (!first || !second || !from) continue;
        waiting.delete(i);
        placed[i] =
          takeOf(
            before,
            ({ formula }) =>
              formula?.operation === operation && formula.a === first.id && formula.b === second.id,
          ) ?? this.#make(from, i, this.#computed(operation, first.id, second.id));
      }
    }
    for (const gone of before) gone.dispose();
    for (const [i, from] of list.entries()) {
      const one = placed[i];
      if (!one) continue;
      one.takeName(from);
      one.hidden = from.hidden;
      if (one.kind === 'query') one.text = from.typed ?? from.query;
    }
    const shown = placed.flatMap((one, i) => {
      const told = list[i]?.style;
      return one ? [{ one, number: told ? told - 1 : i, told: told !== undefined }] : [];
    });
    const all = [...shown, ...files.map((one) => ({ one, number: one.number, told: false }))];
    for (const [i, number] of styleNumbers(all).entries()) {
      const one = all[i]?.one;
      if (one) one.number = number;
    }
    this.all = all.map(({ one }) => one);
    if (!this.#find(this.selected ?? Number.NaN)) this.selected = null;
  }

  /** Adds a query, or goes to the one that is still empty. */
  add(from: ViewSeries = EMPTY): BoardSeries {
    const empty = this.all.find((one) => one.blank);
    const one = from.query === '' && empty ? empty : this.addAll([from])[0];
    if (!one) throw new RangeError('expected one series, got none');
    this.selected = one.id;
    this.#board.ask(one);
    return one;
  }

  /** Puts many queries on the board as if they were typed, the first in the place of `at` where that is empty. */
  paste(lines: readonly string[], at?: BoardSeries): void {
    const rest = [...lines];
    if (at?.blank) {
      at.text = rest.shift() ?? '';
      this.#board.leave(at);
    }
    this.addQueries(rest.map((query) => ({ query, label: '' })));
    this.selected = null;
  }

  /** Puts queries with names on the board as if they were typed. */
  addQueries(list: readonly { readonly query: string; readonly label: string }[]): void {
    for (const { query, label } of list) {
      const [one] = this.addAll([EMPTY]);
      if (!one) continue;
      one.text = query;
      one.takeName({ ...EMPTY, query, label, derived: true });
      this.#board.leave(one);
    }
  }

  /** Puts series that were read from a file on the board, as they are: they are asked nobody. */
  addFixed(list: readonly FixedSeries[]): BoardSeries[] {
    const numbers = this.#numbers();
    const added = list.map((from) =>
      this.#make({ ...EMPTY, label: from.label }, numbers.next().value, this.#fixed(from)),
    );
    this.all = [...this.all, ...added];
    return added;
  }

  /** The series of files, as they were read. */
  get fixed(): readonly FixedSeries[] {
    return this.all.flatMap(({ fixed }) => fixed ?? []);
  }

  /** Others take the place of those there are; the same ones stay. */
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

  /** Puts arithmetic of two series on the board. */
  compute(operation: Operation, a: BoardSeries, b: BoardSeries): BoardSeries {
    const one = this.#make(
      EMPTY,
      this.#numbers().next().value,
      this.#computed(operation, a.id, b.id),
    );
    this.all = [...this.all, one];
    this.selected = one.id;
    return one;
  }

  /** Puts the same query below, and what is being typed with it. */
  duplicate(one: BoardSeries): void {
    const label = one.label ? `${one.label} copy` : '';
    const from = { ...EMPTY, query: one.query, typed: one.text, label, derived: true };
    const [copy] = this.addAll([from]);
    if (!copy) return;
    copy.text = one.text;
    this.selected = copy.id;
    this.#board.ask(copy);
    this.move(copy, this.all.indexOf(one) + 1 - this.all.indexOf(copy));
  }

  /** Moves a series by so many places, as far as the list goes. */
  move(one: BoardSeries, by: number): void {
    const from = this.all.indexOf(one);
    const to = Math.min(this.all.length - 1, Math.max(0, from + by));
    if (from >= 0 && from !== to) this.all = this.all.toSpliced(from, 1).toSpliced(to, 0, one);
  }

  /** What would be without its parts if a series were gone: what is computed of it, at any remove. */
  #dependents(one: BoardSeries): BoardSeries[] {
    const gone = new Set([one.id]);
    // The order of the list is the user's: what is computed may stand above what it is computed of.
    for (let before = 0; before < gone.size;) {
      before = gone.size;
      for (const { id, formula } of this.all) {
        if (formula && (gone.has(formula.a) || gone.has(formula.b))) gone.add(id);
      }
    }
    return this.all.filter(({ id }) => gone.has(id));
  }

  /** Takes a series off the board, and what is computed of it. @returns What puts them back where they were. */
  remove(one: BoardSeries): () => void {
    const before = this.all;
    const gone = new Set(this.#dependents(one));
    for (const each of gone) each.dispose();
    this.all = before.filter((other) => !gone.has(other));
    if (this.selected !== null && !this.#find(this.selected)) this.selected = null;
    return () => {
      // Undone otherwise meanwhile: the same query stands again, or another board was opened.
      const again = (each: BoardSeries): boolean =>
        this.all.some(
          (now) => !before.includes(now) && now.query === each.query && now.text === each.text,
        );
      if ([...gone].some(again) || !before.some((one) => gone.has(one) || this.all.includes(one)))
        return;
      const since = this.all.filter((other) => !before.includes(other));
      this.all = [
        ...before.filter((other) => gone.has(other) || this.all.includes(other)),
        ...since,
      ];
      for (const each of gone) this.#board.ask(each);
    };
  }

  /** Shows one series alone, or all again where it is alone already. */
  solo(one: BoardSeries): void {
    const alone = !one.hidden && this.all.every((other) => other === one || other.hidden);
    for (const other of this.all) other.hidden = !alone && other !== one;
  }

  /** Whether what is typed in a series becomes its query by itself, in a moment. */
  #pending({ edited, valid }: BoardSeries): boolean {
    return edited && valid && this.#board.source.id !== 'platform';
  }

  /** What the address can hold: no query that is still empty or just being typed, and nothing computed of one. */
  #inUrl(): BoardSeries[] {
    const shown = this.all.filter((one) => !one.blank && (one.query !== '' || !this.#pending(one)));
    const without = (list: BoardSeries[]): BoardSeries[] => {
      const ids = new Set(list.map(({ id }) => id));
      const rest = list.filter(
        ({ formula }) => !formula || (ids.has(formula.a) && ids.has(formula.b)),
      );
      return rest.length === list.length ? list : without(rest);
    };
    return without(shown);
  }

  /** Place of a series in the address, 1-based; 0 where it has none. */
  placeOf(id: number): number {
    return this.#inUrl().findIndex((one) => one.id === id) + 1;
  }

  /** The series at a place of the address; undefined where there is none. */
  idAt(place: number): number | undefined {
    return this.#inUrl()[place - 1]?.id;
  }

  /** The series as the address holds them. */
  views(): ViewSeries[] {
    return this.withViews().map(({ view }) => view);
  }

  /**
   * The series with what a view says of them.
   *
   * @param carried - Whether something else carries the counts of files by the place of their series.
   */
  withViews(carried = false): { readonly one: BoardSeries; readonly view: ViewSeries }[] {
    const all = this.#inUrl();
    const place = (id: number): number => all.findIndex((one) => one.id === id) + 1;
    return all.map((one, i) => {
      const { formula, fixed, number } = one;
      const typed = !carried && one.edited && !this.#pending(one);
      const view = { ...one.view(), ...(number !== i && { style: number + 1 }) };
      if (fixed) {
        const of = carried ? { query: fixed.query } : { query: '', file: fixedKey(fixed) };
        return { one, view: { ...view, ...of } };
      }
      if (!formula) return { one, view: typed ? { ...view, typed: one.text } : view };
      const { operation, a, b } = formula;
      const places = { operation, a: place(a), b: place(b) };
      return { one, view: { ...view, query: '', formula: places } };
    });
  }
}
