import type { ReportProgram } from '#contract/counts/report.ts';
import { grouped } from '#core/format/number-text.ts';
import { groupedPlural } from '#core/format/plural.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { givenFile } from './report.ts';
import { CommandError } from '#server/command-error.ts';

const MEANS = 'This shows that the file agrees with itself, not who wrote it.';

/** Recomputes the figures of a file, and prints the first that disagrees. */
export async function runVerify(
  { reporter, out }: CommandDeps,
  { file }: { readonly file: string },
): Promise<number> {
  const program = (await import(/* @vite-ignore */ reporter.href)) as ReportProgram;
  const given = givenFile(file);
  try {
    const { counts, figures, wrong } = await program.verifyFile(given);
    if (wrong !== null) throw new CommandError(`${file} does not agree with itself. ${wrong}`);
    const of =
      figures === 0
        ? `${grouped(counts)} series`
        : `${groupedPlural(figures, 'figure')} from ${groupedPlural(counts, 'count')}`;
    out(`${file}: ${of}, no disagreement.\n${MEANS}\n`);
    return 0;
  } catch (error) {
    // A class of the program of reports, which is built apart.
    if (!(error instanceof Error) || error.name !== 'BoardError') throw error;
    throw new CommandError(`${file}: ${error.message}`);
  }
}
