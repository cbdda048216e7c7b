/** Cells of a column of a block. */
export type FacetCells = Int32Array | Float64Array;

/** Values of which a column that has no more of them lists all. */
const MOST_LISTED = 64;

/** The range of the cells of a column, without reading them: all their values, or the least and the most. */
export type FacetRange =
  | { readonly is: 'listed'; readonly values: readonly number[] }
  | { readonly is: 'between'; readonly least: number; readonly most: number };

/** The range of cells. */
export function facetRange(cells: FacetCells): FacetRange {
  const values = new Set<number>();
  let before = NaN;
  for (let i = 0; i < cells.length && values.size <= MOST_LISTED; i++) {
    const cell = cells[i] ?? NaN;
    if (cell === before) continue;
    before = cell;
    values.add(cell);
  }
  if (values.size <= MOST_LISTED) return { is: 'listed', values: [...values] };
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? NaN;
    if (cell < least) least = cell;
    if (cell > most) most = cell;
  }
  return { is: 'between', least, most };
}

/** Decides about the cells of a column; a missing value is as the column stores it. */
export interface CellTest {
  /** True if any cell of a range could pass. */
  mayPass(range: FacetRange): boolean;
  /** Selects those of the first `count` places whose cells pass, in front and in order. @returns Their number. */
  select(cells: FacetCells, places: Int32Array, count: number): number;
}

/** Cells between two bounds, both included. */
export function between(least: number, most: number): CellTest {
  return {
    mayPass: (range) =>
      range.is === 'between'
        ? range.most >= least && range.least <= most
        : range.values.some((value) => value >= least && value <= most),
    select: (cells, places, count) => {
      let passed = 0;
      for (let i = 0; i < count; i++) {
        const place = places[i] ?? 0;
        const cell = cells[place] ?? NaN;
        if (cell >= least && cell <= most) places[passed++] = place;
      }
      return passed;
    },
  };
}

const UNKNOWN = 0;
const PASSES = 1;
const FAILS = 2;

/** Cells that are whole numbers from 0 on, about each of which is decided once. */
export function decidedBy(passes: (cell: number) => boolean): CellTest {
  let decisions = new Uint8Array(1024);
  const decide = (cell: number): number => {
    if (cell >= decisions.length) {
      const longer = new Uint8Array(2 ** Math.ceil(Math.log2(cell + 1)));
      longer.set(decisions);
      decisions = longer;
    }
    return (decisions[cell] = passes(cell) ? PASSES : FAILS);
  };
  return {
    mayPass: (range) =>
      range.is === 'between' ||
      range.values.some((cell) => (decisions[cell] || decide(cell)) === PASSES),
    select: (cells, places, count) => {
      let passed = 0;
      for (let i = 0; i < count; i++) {
        const place = places[i] ?? 0;
        const cell = cells[place] ?? 0;
        let decision = decisions[cell] ?? UNKNOWN;
        if (decision === UNKNOWN) decision = decide(cell);
        if (decision === PASSES) places[passed++] = place;
      }
      return passed;
    },
  };
}
