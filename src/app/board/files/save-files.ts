import type { OpenedBundle } from '#app/export/bundle.ts';
import { bytesIn } from '#core/export/bytes.ts';
import type { ExportJob } from '#core/export/csv.ts';
import { loadOptions, type CsvOptions } from '#app/export/csv-options.ts';
import type { BrowserIo, Copied } from '#app/export/browser-io.ts';
import { download } from '#app/export/download.ts';
import { eventsCsv } from '#app/events/event-file.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import type { JsonJob } from '#core/export/json.ts';
import { XLSX_TYPE } from '#app/export/worker-messages.ts';
import type { PptxJob } from '#app/export/pptx.ts';
import { liftFileName, type LiftReport } from '#app/lift/lift-report.ts';
import type { Cells } from '#app/export/table.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { plural } from '#core/format/plural.ts';
import { isTimed } from '#core/time/resolution.ts';
import type { DrawPicture } from '#app/export/picture-file.ts';
import type { CountsKind } from '#app/import/file-kind.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { bucketsInView, csvJob, fileName, jsonJob, noteInput, xlsxJob } from './export-input.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';
import type { SlideInput } from '#app/export/slide-rows.ts';
import { bundleInput, eventsInView, type BoardExtras } from './bundle-input.ts';
import { readCauses, slideContext } from './slide-context.ts';

/* Makes files and copies of what is on screen, and opens such files. Loads on first use, because showing a board needs
 * none of it. Reports failures to the user instead of throwing.
 */

/** From this many rows (about 30 MB) a file is written straight to disk, if the browser can. */
const LARGE_ROWS = 250_000;
const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Some programs truncate longer links. */
const LONG_LINK = 8_000;

/** The data that an export reads, and the place to which it writes. */
export interface ExportContext {
  readonly board: Board;
  readonly toasts: Pick<Toasts, 'show'>;
  readonly io: BrowserIo;
  /** The CSV options chosen in this visit; null for those that are stored. */
  readonly chosen: CsvOptions | null;
  readonly extras: () => BoardExtras;
  /** The content of the chart; null until there is a curve. */
  readonly shown: () => Shown | null;
  /** Runs one job at a time, and reports failures. @returns Null if it failed or was cancelled. */
  readonly work: <T>(failed: string, act: (signal: AbortSignal) => Promise<T>) => Promise<T | null>;
  readonly onProgress: (rows: number, total: number) => void;
}

type OpenedFile =
  | ({ readonly kind: 'bundle' } & OpenedBundle)
  | { readonly kind: 'counts'; readonly series: readonly FileSeries[] };

const files = (): Promise<typeof import('#app/export/file.ts')> => import('#app/export/file.ts');
const tables = (): Promise<typeof import('#app/export/table.ts')> => import('#app/export/table.ts');

/** Writes a job to a file. @param rows - Decides whether the file is written straight to disk. */
async function save(
  { board, toasts, io, work, onProgress }: ExportContext,
  name: string,
  rows: number,
  job: () => ExportJob | JsonJob | XlsxJob | PptxJob,
): Promise<void> {
  await work('The file was not written', async (signal) => {
    const to = rows >= LARGE_ROWS ? ((await io.place?.(name)) ?? null) : null;
    const { writeFile } = await files();
    const file = await writeFile(job(), board.time.zone, to, signal, (done, total) => {
      if (!signal.aborted) onProgress(done, total);
    });
    if (file) download(file, name);
    toasts.show(`Saved ${to?.name ?? name}`);
  });
}

export async function saveCsv(context: ExportContext, form: ExportJob['form']): Promise<void> {
  const { board, io, chosen } = context;
  const options = chosen ?? loadOptions(io);
  const { buckets, rows } = sizeOf(board);
  const name = `${fileName(board)}_${form}.csv`;
  await save(context, name, form === 'wide' ? buckets : rows, () => csvJob(board, form, options));
}

/** Saves the events in view. */
export async function saveEvents({
  board,
  toasts,
  io,
  chosen,
  extras,
  work,
}: ExportContext): Promise<void> {
  await work('The events were not saved', async () => {
    const { separator, mark } = chosen ?? loadOptions(io);
    const csv = eventsCsv(eventsInView(board, extras().events), separator);
    const name = `${fileName(board)}_events.csv`;
    download(new Blob([mark ? '\ufeff' : '', csv], { type: 'text/csv;charset=utf-8' }), name);
    toasts.show(`Saved ${name}`);
  });
}

/** Saves the events in view as a calendar. */
export async function saveEventsIcs({ board, toasts, extras, work }: ExportContext): Promise<void> {
  await work('The events were not saved', async () => {
    const { eventsIcs } = await import('#app/events/event-ics.ts');
    const { window, zone, now } = board.time;
    const ics = eventsIcs(extras().events, window, zone, now);
    const name = `${fileName(board)}_events.ics`;
    download(new Blob([ics], { type: 'text/calendar;charset=utf-8' }), name);
    toasts.show(`Saved ${name}`);
  });
}

export async function saveXlsx(context: ExportContext, shape: XlsxJob['shape']): Promise<void> {
  const { board, io, extras } = context;
  const { buckets, rows } = sizeOf(board);
  const events = eventsInView(board, extras().events);
  const { methodLines } = await import('#app/export/note.ts');
  const method = methodLines(await noteInput(board, io.receipts));
  const name = `${fileName(board)}_${shape}.xlsx`;
  const size = shape === 'wide' ? buckets : rows;
  await save(context, name, size, () => xlsxJob(board, shape, { method, events }));
}

/** Saves what is on screen as a report (`export/report.ts`). */
export async function saveReport(context: ExportContext, format: Formatter): Promise<void> {
  const { board, toasts, io, work, extras, shown } = context;
  if (!shown()) {
    toasts.show('There is no chart to report yet.');
    return;
  }
  await work('The report was not written', async (signal) => {
    const { reportInput } = await import('./report-input.ts');
    const { reportHtml } = await import('#app/export/report.ts');
    const note = await noteInput(board, io.receipts);
    await readCauses(board, format, signal);
    signal.throwIfAborted();
    // The chart labels the peaks with their causes.
    const chart = shown();
    if (!chart) throw new Error('There is no chart to report now.');
    const events = eventsInView(board, extras().events);
    const statements = slideContext(board, format.in(board.time.zone));
    const input = reportInput(board, chart, { context: statements, note, events });
    const name = `${fileName(board)}.html`;
    download(new Blob([reportHtml(input)], { type: 'text/html;charset=utf-8' }), name);
    toasts.show(`Saved ${name}. It opens anywhere, also here.`);
  });
}

export async function saveJson(context: ExportContext): Promise<void> {
  const { board } = context;
  await save(context, `${fileName(board)}.json`, sizeOf(board).rows, () => jsonJob(board));
}

/** The number of buckets in view, and of rows for all series. */
function sizeOf(board: Board): { readonly buckets: number; readonly rows: number } {
  const { from, to } = board.time.rows;
  return { buckets: to - from, rows: (to - from) * board.series.loaded.length };
}

/** Content to copy, and the message that says whether the browser allowed it. */
export interface ToCopy extends Copied {
  say(isCopied: boolean): void;
}

async function tableToCopy({ toasts }: ExportContext, cells: Cells, done: string): Promise<ToCopy> {
  const { copiedTable } = await tables();
  const refused = 'The browser refused access to the clipboard. A CSV has the same numbers.';
  return {
    ...copiedTable(cells),
    say: (isCopied) => toasts.show(isCopied ? done : refused),
  };
}

export function copiedRows(context: ExportContext, rows: Cells): Promise<ToCopy> {
  return tableToCopy(context, rows, 'The table is on the clipboard.');
}

export async function copiedSummary(context: ExportContext, format: Formatter): Promise<ToCopy> {
  const {
    time: { zone, table, now, rested: window },
  } = context.board;
  const series = context.board.series.loaded;
  const [{ summaryRows }, { exportedSummary }, { headedBy }] = await Promise.all([
    import('#app/insight/summary/summary-rows.ts'),
    import('#app/insight/summary/summary-tables.ts'),
    import('#app/board/state/headings.ts'),
  ]);
  const headed = headedBy(context.board, format);
  const rows = summaryRows({ ...headed, series, now, window, format: format.in(zone) });
  const cells = exportedSummary(rows, headed, table);
  return await tableToCopy(context, cells, 'The summary is on the clipboard.');
}

/** The buckets in view as a table, up to a size a clipboard can handle. */
export async function copiedBuckets(context: ExportContext): Promise<ToCopy> {
  const { board } = context;
  const { bucketTable, MOST_COPIED_ROWS } = await tables();
  const { roundedValue } = await import('#app/format/rounded.ts');
  const { bounds, series: exported } = bucketsInView(board);
  const { buckets } = sizeOf(board);
  const series = exported.map((each, i) => {
    const unit = board.series.loaded[i]?.summary?.unit ?? 'posts';
    return { ...each, rounded: (value: number) => roundedValue(value, unit) };
  });
  const timed = isTimed(board.time.resolution);
  const done =
    buckets > MOST_COPIED_ROWS
      ? `The first ${MOST_COPIED_ROWS} of ${buckets} buckets are on the clipboard. A CSV has all of them.`
      : 'The buckets are on the clipboard.';
  return await tableToCopy(context, bucketTable({ bounds, series, timed }, board.time.table), done);
}

/** Saves a picture. @param name - With the extension. */
export async function savePicture(
  { toasts, work }: ExportContext,
  draw: DrawPicture,
  name: `${string}.${'png' | 'svg'}`,
): Promise<void> {
  await work('The picture was not saved', async (signal) => {
    const { pictureFile } = await import('#app/export/picture-file.ts');
    const file = await pictureFile(draw, name.endsWith('.png') ? 'png' : 'svg');
    signal.throwIfAborted();
    download(file, name);
    toasts.show(`Saved ${name}`);
  });
}

/** Saves a slide of the board as a presentation with a chart that can be edited. */
export async function savePptx(context: ExportContext, slide: SlideInput): Promise<void> {
  const { board, io, extras } = context;
  const { pptxJob } = await import('./pptx-job.ts');
  const note = await noteInput(board, io.receipts);
  const events = eventsInView(board, extras().events);
  const { buckets } = sizeOf(board);
  await save(context, `${fileName(board)}.pptx`, buckets, () =>
    pptxJob(board, slide, note, events),
  );
}

/** Saves the lift of a campaign as a workbook. */
export async function saveLift(
  { board, toasts, work }: ExportContext,
  report: LiftReport,
  format: Formatter,
): Promise<void> {
  await work('The workbook was not written', async (signal) => {
    const [{ liftSheets }, { plainWorkbook }] = await Promise.all([
      import('#app/lift/lift-workbook.ts'),
      import('#app/export/xlsx.ts'),
    ]);
    const bytes = await bytesIn(plainWorkbook(liftSheets(report, format, board.clock)));
    signal.throwIfAborted();
    const name = `${liftFileName(report)}.xlsx`;
    download(new Blob([bytes], { type: XLSX_TYPE }), name);
    toasts.show(`Saved ${name}`);
  });
}

export async function saveBundle({
  board,
  toasts,
  io,
  work,
  extras,
}: ExportContext): Promise<void> {
  await work('The bundle was not written', async (signal) => {
    const input = await bundleInput(board, extras(), io.exportPages);
    const { writeBundleFile } = await files();
    const file = await writeBundleFile(input, signal);
    const name = `${fileName(board)}.groundswell`;
    download(file, name);
    toasts.show(`Saved ${name}. It shows the same chart anywhere.`);
  });
}

/** Opens a bundle or a file of counts. @returns Null if it could not be read. */
export async function openExported(
  { work }: ExportContext,
  file: File,
  kind: CountsKind | 'bundle',
): Promise<OpenedFile | null> {
  return await work(`“${file.name}” was not opened`, async (signal): Promise<OpenedFile> => {
    const { readBundleFile, readCounts } = await files();
    if (kind === 'bundle') return { kind, ...(await readBundleFile(file, signal)) };
    const reading = await readCounts(file, kind, signal);
    if (reading.ok) return { kind: 'counts', series: reading.series };
    const { problemWords } = await import('#app/export/csv-problem.ts');
    throw new Error(problemWords(reading.problem));
  });
}

/** Adds a bundle's platform pages to the cache, so that they need not be bought again. */
export async function importPages({ toasts, io, work }: ExportContext, pages: Blob): Promise<void> {
  await work('The pages were not added to the cache', async () => {
    await io.importPages(pages);
    toasts.show('The pages are now in this browser’s cache.');
  });
}

async function noteText({ board, io, extras }: ExportContext): Promise<string> {
  const { methodNote } = await import('#app/export/note.ts');
  const events = eventsInView(board, extras().events);
  return methodNote(await noteInput(board, io.receipts, events));
}

function saveText({ board }: ExportContext, text: string): string {
  const name = `${fileName(board)}_method.txt`;
  download(new Blob([text], { type: 'text/plain;charset=utf-8' }), name);
  return name;
}

export async function copiedNote(context: ExportContext): Promise<ToCopy> {
  const { toasts } = context;
  const text = await noteText(context);
  return {
    text,
    say: (isCopied) => {
      if (isCopied) return toasts.show('The method note is on the clipboard.');
      saveText(context, text);
      toasts.show('The browser refused access to the clipboard, so the note was saved as a file.');
    },
  };
}

/** Saves the method note as a file, to accompany exported numbers. */
export async function saveNote(context: ExportContext): Promise<void> {
  context.toasts.show(`Saved ${saveText(context, await noteText(context))}`);
}

/** A link to the view, with the offer of a bundle for what a link cannot hold. */
export async function copiedLink(context: ExportContext, link: string): Promise<ToCopy> {
  const { board, toasts, extras } = context;
  const fileSeries = board.series.all.filter((series) => series.kind === 'file').length;
  const { notes } = extras();
  const campaigns = notes.filter(({ campaign }) => campaign).length;
  const missing = [
    ...(fileSeries > 0 ? [plural(fileSeries, 'series from a file', 'series from files')] : []),
    ...(notes.length > campaigns ? [plural(notes.length - campaigns, 'note')] : []),
    ...(campaigns > 0 ? [plural(campaigns, 'campaign')] : []),
  ];
  const bundle = { text: 'Save a bundle', act: () => void saveBundle(context) };
  const say = (isCopied: boolean): void => {
    if (!isCopied) {
      toasts.show(`The browser refused access to the clipboard. Copy this: ${link}`);
    } else if (missing.length > 0) {
      toasts.show(`The link is on the clipboard, without ${LIST.format(missing)}.`, bundle);
    } else if (link.length > LONG_LINK) {
      const words = `The link is on the clipboard. It has ${link.length} characters; some apps truncate long links.`;
      toasts.show(words, bundle);
    } else toasts.show('The link to this view is on the clipboard.');
  };
  return { text: link, say };
}
