import type { BasisUnit } from '#core/series/basis.ts';
import { curveOver, fetchedRuns, type FetchedRun } from '#core/series/fetch-times.ts';
import type { Curve } from '#core/series/series.ts';
import { Edges } from '#core/time/edges.ts';
import type { Span } from '#core/time/span.ts';
import type { RenderRequest, Rendered } from './messages.ts';

/*
 * Transfers curves between the page and the worker. All series of a board share their edges, so these are sent once.
 * Edges of minutes are only sent back: writing twenty years of them would take the page too long.
 */

/** Has `bounds` or `minutes`; neither if the edges are those of the previous request. */
export interface SentRequest extends Omit<RenderRequest, 'edges' | 'basis'> {
  readonly basis: { readonly unit: BasisUnit; readonly bounds: Float64Array } | null;
  readonly bounds?: Float64Array;
  readonly minutes?: Span;
  /** True if the page still needs the edges of the minutes. */
  readonly wanted?: boolean;
}

export interface SentCurve extends Omit<Rendered, 'curve'> {
  readonly curve: Pick<Curve, 'counts' | 'states'> & {
    /** Null if they are those of the request. */
    readonly bounds: Float64Array | null;
    /** The times, or the runs to expand to them. */
    readonly fetched: Float64Array | readonly FetchedRun[];
  };
}

/** A curve with plain arrays instead of getters. */
function plainOf({ bounds, counts, states, fetchedAt }: Curve): Curve {
  return { bounds, counts, states, fetchedAt };
}

/** The page's side. */
export class PageCurves {
  #last: Edges | null = null;
  readonly #wanted = new WeakSet<Edges>();

  /** Packs a request. */
  sent({ edges, basis: by, ...others }: RenderRequest): SentRequest {
    const rest = { ...others, basis: by && { unit: by.unit, bounds: by.edges.all } };
    if (edges.minutes) {
      const wanted = !edges.written && !this.#wanted.has(edges);
      this.#wanted.add(edges);
      return { ...rest, minutes: { start: edges.start, end: edges.end }, wanted };
    }
    const had = edges === this.#last;
    this.#last = edges;
    return had ? rest : { ...rest, bounds: edges.all };
  }

  /** Unpacks the answer for edges. */
  rendered(edges: Edges, { curve: sent, ...rest }: SentCurve): Rendered {
    const { bounds, counts, states, fetched } = sent;
    if (bounds && edges.minutes) edges.take(bounds);
    if (!(fetched instanceof Float64Array)) {
      const over = bounds && !edges.minutes ? Edges.of(bounds) : edges;
      return { ...rest, curve: curveOver(over, counts, states, fetched) };
    }
    const curve = { bounds: bounds ?? edges.all, counts, states, fetchedAt: fetched };
    return { ...rest, curve };
  }
}

/** The worker's side. */
export class WorkerCurves {
  #last = Edges.of(new Float64Array());

  /** Unpacks a request. */
  request({ bounds, minutes, basis: by, cut, reach, covered, failed }: SentRequest): RenderRequest {
    if (bounds) this.#last = Edges.of(bounds);
    const edges = minutes ? Edges.ofMinutes(minutes) : this.#last;
    const basis = by && { unit: by.unit, edges: Edges.of(by.bounds) };
    return { edges, cut, basis, reach, covered, failed };
  }

  /** Packs an answer. @returns Also the buffers to transfer instead of copying: none that the store still uses. */
  sent(rendered: Rendered, { edges }: RenderRequest, wanted = false): [SentCurve, Transferable[]] {
    const { curve, pyramid, basis: figures, ...rest } = rendered;
    const basis = figures && { ...figures, curve: plainOf(figures.curve) };
    const { counts, states } = curve;
    const fetched = fetchedRuns(curve) ?? curve.fetchedAt;
    const known = edges.minutes ? !wanted : curve.bounds === edges.all;
    const bounds = known ? null : curve.bounds;
    const arrays = [counts, states, pyramid.values, pyramid.sums, pyramid.holes, pyramid.even];
    for (const { min, max } of pyramid.levels) arrays.push(min, max);
    if (bounds) arrays.push(bounds);
    if (fetched instanceof Float64Array) arrays.push(fetched);
    const buffers = new Set(arrays.map((array) => array.buffer as ArrayBuffer));
    return [{ ...rest, pyramid, basis, curve: { counts, states, bounds, fetched } }, [...buffers]];
  }
}
