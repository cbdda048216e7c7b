import type { FileSeries } from '#app/export/fixed.ts';
import { unescaped } from '#app/export/markup.ts';
import { FACTS } from '#app/export/note.ts';
import { isUnchanged } from '#app/export/report.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { peaksFound } from '#app/insight/peaks/peaks-found.ts';
import { summaryRows } from '#app/insight/summary/summary-rows.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE } from '#core/series/series.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { isZone } from '#core/time/zone-name.ts';
import { seriesFacts, type MethodLine } from './counts-in-file.ts';
import { headingOf, summaryCell, type ColumnId } from '#app/insight/summary/summary-columns.ts';
import { type VerifiedFigures, type In, compareMethod } from './verified-figures.ts';

/** The digits of a number as a page shows it; null if its digits are not 0 to 9. */
const digitsOf = (cell: string): string | null =>
  /[^\d\P{Nd}]/u.test(cell) ? null : cell.replaceAll(/\D/g, '');

/** The cells of the first table whose heading begins with a text. */
function tableIn(html: string, heading: string): readonly (readonly string[])[] {
  const start = html.indexOf(`<h2>${heading}`);
  const rows = start < 0 ? '' : html.slice(start, html.indexOf('</table>', start));
  return [...rows.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => unescaped(cell)),
  );
}

/** The view in which the figures of a report were computed. */
interface Shown {
  readonly per: Resolution;
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  /** False for a part of a range, whose peaks are those of the whole. */
  readonly isAll: boolean;
}

/** Null if the method does not say. */
function shownIn(method: readonly MethodLine[]): Shown | null {
  const said = new Map(method.map(({ name, value }) => [name, value]));
  const per = RESOLUTIONS.find((name) => name === said.get(FACTS.resolution));
  const zone = said.get(FACTS.zone) ?? '';
  const now = Date.parse(said.get(FACTS.written) ?? '');
  if (!per || !isZone(zone) || Number.isNaN(now)) return null;
  return { per, zone, now, isAll: !said.has(FACTS.range) };
}

/** A series as the tables of a report take it. @param at - Its position. */
function reported(
  { curve, source }: FileSeries,
  said: ReadonlyMap<string, string> | undefined,
  { at, name, now }: { readonly at: number; readonly name: string; readonly now: number },
): InsightSeries & { readonly shown: string; readonly source: string } {
  const isFormula = said?.has(FACTS.formula) ?? false;
  const fractions = curve.counts.some((count) => count % 1 !== 0 && !Number.isNaN(count));
  return {
    id: at,
    name,
    shown: name,
    source,
    kind: isFormula ? 'formula' : said?.has(FACTS.query) ? 'query' : 'file',
    queried: !fractions && (said?.has(FACTS.query) || said?.has(FACTS.given) || false),
    style: seriesStyle(at),
    hidden: false,
    curve,
    summary: summarize(curve, now, { fractions }),
    pending: null,
    before: null,
    run: { upperBounds: false },
  };
}

/** A figure without its margin. */
const figureIn = (cell = ''): string => digitsOf(cell.split(' (', 1)[0] ?? '') ?? '';

/** A row of the table of buckets of a report, the newest first. */
type BucketRow = readonly string[];

/** True if a total is the sum of its buckets: one of an unknown bucket may count known parts of it. */
const isSummed = ({ curve }: InsightSeries): boolean =>
  curve?.states.every((state) => state >= STATE.uncovered) ?? false;

/** True if each bucket is whole in all series or in none, so that shares of buckets are those of their parts. */
function haveOneExtent(series: readonly ReturnType<typeof reported>[]): boolean {
  const [first, ...rest] = series;
  const extent = (state: number): number => Math.min(state, STATE.provisional);
  return rest.every(
    ({ curve, source }) =>
      first &&
      curve?.states.every(
        (state, i) =>
          extent(state) === extent(first.curve?.states[i] ?? STATE.never) &&
          // Two sources can end at different times within a bucket.
          (state >= STATE.provisional || source === first.source),
      ),
  );
}

/**
 * Compares the summary of a report with counts. Changes need counts of another time, and a formula has figures of its
 * parts.
 */
function compareSummary(
  figures: VerifiedFigures,
  html: string,
  series: readonly ReturnType<typeof reported>[],
  { per, zone, now }: Shown,
  buckets: readonly BucketRow[],
): void {
  const [head = [], ...lines] = tableIn(html, 'Summary');
  const headed = { per, earlier: null };
  const format = new Formatter('en-US').in(zone);
  const rows = summaryRows({ per, series, now, window: null, format });
  const queried = series.filter((each) => each.queried);
  const isShared = queried.every(isSummed) && haveOneExtent(queried);
  for (const [i, row] of rows.entries()) {
    const { kind, curve, summary } = series[i]!;
    if (kind === 'formula' || !curve) continue;
    const compare = (id: ColumnId, says: (cell: string) => string, counts: string): void => {
      const column = head.indexOf(headingOf(id, headed));
      if (column < 0) return;
      figures.compare(`${head[column]} of “${row.name}”`, says(lines[i]?.[column] ?? ''), counts);
    };
    const counted = (id: ColumnId): void =>
      compare(id, figureIn, figureIn(summaryCell(row, id).text));
    for (const id of ['mean', 'median', 'peak'] as const) counted(id);
    if (isSummed(series[i]!)) counted('total');
    if (isShared) counted('share');
    const listed = summary?.peak
      ? buckets[curve.counts.length - 1 - summary.peak.index]
      : undefined;
    if (listed) compare('on', (cell) => cell, listed[0] ?? '');
  }
}

/** Compares the peaks of a report with those of its counts, or with the buckets that they name. */
function comparePeaks(
  figures: VerifiedFigures,
  html: string,
  series: readonly ReturnType<typeof reported>[],
  { zone, isAll }: Shown,
  buckets: readonly BucketRow[],
): void {
  const [, ...peaks] = tableIn(html, 'Peaks');
  if (peaks.length === 0) return;
  const found = peaksFound(
    series.filter(({ queried }) => queried),
    zone,
  )
    .peaks.filter(({ number }) => number !== null)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0) || b.count - a.count);
  if (isAll) figures.compare('Peaks', String(peaks.length), String(found.length));
  for (const [i, [peak = '', time = '', posts = '']] of peaks.entries()) {
    const top = found[i];
    if (isAll && top) {
      figures.compare('Peak', peak, `${top.number} ${top.series.name}`);
      figures.compare(`Posts of peak ${peak}`, figureIn(posts), String(top.count));
      const listed = buckets[top.curve.counts.length - 1 - top.curve.bounds.indexOf(top.at)];
      if (listed) figures.compare(`Time of peak ${peak}`, time, listed[0] ?? '');
    } else if (!isAll) {
      const [row, another] = buckets.flatMap(([bucket], k) => (bucket === time ? [k] : []));
      const { curve } = series.find(({ name }) => peak.endsWith(` ${name}`)) ?? {};
      const count = row === undefined ? undefined : curve?.counts.at(-1 - row);
      // An hour that a clock shows twice has two buckets with one name.
      if (count === undefined || another !== undefined) continue;
      figures.compare(`Posts of peak ${peak}`, figureIn(posts), String(count));
    }
  }
}

/** Compares the figures of a report with its counts. */
export function verifyReport(
  { html, series, method }: In<'report'>,
  figures: VerifiedFigures,
): void {
  compareMethod(figures, series, method, true);
  // The newest bucket is the first row.
  const [, ...rows] = tableIn(html, 'By ');
  for (const [k, [bucket = '', ...cells]] of rows.entries()) {
    for (const [s, { label, curve }] of series.entries()) {
      const count = curve.counts.at(-1 - k) ?? Number.NaN;
      const says = digitsOf(cells[s] ?? '');
      if (says === null || (!Number.isNaN(count) && !Number.isSafeInteger(count))) continue;
      figures.compare(
        `“${label}” at ${bucket}`,
        says,
        Number.isNaN(count) ? '' : String(Math.abs(count)),
      );
    }
  }
  const shown = shownIn(method);
  if (shown) {
    const facts = seriesFacts(method);
    // Labels of counts are unique, names need not be.
    const [, ...names] = tableIn(html, 'Summary').map(([name = '']) => name);
    const all = series.map((each, at) =>
      reported(each, facts[at], { at, name: names[at] ?? '', now: shown.now }),
    );
    compareSummary(figures, html, all, shown, rows);
    comparePeaks(figures, html, all, shown, rows);
  } else
    figures.fail('Its method does not say by which buckets, in which zone or when it was written.');
  const unchanged = isUnchanged(html);
  if (unchanged === null)
    figures.fail('It has no checksum, so that a change of its other parts cannot be noticed.');
  if (unchanged === false)
    figures.fail(
      'Its counts agree, but another part was changed: its checksum is a different one.',
    );
}
