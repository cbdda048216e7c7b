import type { FileSeries } from '#app/export/fixed.ts';
import { figureLines } from '#app/export/note.ts';
import { seriesFacts, type CountsInFile, type MethodLine } from './counts-in-file.ts';

/*
 * Recomputes the figures of a file from the counts in it. Everything else is covered by the file's checksums: those of a
 * report's text, and of each part of the others.
 */

export type In<K extends CountsInFile['kind']> = Extract<CountsInFile, { kind: K }>;

/** The figures that were recomputed, and the first that disagrees. */
export class VerifiedFigures {
  compared = 0;
  wrong: string | null = null;

  /** @param says - The figure in the file. @param counts - The same as its counts give it. */
  compare(figure: string, says: string, counts: string): void {
    this.compared += 1;
    if (says !== counts) {
      this.wrong ??= `${figure}: the file says ${says || 'nothing'}, and its counts give ${counts || 'nothing'}.`;
    }
  }

  fail(problem: string): void {
    this.wrong ??= problem;
  }
}

/**
 * Compares the figures of a method note with counts.
 *
 * @param whole - False for counts of which it is only known whether they are complete.
 */
export function compareMethod(
  figures: VerifiedFigures,
  series: readonly FileSeries[],
  method: readonly MethodLine[],
  whole: boolean,
): void {
  const facts = seriesFacts(method);
  figures.compare('Series', String(facts.length), String(series.length));
  for (const [i, { label, curve }] of series.entries()) {
    const said = facts[i] ?? new Map<string, string>();
    const kind = said.has('Known') ? 'formula' : 'query';
    const lines = new Map(figureLines({ kind, ...curve }).map(({ name, value }) => [name, value]));
    for (const name of ['Total', 'Known', 'No data', 'Missing', 'Fetched']) {
      const figure = (from: ReadonlyMap<string, string>): string => {
        const text = from.get(name) ?? '';
        if (whole) return text;
        if (name === 'Fetched') return '';
        return name === 'Missing' ? (text.split(';', 1)[0] ?? '') : text;
      };
      if (said.has(name) || lines.has(name)) {
        figures.compare(`${name} of “${label}”`, figure(said), figure(lines));
      }
    }
  }
}
