import { Fault } from '#contract/fault.ts';
import type { PageFault, PageFaultKind } from '#core/counts/check.ts';
import type { RevisionPoint } from '#app/counts/cache/records.ts';
import { errorMessage } from '#core/thrown.ts';

/** Type of the fault for a page that failed its check twice. */
export const REFUSED_PAGE = 'groundswell:refused-page';
/** Type of the fault for an answer that promises more pages but never delivers them. */
export const STUCK_PAGES = 'groundswell:stuck-pages';

const WORDS: Readonly<Record<PageFaultKind, string>> = {
  'cut-body': 'The answer is cut off or isn’t JSON',
  malformed: 'The answer isn’t in the format of counts',
  order: 'Buckets are out of order',
  overlap: 'Buckets overlap',
  gap: 'Buckets are missing',
  'off-grid': 'Buckets don’t start at UTC boundaries',
  outside: 'Buckets lie outside the requested range',
  'bad-count': 'A count is negative, too large or not a whole number',
  'wrong-total': 'The page’s total is not the sum of its buckets',
  'wrong-end': 'The page doesn’t end shortly before it was sent',
  'repeated-page': 'The page belongs to another request',
  'unexpected-token': 'The page is shorter than it should be',
  'changed-settled': 'Settled counts have changed',
  'empty-among-busy': 'The page is empty, but the pages around it aren’t',
  drift: 'Finer counts add up to slightly different totals',
  'contradicts-coarser': 'Finer counts contradict the totals',
  damaged:
    'The browser’s copy of this page was damaged and deleted. It is fetched again when needed',
};

/** Kinds whose evidence is instants; the others have counts or words. */
const OF_TIME: ReadonlySet<PageFaultKind> = new Set([
  'order',
  'overlap',
  'gap',
  'off-grid',
  'outside',
  'repeated-page',
]);

/** An instant as text; as a number if no Date can hold it. */
function instant(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** Describes a page's fault with its evidence. */
export function pageFaultWords(fault: PageFault): string {
  const { kind, at, expected, got, times } = fault;
  const shown = (value: number | string): string =>
    typeof value === 'number' && OF_TIME.has(kind) ? instant(value) : String(value);
  const where = at === undefined || Number.isNaN(at) ? '' : ` at ${instant(at)}`;
  const what = [
    expected === undefined ? '' : `expected ${shown(expected)}`,
    got === undefined ? '' : `got ${shown(got)}`,
  ].filter(Boolean);
  const more = times > 1 ? ` (${times} buckets)` : '';
  return `${WORDS[kind]}${where}${what.length > 0 ? `: ${what.join(', ')}` : ''}${more}`;
}

/** The fault for a page that failed its check twice. */
export function refusedPage(faults: readonly PageFault[]): Fault {
  return new Fault(200, {
    title: 'The source sent contradictory numbers twice',
    type: REFUSED_PAGE,
    errors: faults.map((fault) => ({ message: pageFaultWords(fault) })),
  });
}

/** The fault for an answer that promises more pages, to which neither its bounds nor its token lead. */
export function stuckPages(at: number): Fault {
  return new Fault(200, {
    title: 'The source announces more pages but doesn’t send them',
    detail: `Nothing came for the time from ${new Date(at).toISOString()}`,
    type: STUCK_PAGES,
  });
}

/** Answers come from another store than expected, or from one restored from a backup: its file was replaced. */
export class StoreMoved extends Error {
  override readonly name = 'StoreMoved';
  readonly store: string;
  readonly point: RevisionPoint;

  constructor(store: string, point: RevisionPoint) {
    super(`the answers come from store ${store} at revision ${point.revision}`);
    this.store = store;
    this.point = point;
  }
}

/** More requests are needed than were approved. The rest must be planned and approved first. */
export class NotApproved extends Error {
  override readonly name = 'NotApproved';
  /** Of the last request without a complete answer; null if none was sent for this page. */
  readonly fault: Fault | null;

  constructor(fault: Fault | null = null) {
    super('more requests are needed than were approved');
    this.fault = fault;
  }
}

/** Type of the fault for an error in this page. */
const BROKEN_PAGE = 'groundswell:broken-page';

/** Converts any error to a fault that can be shown. */
export function faultFrom(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const detail = errorMessage(error);
  return new Fault(0, { title: 'This page can’t continue', detail, type: BROKEN_PAGE });
}
