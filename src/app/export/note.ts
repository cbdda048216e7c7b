import type { SourceId } from '#contract/source.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { STATE } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ExportSeries } from './csv.ts';

/** A series with the facts that a note states about it. */
export interface NoteSeries extends ExportSeries {
  /** Counted by its query, computed from other series by its formula, or given by a file. */
  readonly kind: 'query' | 'formula' | 'file';
  /** Cost of all its pages in the cache, whatever range they cover; null if counts are free. */
  readonly paid: { readonly pages: number; readonly money: number } | null;
  /** The platform's dated changes that affect the query. */
  readonly changes: readonly { readonly at: number; readonly text: string }[];
  /** Boundaries between counts fetched from different indexes of the platform. */
  readonly seams: readonly { readonly at: number }[];
  readonly upperBounds: boolean;
}

/** Content of a method note. */
export interface NoteInput {
  readonly source: SourceId;
  /** Null if the source does not report it. */
  readonly posts: number | null;
  /** The time for which the source has data, epoch ms; a null end means now. Null if it covers the window. */
  readonly covered: { readonly start: number; readonly end: number | null } | null;
  readonly window: Span;
  readonly zone: string;
  readonly resolution: Resolution;
  readonly endpoint: CountsEndpoint;
  readonly now: number;
  readonly series: readonly NoteSeries[];
}

const SOURCES: Readonly<Record<SourceId, string>> = {
  sample: 'Sample: Posts invented by this program, not real data',
  posts: 'Your posts, as imported into this service',
  platform: 'The platform',
};

/** Puts a text from a user or a file on one line, so that it cannot imitate a line of the note. */
const line = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

function coveredLine({ start, end }: { start: number; end: number | null }): string {
  const iso = (at: number): string => new Date(at).toISOString();
  return `The source has data from ${iso(start)} to ${end === null ? 'now' : iso(end)}; outside that time cells are empty and have the status uncovered.`;
}

/** Lines about a series of the platform. */
function platformLines({ paid, changes, seams, upperBounds }: NoteSeries, window: Span): string[] {
  const inside = ({ at }: { at: number }): boolean => at >= window.start && at < window.end;
  return [
    ...(paid
      ? [
          `  Paid: $${paid.money} for ${paid.pages} pages in all, including pages outside this range`,
        ]
      : []),
    ...changes.filter(inside).map(({ at, text }) => `  Dated change: ${day(at)} ${text}`),
    ...seams
      .filter(inside)
      .map(({ at }) => `  Seam: counts before and after ${day(at)} come from different indexes`),
    ...(upperBounds
      ? ['  Small counts appear to be rounded up to five: sums are upper bounds']
      : []),
  ];
}

/** Lines about the origin of a series. */
function originLines({ kind, query, source }: NoteSeries): string[] {
  if (kind === 'query') return [`  Query: ${line(query)}`];
  if (kind === 'formula') {
    return [`  Computed, bucket by bucket, from the sums of other series: ${line(query)}`];
  }
  return [
    '  Read from a file, not counted here',
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
    // Quotients and shares have no sum.
    kind === 'formula' || counts.some((count) => count % 1 !== 0 && !Number.isNaN(count))
      ? `  Known: ${counts.length - missing - uncovered} of ${counts.length} buckets`
      : `  Total: ${total} Posts in ${counts.length - missing - uncovered} of ${counts.length} buckets`,
    ...(uncovered > 0 ? [`  No data: the source does not cover ${uncovered} buckets`] : []),
    `  Missing: ${missing}; cut by the range or unfinished: ${state.partial}; may still change: ${state.provisional}`,
    ...(first <= last ? [`  Fetched: ${iso(first)} to ${iso(last)}`] : []),
    ...platformLines(series, window),
  ];
}

/** Writes a plain-text note on the origin of a view's numbers, to accompany a file of them. */
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
      : ['Source: files, named with each series; nothing was counted here']),
    `Range: ${new Date(window.start).toISOString()} to ${new Date(window.end).toISOString()} (end exclusive)`,
    `Time zone of the buckets: ${zone}`,
    `Resolution: ${resolution}`,
    `Written: ${new Date(now).toISOString()}`,
    ...(source === 'platform' ? [] : ['Price: none; no paid source was used']),
    'A count is the number of Posts that match the query, exact; a missing count is left empty, never zero.',
    ...(covered ? [coveredLine(covered)] : []),
    '',
    ...series.flatMap((one) => seriesLines(one, window)),
    '',
  ].join('\n');
}
