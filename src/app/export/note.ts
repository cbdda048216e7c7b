import type { SourceId } from '#contract/source.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { STATE } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ExportSeries } from './csv.ts';

/** A series as a note tells of it, beside its counts. */
export interface NoteSeries extends ExportSeries {
  /** Counted by its query, computed from other series by its formula, or given by a file. */
  readonly kind: 'query' | 'formula' | 'file';
  /** What its pages in the cache cost, whatever range they were bought for; null where counts cost nothing. */
  readonly paid: { readonly pages: number; readonly money: number } | null;
  /** The platform's dated changes that touch the query. */
  readonly changes: readonly { readonly at: number; readonly text: string }[];
  /** Where counts fetched under different indexes of the platform meet. */
  readonly seams: readonly { readonly at: number }[];
  readonly upperBounds: boolean;
}

/** What a method note tells of. */
export interface NoteInput {
  readonly source: SourceId;
  /** Null where the source does not tell. */
  readonly posts: number | null;
  /** The time of which the source has data, epoch ms; a null end is now. Null where that is all of the window. */
  readonly covered: { readonly start: number; readonly end: number | null } | null;
  readonly window: Span;
  readonly zone: string;
  readonly resolution: Resolution;
  readonly endpoint: CountsEndpoint;
  readonly now: number;
  readonly series: readonly NoteSeries[];
}

const SOURCES: Readonly<Record<SourceId, string>> = {
  sample: 'Sample: made-up Posts of this program, no real data',
  posts: 'Your posts, as imported into this service',
  platform: 'The platform',
};

/** A text from a user or a file on one line, so that it can pass for no line of the note. */
const line = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

function coveredLine({ start, end }: { start: number; end: number | null }): string {
  const iso = (at: number): string => new Date(at).toISOString();
  return `The source has data from ${iso(start)} to ${end === null ? 'now' : iso(end)}; outside that time cells are empty and have the status uncovered.`;
}

/** What a source that is paid has to say of a series. */
function platformLines({ paid, changes, seams, upperBounds }: NoteSeries, window: Span): string[] {
  const inside = ({ at }: { at: number }): boolean => at >= window.start && at < window.end;
  return [
    ...(paid ? [`  Paid: $${paid.money} for ${paid.pages} pages, whatever range they cover`] : []),
    ...changes.filter(inside).map(({ at, text }) => `  Dated change: ${day(at)} ${text}`),
    ...seams
      .filter(inside)
      .map(({ at }) => `  Seam: before and after ${day(at)} fetched under different indexes`),
    ...(upperBounds ? ['  Small counts seem rounded up to five: sums are upper bounds'] : []),
  ];
}

/** Where the numbers of a series come from. */
function originLines({ kind, query, source }: NoteSeries): string[] {
  if (kind === 'query') return [`  Query: ${line(query)}`];
  if (kind === 'formula') {
    return [`  Computed, bucket by bucket, from the sums of other series: ${line(query)}`];
  }
  return [
    '  From a file, not counted here',
    ...(query ? [`  Query, as the file says: ${line(query)}`] : []),
    ...(source ? [`  Source, as the file says: ${line(source)}`] : []),
  ];
}

function seriesLines(series: NoteSeries, window: Span): string[] {
  const { label, kind, counts, states, fetchedAt } = series;
  let total = 0;
  let missing = 0;
  let uncovered = 0;
  const state = { partial: 0, provisional: 0 };
  let [first, last] = [Infinity, -Infinity];
  for (const [i, count] of counts.entries()) {
    if (states[i] === STATE.uncovered) uncovered += 1;
    else if (Number.isNaN(count)) missing += 1;
    else total += count;
    if (states[i] === STATE.partial) state.partial += 1;
    if (states[i] === STATE.provisional) state.provisional += 1;
    const at = fetchedAt[i] ?? Number.NaN;
    if (at < first) first = at;
    if (at > last) last = at;
  }
  const iso = (at: number): string => new Date(at).toISOString();
  return [
    `- ${line(label)}`,
    ...originLines(series),
    // A quotient or a share has no sum.
    kind === 'formula' || counts.some((count) => count % 1 !== 0 && !Number.isNaN(count))
      ? `  Known: ${counts.length - missing - uncovered} of ${counts.length} buckets`
      : `  Total: ${total} Posts in ${counts.length - missing - uncovered} of ${counts.length} buckets`,
    ...(uncovered > 0 ? [`  No data: the source does not cover ${uncovered} buckets`] : []),
    `  Missing: ${missing}; cut by the range or not over: ${state.partial}; may still change: ${state.provisional}`,
    ...(first <= last ? [`  Fetched: ${iso(first)} to ${iso(last)}`] : []),
    ...platformLines(series, window),
  ];
}

/** How the numbers of a view came about, in plain text, to go with a file of them. */
export function methodNote(input: NoteInput): string {
  const { covered } = input;
  const { source, posts, window, zone, resolution, endpoint, now, series } = input;
  return [
    'Groundswell: method',
    ...(series.length === 0 || series.some(({ kind }) => kind !== 'file')
      ? [
          `Source: ${SOURCES[source]}${posts === null ? '' : ` (${posts} Posts)`}`,
          `Counts of: ${endpoint === 'all' ? 'the archive (counts/all)' : 'the last 7 days (counts/recent)'}`,
        ]
      : ['Source: files, as told with each series; nothing was counted here']),
    `Range: ${new Date(window.start).toISOString()} to ${new Date(window.end).toISOString()} (end exclusive)`,
    `Time zone of the buckets: ${zone}`,
    `Resolution: ${resolution}`,
    `Written: ${new Date(now).toISOString()}`,
    ...(source === 'platform' ? [] : ['Price: none; nothing was asked of a source that charges']),
    'A count is the number of Posts that match the query, exact; a missing count is left empty, never zero.',
    ...(covered ? [coveredLine(covered)] : []),
    '',
    ...series.flatMap((one) => seriesLines(one, window)),
    '',
  ].join('\n');
}
