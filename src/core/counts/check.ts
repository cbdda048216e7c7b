import { BUCKET_MS, floorTo, type Granularity } from '#core/time/bucket.ts';
import { MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';

/** A page as parsed, before any check; buckets in the order written. */
export interface Page {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** As written: may be negative, fractional or NaN. */
  readonly counts: Float64Array;
  /** The page's own total, null if it has none. */
  readonly total: number | null;
  readonly token: string | null;
}

export type PageFaultKind =
  | 'cut-body'
  | 'malformed'
  | 'order'
  | 'overlap'
  | 'gap'
  | 'off-grid'
  | 'outside'
  | 'bad-count'
  | 'wrong-total'
  | 'wrong-end'
  | 'repeated-page'
  | 'unexpected-token'
  | 'changed-settled'
  | 'empty-among-busy'
  | 'drift'
  | 'contradicts-coarser'
  /** Not a fault of the page itself, but of what the browser stored of it. */
  | 'damaged';

/** The fault of a page, with the first evidence. */
export interface PageFault {
  readonly kind: PageFaultKind;
  /** The position at which it appears first: start of a bucket, or a bound. */
  readonly at?: number;
  readonly expected?: number | string;
  readonly got?: number | string;
  /** The number of buckets that show it. */
  readonly times: number;
}

/** Faults that are noted while the page is stored. */
export const NOTED: ReadonlySet<PageFaultKind> = new Set([
  'unexpected-token',
  'changed-settled',
  'drift',
  'damaged',
]);

/** The request that was sent. */
export interface Asked {
  readonly granularity: Granularity;
  readonly start: number;
  /** Null if the source chose its own end. */
  readonly end: number | null;
  /** The answer's Date, epoch ms. */
  readonly date: number;
  /** True if the request followed a token: then the page need not reach either bound. */
  readonly followed?: boolean;
  /** Earlier pages of this run: none of them has the same bounds. */
  readonly earlier: readonly Span[];
}

/** An end that the source chooses lies 10 to 60 s before the answer's Date. */
const END_MS = { min: 10 * SECOND_MS, max: MINUTE_MS } as const;

/** The greatest count that a record can store. */
const MOST_COUNT = 2 ** 32 - 1;

/** The span that a page covers, null if it has no bucket. */
export function pageSpan(page: Page): Span | null {
  const start = page.starts[0];
  const end = page.ends.at(-1);
  return start === undefined || end === undefined ? null : { start, end };
}

/** Collects faults: the first evidence of each kind, and how often it occurs. */
class Evidence {
  readonly found = new Map<PageFaultKind, PageFault>();

  add(kind: PageFaultKind, evidence: Omit<PageFault, 'kind' | 'times'>): void {
    const before = this.found.get(kind);
    if (before) this.found.set(kind, { ...before, times: before.times + 1 });
    else this.found.set(kind, { kind, ...evidence, times: 1 });
  }
}

function checkBuckets(page: Page, asked: Asked, evidence: Evidence): number {
  const { starts, ends, counts } = page;
  const width = BUCKET_MS[asked.granularity];
  const bound = asked.end ?? asked.date;
  let sum = 0;
  for (let i = 0; i < starts.length; i += 1) {
    const start = starts[i] ?? NaN;
    const end = ends[i] ?? NaN;
    const count = counts[i] ?? NaN;
    sum += count;
    if (!Number.isInteger(count) || count < 0 || count > MOST_COUNT) {
      evidence.add('bad-count', { at: start, got: count });
    }
    if (start < asked.start)
      evidence.add('outside', { at: start, expected: asked.start, got: start });
    if (end > bound) evidence.add('outside', { at: start, expected: bound, got: end });
    if (i > 0) {
      const before = starts[i - 1] ?? NaN;
      const expected = ends[i - 1] ?? NaN;
      if (start < before) evidence.add('order', { at: start, expected, got: start });
      else if (start < expected) evidence.add('overlap', { at: start, expected, got: start });
      else if (start > expected) evidence.add('gap', { at: expected, expected, got: start });
    }
    const grid = floorTo(start, asked.granularity);
    const firstCut = i === 0 && start === asked.start;
    if (start !== grid && !firstCut) {
      evidence.add('off-grid', { at: start, expected: grid, got: start });
    }
    const lastCut = i === starts.length - 1 && (asked.end === null || end === asked.end);
    const whole = end === grid + width;
    if (!whole && !(lastCut && end > start && end < grid + width)) {
      evidence.add('off-grid', { at: start, expected: grid + width, got: end });
    }
  }
  return sum;
}

/**
 * Checks a page against the request and against itself.
 *
 * @returns The faults found, one of each kind; empty for a correct page. For a page without buckets,
 *   only the total and the token are checked here.
 */
export function checkPage(page: Page, asked: Asked): PageFault[] {
  const evidence = new Evidence();
  const sum = checkBuckets(page, asked, evidence);
  if (page.total === null || (page.total !== sum && !Number.isNaN(sum))) {
    evidence.add('wrong-total', { expected: sum, got: page.total ?? 'none' });
  }
  if (page.token !== null) evidence.add('unexpected-token', { got: page.token });
  const span = pageSpan(page);
  if (span === null) return [...evidence.found.values()];
  const reaches = page.token === null && !asked.followed;
  if (reaches && span.start > asked.start) {
    evidence.add('gap', { at: asked.start, expected: asked.start, got: span.start });
  }
  if (reaches && asked.end !== null && span.end < asked.end) {
    evidence.add('gap', { at: span.end, expected: asked.end, got: span.end });
  }
  const lag = asked.date - span.end;
  if (asked.end === null && !asked.followed && (lag < END_MS.min || lag > END_MS.max)) {
    const got = `${lag / SECOND_MS} s before Date`;
    evidence.add('wrong-end', { at: span.end, expected: '10 to 60 s before Date', got });
  }
  if (asked.end !== null && asked.date < asked.end) {
    const got = `${(asked.end - asked.date) / SECOND_MS} s after Date`;
    evidence.add('wrong-end', { at: asked.end, expected: 'an end before Date', got });
  }
  if (asked.earlier.some((page) => page.start === span.start && page.end === span.end)) {
    evidence.add('repeated-page', { at: span.start, got: span.end });
  }
  return [...evidence.found.values()];
}

/**
 * True if a fault forbids storing the page. `contradicts-coarser` does so only until a second answer
 * agrees.
 */
export function refuses(fault: PageFault): boolean {
  return !NOTED.has(fault.kind);
}
