import type { Formatter } from '#app/format/formatter.ts';
import type { Purpose, StoredReceipt } from '#app/counts/cache/records.ts';
import { pageFaultWords } from '#app/counts/fetch/faults.ts';

const PURPOSE: Readonly<Record<Purpose, string>> = {
  count: '',
  again: 'Requested again because the first answer was rejected.',
  audit: 'Compared at random.',
  probe: 'Compared across the change of the index.',
};

/** One receipt as the list shows it. */
export interface ReceiptLine {
  readonly id: string;
  readonly when: string;
  readonly span: string;
  readonly asked: string;
  readonly total: string;
  /** Empty for the user's own posts, which are free; `perhaps $0.01` if no answer came. */
  readonly price: string;
  /** False if no count of the page is shown. */
  readonly believed: boolean;
  /** Its purpose, its faults and the counts it contradicts, a sentence each. */
  readonly notes: readonly string[];
}

/** The most contradicted counts listed one by one. */
const REVISIONS = 3;

/** `2024-03-05: 4,929 then, 4,930 on 2026-11-21`, the first of them. */
function revisionNotes({ revisions, granularity, at }: StoredReceipt, format: Formatter): string[] {
  const day = granularity === 'day';
  const notes = revisions
    .slice(0, REVISIONS)
    .map(
      ({ start, was, now }) =>
        `${day ? format.date(start) : format.moment(start)}: ${format.count(was)} then, ${format.count(now)} on ${format.date(at)}.`,
    );
  const rest = revisions.length - notes.length;
  if (rest > 0)
    notes.push(`${format.count(rest)} more counts differ. The first ones stay visible.`);
  return notes;
}

/** The line of a request without a complete answer. */
function uncertainLine(receipt: StoredReceipt, money: number, format: Formatter): ReceiptLine {
  const { start, end } = receipt.requested;
  return {
    id: receipt.id,
    when: format.moment(receipt.at),
    span: format.span({ start, end: end ?? Math.max(start, receipt.at) }, 'UTC'),
    asked: `${receipt.endpoint === 'all' ? 'archive' : 'recent'}, ${receipt.granularity}s`,
    total: '',
    price: `perhaps ${format.money(money)}`,
    believed: false,
    notes: ['No complete answer. The platform may have billed it anyway.'],
  };
}

/** The line of a receipt. */
export function receiptLine(
  receipt: StoredReceipt,
  priced: boolean,
  format: Formatter,
): ReceiptLine {
  if (receipt.uncertain !== undefined) return uncertainLine(receipt, receipt.uncertain, format);
  const refused = !receipt.accepted && receipt.faults.length > 0;
  const notes = [PURPOSE[receipt.purpose]].filter(Boolean);
  if (refused) notes.push('Rejected: none of its counts are shown.');
  notes.push(...receipt.faults.map((fault) => `${pageFaultWords(fault)}.`));
  const compared = receipt.purpose === 'audit' || receipt.purpose === 'probe';
  if (compared && !refused && receipt.revisions.length === 0)
    notes.push('All settled counts are the same.');
  notes.push(...revisionNotes(receipt, format));
  return {
    id: receipt.id,
    when: format.moment(receipt.at),
    span: format.span(receipt.reported, 'UTC'),
    asked: `${receipt.endpoint === 'all' ? 'archive' : 'recent'}, ${receipt.granularity}s`,
    total: format.count(receipt.total),
    price: !priced ? '' : receipt.price > 0 ? format.money(receipt.price) : 'held',
    believed: !refused,
    notes,
  };
}

/** The difference that deletions alone explain (ledger rule 15): this many Posts or this share, whichever is more. */
const DRIFT = { posts: 2, share: 0.02 };

/**
 * The verdict of the last comparison across a change of the index; null if there was none.
 *
 * @param receipts - Newest first.
 */
export function probeVerdict(
  receipts: readonly StoredReceipt[],
  format: Formatter,
): { readonly same: boolean; readonly text: string } | null {
  const probe = receipts.find((receipt) => receipt.purpose === 'probe');
  if (!probe || (!probe.accepted && probe.faults.length > 0)) return null;
  const { revisions, reported: span, total, at } = probe;
  const from = `${format.span(span, 'UTC')}, fetched again on ${format.date(at)}:`;
  const byBucket =
    'It seems that the change depends on the date of the bucket: counts before it are comparable, whenever they were fetched.';
  if (revisions.length === 0) {
    return {
      same: true,
      text: `${from} all counts are the same as under the previous index. ${byBucket}`,
    };
  }
  const moved = revisions.reduce((sum, { was, now }) => sum + Math.abs(now - was), 0);
  const differ = `${format.counted(revisions.length, 'count differs', 'counts differ')}, by ${format.counted(moved, 'Post')} in all`;
  if (moved <= Math.max(DRIFT.posts, DRIFT.share * total)) {
    return {
      same: true,
      text: `${from} ${differ}, which deletions alone can explain. ${byBucket}`,
    };
  }
  return {
    same: false,
    text: `${from} ${differ}. The change depends on the date of fetching: don't compare counts fetched before it with counts fetched after.`,
  };
}
