import { BoardError, type CountsFile, type VerifiedFile } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { utf8 } from '#core/export/bytes.ts';
import { crcOf } from '#core/export/crc.ts';
import { LOCAL_LENGTH, zipEntries } from '#core/readers/zip.ts';
import { countsInFile, decoded } from './counts-in-file.ts';
import { VerifiedFigures } from './verified-figures.ts';
import { verifyReport } from './verify-report.ts';
import { verifySlide, verifyWorkbook } from './verify-workbook.ts';

/** Compares the parts of a zip with the checksums in its directory. */
async function compareParts(
  { name: file, bytes }: CountsFile,
  parts: Readonly<Record<string, Uint8Array>>,
  figures: VerifiedFigures,
): Promise<void> {
  const read = (from: number, length: number): Uint8Array => bytes.subarray(from, from + length);
  for (const { name, crc, headerAt } of await zipEntries({ file, size: bytes.length, read })) {
    const nameAt = headerAt + LOCAL_LENGTH;
    // The directory and the part itself have a name each.
    const isSame = decoded(read(nameAt, utf8(name).length)) === name;
    if (!isSame || crcOf(parts[name] ?? new Uint8Array()) !== crc)
      figures.fail(`Its part ${name} is damaged.`);
  }
}

/**
 * Recomputes the figures of a file that Groundswell wrote from the counts in it. Proves that the file agrees with
 * itself, not who wrote it.
 *
 * @throws {@link BoardError} for another file, and one without counts that can be read.
 */
export async function verifyFile(file: CountsFile): Promise<VerifiedFile> {
  const figures = new VerifiedFigures();
  const result = (counts: number): VerifiedFile => ({
    counts,
    figures: figures.compared,
    wrong: figures.wrong,
  });
  try {
    const found = await countsInFile(file);
    if (found.kind === 'bundle') return result(found.bundle.series.length);
    if (found.kind === 'table') {
      throw new BoardError(`“${file.name}” has counts and no figures that follow from them.`);
    }
    if (found.kind === 'report') verifyReport(found, figures);
    else {
      if (found.kind === 'slide') await verifySlide(found, figures);
      else verifyWorkbook(found, figures);
      await compareParts(file, found.parts, figures);
    }
    return result(found.series.reduce((sum, { curve }) => sum + curve.counts.length, 0));
  } catch (error) {
    if (error instanceof Fault) return { counts: 0, figures: 0, wrong: error.message };
    throw error;
  }
}
