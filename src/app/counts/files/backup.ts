import type { SeriesContents, ImportTotals } from '#app/counts/cache/records.ts';
import type { BoardRow } from '#app/counts/cache/saved-board.ts';
import { openArchive } from './archive.ts';
import { boardParts, readBoardEntry } from './board-part.ts';
import { readSeries } from './series-part.ts';
import { writeArchive, type Part } from './write-archive.ts';
import { seriesParts } from './write-series.ts';

/**
 * Writes a backup. The same contents give the same bytes.
 *
 * @param all - In ascending order of keys; one at a time is in memory.
 * @param boards - In any order.
 */
export async function writeDashboardBackup(
  all: AsyncIterable<SeriesContents>,
  boards: readonly BoardRow[] = [],
): Promise<Blob> {
  const sorted = [...boards].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { entries, parts } = boardParts(sorted);
  const rows = entries.map((entry, i) => ({ ...entry, was: [...(sorted[i]?.was ?? [])] }));
  const everything = async function* (): AsyncGenerator<Part> {
    yield* parts;
    let n = 0;
    for await (const contents of all) yield* seriesParts(contents, (n += 1));
  };
  return await writeArchive({ groundswell: 'backup', version: 1, boards: rows }, everything());
}

/**
 * Reads a backup series by series, then board by board. Each is checked completely before it is yielded.
 *
 * @returns A summary of its content.
 * @throws {Fault} of type `BAD_BACKUP` that says what is wrong.
 */
export async function* readDashboardBackup(
  file: Blob,
): AsyncGenerator<SeriesContents | BoardRow, ImportTotals> {
  const { archive, manifest } = await openArchive(file, 'backup');
  const read = { series: 0, records: 0, receipts: 0, boards: 0 };
  for await (const contents of readSeries(archive)) {
    yield contents;
    read.series += 1;
    read.records += contents.records.length;
    read.receipts += contents.receipts.length;
  }
  for (const entry of manifest.boards) {
    yield { ...(await readBoardEntry(archive, entry)), was: entry.was };
    read.boards += 1;
  }
  archive.finish();
  return read;
}

/**
 * Checks a whole backup without importing it.
 *
 * @returns A summary of its content.
 * @throws {Fault} of type `BAD_BACKUP`.
 */
export async function checkBackup(file: Blob): Promise<ImportTotals> {
  const contents = readDashboardBackup(file);
  for (;;) {
    const { done, value } = await contents.next();
    if (done) return value;
  }
}
