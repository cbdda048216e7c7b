import type { CountField } from '#contract/counts.ts';
import { formatInstant } from '#contract/instant.ts';
import { BUCKET_MS, floorTo } from '#core/time/bucket.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** Length of `2024-01-31T08:30:00.000Z`. */
const TIME = 24;
const ZERO = 48;
/** Room for `],"meta":{…}}` with the longest token. */
const TAIL = 1024;

/** What a page of counts is written from. */
export interface CountPage {
  readonly span: Span;
  readonly granularity: Granularity;
  /** Per UTC bucket of the span, the first and last cut by it. */
  readonly counts: Uint32Array;
  /** Members of each bucket, in the order written. */
  readonly fields: readonly CountField[];
}

/** A row with room for its times and, at its end, for its count. */
function rowForm(fields: readonly CountField[]): { text: string; start: number; end: number } {
  let text = ',{';
  const at = { start: -1, end: -1 };
  for (const field of fields.filter((field) => field !== 'tweet_count')) {
    if (text.length > 2) text += ',';
    text += `"${field}":"`;
    at[field] = text.length;
    text += `${' '.repeat(TIME)}"`;
  }
  if (fields.includes('tweet_count')) text += `${text.length > 2 ? ',' : ''}"tweet_count":`;
  return { text, ...at };
}

/** Puts a whole minute into a text of a time of the same UTC day. */
function putMinute(bytes: Uint8Array, minuteOfDay: number): void {
  const hour = Math.floor(minuteOfDay / 60);
  const minute = minuteOfDay % 60;
  bytes[11] = ZERO + Math.floor(hour / 10);
  bytes[12] = ZERO + (hour % 10);
  bytes[14] = ZERO + Math.floor(minute / 10);
  bytes[15] = ZERO + (minute % 10);
}

/**
 * The JSON text of a page, `{"data":[…],"meta":{…}}`, written byte by byte from its counts: a page of
 * 44,640 minutes takes milliseconds and no object per bucket.
 *
 * @returns The text in UTF-8, and the sum of the counts that it carries as `total_tweet_count`.
 */
export function writePage(
  page: CountPage,
  nextToken: string | null,
): { body: Uint8Array; total: number } {
  const { span, granularity, counts, fields } = page;
  const form = rowForm(fields);
  const template = Buffer.from(form.text, 'latin1');
  const withCount = fields.includes('tweet_count');
  const head = Buffer.from('{"data":[', 'latin1');
  const out = Buffer.allocUnsafe(head.length + counts.length * (template.length + 11) + TAIL);
  // Every row begins with a comma; the head's last character takes the place of the first one.
  let at = head.length - 1;

  const width = BUCKET_MS[granularity];
  const minutes = width / 60_000;
  const edge = (instant: number): Uint8Array => Buffer.from(formatInstant(instant), 'latin1');
  const start = edge(span.start);
  const end = edge(span.start);
  let boundary = floorTo(span.start, granularity);
  let minute = Math.floor((boundary % 86_400_000) / 60_000);
  let total = 0;

  for (let i = 0; i < counts.length; i++) {
    boundary += width;
    minute += minutes;
    if (boundary >= span.end) end.set(edge(span.end));
    else if (minute >= 1440 || i === 0) {
      minute %= 1440;
      end.set(edge(boundary));
    } else putMinute(end, minute);

    out.set(template, at);
    if (form.start >= 0) out.set(start, at + form.start);
    if (form.end >= 0) out.set(end, at + form.end);
    at += template.length;
    const count = counts[i] ?? 0;
    total += count;
    if (withCount) {
      if (count < 10) out[at++] = ZERO + count;
      else at += out.write(String(count), at, 'latin1');
    }
    out[at++] = 125; // }
    start.set(end);
  }
  head.copy(out);
  const meta = {
    total_tweet_count: total,
    ...(nextToken === null ? {} : { next_token: nextToken }),
  };
  at = Math.max(at, head.length);
  at += out.write(`],"meta":${JSON.stringify(meta)}}`, at, 'latin1');
  return { body: out.subarray(0, at), total };
}

/** The answer to a question that nothing can match: meta alone (recorded, platform-facts 1.3). */
export function writeNothing(): Uint8Array {
  return Buffer.from('{"meta":{"total_tweet_count":0}}', 'latin1');
}
