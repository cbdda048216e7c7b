import type { SourceId, SourceInfo } from '#contract/counts/source.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { RULES_VERSION } from '#core/query/format.ts';
import { STATE } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import { KIND_FACTS } from '#app/events/event.ts';
import { eventDetails, type FileEvent } from '#app/events/event-file.ts';
import type { ExportSeries } from '#core/export/csv.ts';

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
  /** The store of Posts that was counted, as of a revision; null if the source has none. */
  readonly store: Pick<SourceInfo, 'store' | 'revision' | 'mark'> | null;
  /** The times for which the source has data, ascending; null if they contain the window. */
  readonly covered: readonly Span[] | null;
  readonly window: Span;
  /** The range of which the window is a part; null if it is all of it. */
  readonly range: Span | null;
  readonly zone: string;
  readonly resolution: Resolution;
  readonly endpoint: CountsEndpoint;
  readonly now: number;
  /** Those in the window that the note lists. */
  readonly events: readonly FileEvent[];
  readonly series: readonly NoteSeries[];
}

const SOURCES: Readonly<Record<SourceId, string>> = {
  sample: 'Sample: Posts invented by this program, not real data',
  posts: 'Your posts, as imported into this service',
  platform: 'The platform',
};

/** Puts a text from a user or a file on one line, so that it cannot imitate a line of the note. */
export const line = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** A line of a note. */
export interface NoteLine {
  /** The note itself, a series, or a fact of the series above. */
  readonly of: 'note' | 'series' | 'fact';
  /** Empty for a sentence or the name of a series. */
  readonly name: string;
  readonly value: string;
}

const fact = (name: string, value: string): NoteLine => ({ of: 'fact', name, value });

/** Names of facts that another program reads. */
export const FACTS = {
  query: 'Query',
  given: 'Query, as the file says',
  formula: 'Computed, bucket by bucket, from the sums of other series',
  store: 'Store of Posts',
  rules: 'Rules of queries',
  range: 'Part of',
  zone: 'Time zone of the buckets',
  resolution: 'Resolution',
  written: 'Written',
} as const;

/** The store of a note, read again; null for another text. */
export function storeIn(text: string): NoteInput['store'] {
  const [, store, revision, mark] = /^(.+), revision (\d+)(?:, mark (\S+))?$/.exec(text) ?? [];
  return store === undefined ? null : { store, revision: Number(revision), mark };
}

const storeText = ({ store, revision, mark }: NonNullable<NoteInput['store']>): string =>
  `${store}, revision ${revision}${mark === undefined ? '' : `, mark ${mark}`}`;

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

const spanText = ({ start, end }: Span): string =>
  `${new Date(start).toISOString()} to ${new Date(end).toISOString()} (end exclusive)`;

function coveredLine(covered: readonly Span[]): string {
  const iso = (at: number): string => new Date(at).toISOString();
  const spans = covered.map(
    ({ start, end }) => `from ${iso(start)} to ${end === Infinity ? 'now' : iso(end)}`,
  );
  if (spans.length === 0) return 'The source has no data.';
  return `The source has data ${spans.join(' and ')}; outside that time cells are empty and have the status uncovered.`;
}

/** Lines about a series of the platform. */
function platformLines(
  { paid, changes, seams, upperBounds }: NoteSeries,
  window: Span,
): NoteLine[] {
  const inside = ({ at }: { at: number }): boolean => at >= window.start && at < window.end;
  return [
    ...(paid
      ? [
          fact(
            'Paid',
            `$${paid.money} for ${paid.pages} pages in all, including pages outside this range`,
          ),
        ]
      : []),
    ...changes.filter(inside).map(({ at, text }) => fact('Dated change', `${day(at)} ${text}`)),
    ...seams
      .filter(inside)
      .map(({ at }) =>
        fact('Seam', `counts before and after ${day(at)} come from different indexes`),
      ),
    ...(upperBounds
      ? [fact('', 'Small counts appear to be rounded up to five: sums are upper bounds')]
      : []),
  ];
}

/** Lines about the origin of a series. */
function originLines({ kind, query, source }: NoteSeries): NoteLine[] {
  if (kind === 'query') return [fact(FACTS.query, line(query))];
  if (kind === 'formula') {
    return [fact(FACTS.formula, line(query))];
  }
  return [
    fact('', 'Read from a file, not counted here'),
    ...(query ? [fact(FACTS.given, line(query))] : []),
    ...(source ? [fact('Source, as the file says', line(source))] : []),
  ];
}

/** The figures of a note about a series, which follow from its counts alone. */
export function figureLines({
  kind,
  counts,
  states,
  fetchedAt,
}: Pick<NoteSeries, 'kind' | 'counts' | 'states' | 'fetchedAt'>): NoteLine[] {
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
  const known = `${counts.length - missing - uncovered} of ${counts.length} buckets`;
  return [
    // Quotients and shares have no sum.
    kind === 'formula' || counts.some((count) => count % 1 !== 0 && !Number.isNaN(count))
      ? fact('Known', known)
      : fact('Total', `${total} Posts in ${known}`),
    ...(uncovered > 0 ? [fact('No data', `the source does not cover ${uncovered} buckets`)] : []),
    fact(
      'Missing',
      `${missing}; counted in part: ${state.partial}; may still change: ${state.provisional}`,
    ),
    ...(first <= last ? [fact('Fetched', `${iso(first)} to ${iso(last)}`)] : []),
  ];
}

const seriesLines = (series: NoteSeries, window: Span): NoteLine[] => [
  { of: 'series', name: '', value: line(series.label) },
  ...originLines(series),
  ...figureLines(series),
  ...platformLines(series, window),
];

function datedLines({ events }: NoteInput): NoteLine[] {
  const iso = (at: number): string => new Date(at).toISOString();
  return events.map((event): NoteLine => {
    const { kind, start, end, title } = event;
    const name = `${KIND_FACTS[kind].one}, ${iso(start)}${end === null ? '' : ` to ${iso(end)}`}`;
    return {
      of: 'note',
      name,
      value: line([title, eventDetails(event)].filter(Boolean).join(' · ')),
    };
  });
}

/** The lines of a note on the origin of a view's numbers: of the whole, then of each series. */
export function methodLines(input: NoteInput): NoteLine[] {
  const { covered } = input;
  const { source, posts, store, window, range, zone, resolution, endpoint, now, series } = input;
  const note = (name: string, value: string): NoteLine => ({ of: 'note', name, value });
  return [
    ...(series.length === 0 || series.some(({ kind }) => kind !== 'file')
      ? [
          note('Source', `${SOURCES[source]}${posts === null ? '' : ` (${posts} Posts)`}`),
          note(
            'Counts of',
            endpoint === 'all' ? 'the archive (counts/all)' : 'the last 7 days (counts/recent)',
          ),
          ...(store ? [note(FACTS.store, line(storeText(store)))] : []),
          note(FACTS.rules, `version ${RULES_VERSION}`),
        ]
      : [note('Source', 'files, named with each series; nothing was counted here')]),
    note('Range', spanText(window)),
    ...(range ? [note(FACTS.range, `${spanText(range)}, in which peaks are found`)] : []),
    note(FACTS.zone, zone),
    note(FACTS.resolution, resolution),
    note(FACTS.written, new Date(now).toISOString()),
    ...(source === 'platform' ? [] : [note('Price', 'none; no paid source was used')]),
    note(
      '',
      'A count is the number of Posts that match the query, exact; a missing count is left empty, never zero.',
    ),
    ...(covered ? [note('', coveredLine(covered))] : []),
    ...datedLines(input),
    ...series.flatMap((each) => seriesLines(each, window)),
  ];
}

const BEGINS = { note: '', series: '- ', fact: '  ' } as const;

/** Writes a plain-text note on the origin of a view's numbers, to accompany a file of them. */
export function methodNote(input: NoteInput): string {
  const text = ({ of, name, value }: NoteLine): string =>
    `${BEGINS[of]}${name === '' ? value : `${name}: ${value}`}`;
  const lines = methodLines(input);
  return [
    'Groundswell: method',
    ...lines.filter(({ of }) => of === 'note').map(text),
    '',
    ...lines.filter(({ of }) => of !== 'note').map(text),
    '',
  ].join('\n');
}
