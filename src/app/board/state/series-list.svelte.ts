import { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import { basisOfGiven, combineBases } from '#core/series/basis.ts';
import { combine, type Operation } from '#core/series/combine.ts';
import { sameBuckets } from '#core/series/series.ts';
import { refit } from '#core/series/rebucket.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { formulaWords, type FormulaPart } from './formula.ts';
import { TimeWindow } from './time-window.svelte.ts';
import type { BoardNeed } from './need-key.ts';
import { BoardSeries, type Given } from './series.svelte.ts';
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

/** The series of a board, in their order: queries, arithmetic of two of them, and what was read from files. */
export abstract class SeriesList extends TimeWindow {
  protected readonly deps: BoardOptions;
  #ids = 1;
  /** Where runs wait with plans that are more than a handful of pages. */
  readonly gate = new PlanApproval();
  series = $state.raw<readonly BoardSeries[]>([]);
  selected = $state<number | null>(null);
  readonly visible = $derived.by(() => this.series.filter((one) => !one.hidden));

  constructor(deps: BoardOptions) {
    super();
    this.deps = deps;
  }

  /** Takes what was typed in a series, where that costs nothing. */
  abstract leave(one: BoardSeries): void;
  /** What every series needs; null while there is nothing to ask of. */
  abstract need(): BoardNeed | null;
  /** Asks one series what it needs, and what lies beside that. */
  protected abstract askOne(one: BoardSeries, again?: boolean): void;
  /** What the series read of the board. */
  protected abstract context(): ConstructorParameters<typeof BoardSeries>[4];

  #find(id: number): BoardSeries | undefined {
    return this.series.find((one) => one.id === id);
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
          () => refit(fixed, this.edges.all, this.cut),
          undefined,
          () => {
            const { basis, now } = this;
            return basis && basisOfGiven(fixed, basis.unit, basis.edges.all, now);
          },
        ),
    };
  }

  /** Numbers that no series has, lowest first: a series keeps its colour for as long as it lives. */
  *#numbers(): Generator<number, never> {
    const taken = new Set(this.series.map((one) => one.number));
    for (let number = 0; ; number += 1) if (!taken.has(number)) yield number;
  }

  #make(from: ViewSeries, number: number, given?: Given): BoardSeries {
    const id = this.#ids++;
    const query: Given = { kind: 'query', run: () => this.deps.run(() => one.name, this.gate) };
    const one: BoardSeries = new BoardSeries(id, number, from, given ?? query, this.context());
    return one;
  }

  /** Puts queries at the end of the list. */
  protected addAll(list: readonly ViewSeries[]): BoardSeries[] {
    const numbers = this.#numbers();
    const added = list.map((from) => this.#make(from, numbers.next().value));
    this.series = [...this.series, ...added];
    return added;
  }

  /**
   * Makes the list that of a view: series whose query, formula or file stands already stay as they are, those of
   * files that it does not name stay at its end, the others go. What names a file that is not here is left out.
   *
   * @param carried - Series of a file that take the places of the view's own, 0-based; those there were go then.
   */
  protected setSeries(
    list: readonly ViewSeries[],
    carried: ReadonlyMap<number, FixedSeries> | null = null,
  ): void {
    const before = this.series.filter((one) => one.kind !== 'file');
    const files = carried ? [] : this.series.filter((one) => one.kind === 'file');
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
    this.series = all.map(({ one }) => one);
    if (!this.#find(this.selected ?? Number.NaN)) this.selected = null;
  }

  /** Adds a query, or goes to the one that is still empty. */
  add(from: ViewSeries = EMPTY): BoardSeries {
    const empty = this.series.find((one) => one.blank);
    const one = from.query === '' && empty ? empty : this.addAll([from])[0];
    if (!one) throw new RangeError('expected one series, got none');
    this.selected = one.id;
    this.askOne(one);
    return one;
  }

  /** Puts many queries on the board as if they were typed, the first in the place of `at` where that is empty. */
  paste(lines: readonly string[], at?: BoardSeries): void {
    const rest = [...lines];
    if (at?.blank) {
      at.text = rest.shift() ?? '';
      this.leave(at);
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
      this.leave(one);
    }
  }

  /** Puts series that were read from a file on the board, as they are: they are asked nobody. */
  addFixed(list: readonly FixedSeries[]): BoardSeries[] {
    const numbers = this.#numbers();
    const added = list.map((from) =>
      this.#make({ ...EMPTY, label: from.label }, numbers.next().value, this.#fixed(from)),
    );
    this.series = [...this.series, ...added];
    return added;
  }

  /** The series of files, as they were read. */
  get fixed(): readonly FixedSeries[] {
    return this.series.flatMap(({ fixed }) => fixed ?? []);
  }

  /** Others take the place of those there are; the same ones stay. */
  set fixed(list: readonly FixedSeries[]) {
    const fresh = [...list];
    const stay = this.series.filter(({ fixed }) => {
      const at = fixed ? fresh.indexOf(fixed) : 0;
      if (fixed && at >= 0) fresh.splice(at, 1);
      return at >= 0;
    });
    if (stay.length < this.series.length) this.series = stay;
    if (fresh.length > 0) this.addFixed(fresh);
  }

  /** Puts arithmetic of two series on the board. */
  compute(operation: Operation, a: BoardSeries, b: BoardSeries): BoardSeries {
    const one = this.#make(
      EMPTY,
      this.#numbers().next().value,
      this.#computed(operation, a.id, b.id),
    );
    this.series = [...this.series, one];
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
    this.askOne(copy);
    this.move(copy, this.series.indexOf(one) + 1 - this.series.indexOf(copy));
  }

  /** Moves a series by so many places, as far as the list goes. */
  move(one: BoardSeries, by: number): void {
    const from = this.series.indexOf(one);
    const to = Math.min(this.series.length - 1, Math.max(0, from + by));
    if (from >= 0 && from !== to)
      this.series = this.series.toSpliced(from, 1).toSpliced(to, 0, one);
  }

  /** What would be without its parts if a series were gone: what is computed of it, at any remove. */
  #dependents(one: BoardSeries): BoardSeries[] {
    const gone = new Set([one.id]);
    // The order of the list is the user's: what is computed may stand above what it is computed of.
    for (let before = 0; before < gone.size;) {
      before = gone.size;
      for (const { id, formula } of this.series) {
        if (formula && (gone.has(formula.a) || gone.has(formula.b))) gone.add(id);
      }
    }
    return this.series.filter(({ id }) => gone.has(id));
  }

  /** Takes a series off the board, and what is computed of it. @returns What puts them back where they were. */
  remove(one: BoardSeries): () => void {
    const before = this.series;
    const gone = new Set(this.#dependents(one));
    for (const each of gone) each.dispose();
    this.series = before.filter((other) => !gone.has(other));
    if (this.selected !== null && !this.#find(this.selected)) this.selected = null;
    return () => {
      // Undone otherwise meanwhile: the same query stands again, or another board was opened.
      const again = (each: BoardSeries): boolean =>
        this.series.some(
          (now) => !before.includes(now) && now.query === each.query && now.text === each.text,
        );
      if (
        [...gone].some(again) ||
        !before.some((one) => gone.has(one) || this.series.includes(one))
      )
        return;
      const since = this.series.filter((other) => !before.includes(other));
      this.series = [
        ...before.filter((other) => gone.has(other) || this.series.includes(other)),
        ...since,
      ];
      for (const each of gone) this.askOne(each);
    };
  }

  /** Shows one series alone, or all again where it is alone already. */
  solo(one: BoardSeries): void {
    const alone = !one.hidden && this.series.every((other) => other === one || other.hidden);
    for (const other of this.series) other.hidden = !alone && other !== one;
  }

  /** Whether what is typed in a series becomes its query by itself, in a moment. */
  #pending({ edited, valid }: BoardSeries): boolean {
    return edited && valid && this.sourceId !== 'platform';
  }

  /** What the address can hold: no query that is still empty or just being typed, and nothing computed of one. */
  #told(): BoardSeries[] {
    const told = this.series.filter(
      (one) => !one.blank && (one.query !== '' || !this.#pending(one)),
    );
    const without = (list: BoardSeries[]): BoardSeries[] => {
      const ids = new Set(list.map(({ id }) => id));
      const rest = list.filter(
        ({ formula }) => !formula || (ids.has(formula.a) && ids.has(formula.b)),
      );
      return rest.length === list.length ? list : without(rest);
    };
    return without(told);
  }

  /** Place of a series in the address, 1-based; 0 where it has none. */
  protected placeOf(id: number): number {
    return this.#told().findIndex((one) => one.id === id) + 1;
  }

  protected idAt(place: number): number | undefined {
    return this.#told()[place - 1]?.id;
  }

  /** The series as the address holds them. */
  protected viewSeries(): ViewSeries[] {
    return this.told().map(({ view }) => view);
  }

  /**
   * The series with what a view says of them.
   *
   * @param carried - Whether something else carries the counts of files by the place of their series.
   */
  told(carried = false): { readonly one: BoardSeries; readonly view: ViewSeries }[] {
    const all = this.#told();
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
