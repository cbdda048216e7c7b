import { bucketCount } from '#core/time/bucket.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { checkPage, pageSpan, refuses, type Asked, type Page, type PageFault } from './check.ts';
import { HEAD_MARGIN_MS } from './head.ts';
import type { ReceiptNote, ReportedCounts } from './ledger.ts';

/**
 * The meaning of an answer. `refused`: it is not to be stored. `nothing`: no bucket, but more pages follow. `empty`: no
 * Posts, which is to be judged (`empty-pages.ts`). `counts`: Posts.
 */
type Meaning =
  | { readonly kind: 'refused'; readonly faults: readonly PageFault[] }
  | {
      readonly kind: 'nothing' | 'empty' | 'counts';
      /** Faults that are noted. */
      readonly faults: readonly PageFault[];
      readonly page: Page;
      /** True if the page has no bucket. */
      readonly absent: boolean;
      /** A page without buckets reports zeros for its request (ledger rules 9 and 17). */
      readonly reported: ReportedCounts;
    };

/**
 * Finds what an answer means.
 *
 * @param page - As read; a fault if that failed.
 * @param receipt - Id of its receipt.
 */
export function answerMeaning(
  page: Page | PageFault,
  asked: Asked,
  receipt: string,
  note: ReceiptNote,
): Meaning {
  if ('kind' in page) return { kind: 'refused', faults: [page] };
  const faults = checkPage(page, asked);
  if (faults.some(refuses)) return { kind: 'refused', faults };
  const { start, granularity, date } = asked;
  const span = pageSpan(page);
  const end = asked.end ?? Math.floor((date - HEAD_MARGIN_MS) / SECOND_MS) * SECOND_MS;
  const reported = {
    ...(span ?? { start, end }),
    counts: span ? page.counts : new Uint8Array(bucketCount(start, end, granularity)),
    receipt,
    note,
  };
  const posts = page.total === 0 ? 'empty' : 'counts';
  const kind = !span && page.token !== null ? 'nothing' : posts;
  return { kind, faults, page, absent: span === null, reported };
}
