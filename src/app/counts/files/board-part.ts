import type { FixedSeries } from '#core/series/imported-series.ts';
import { orderedNote, type SavedBoard } from '#app/counts/cache/saved-board.ts';
import type { Archive } from './archive.ts';
import type { BoardEntry } from './archive-schema.ts';
import { readFixed, writtenFixed } from './fixed-part.ts';
import type { ArchiveKind } from './archive-kind.ts';
import type { Part } from './write-archive.ts';

/** Manifest entries of boards, and the parts with the numbers of their series from files. */
export function boardParts(boards: readonly SavedBoard[]): {
  readonly entries: BoardEntry[];
  readonly parts: Part[];
} {
  const parts: Part[] = [];
  const entries = boards.map(({ id, name, at, opened, view, notes, fixed }): BoardEntry => {
    const series = fixed.map((each, i) => writtenFixed(each, parts.length + i + 1));
    parts.push(...series.map(({ part }) => part));
    return {
      id,
      name,
      at,
      opened,
      view,
      notes: notes.map(orderedNote),
      fixed: series.map(({ entry }) => entry),
    };
  });
  return { entries, parts };
}

/** Reads a board from its checked entry. @throws {Fault} if a part is missing or invalid. */
export async function readBoardEntry(
  archive: Archive<ArchiveKind>,
  { id, name, at, opened, view, notes, fixed: entries }: BoardEntry,
): Promise<SavedBoard> {
  const fixed: FixedSeries[] = [];
  for (const entry of entries) {
    const where = `Series ${entry.part} from a file, of the board “${name}”,`;
    fixed.push(await readFixed(archive, entry, where));
  }
  return { id, name, at, opened, view, notes, fixed };
}
