import { basename, resolve } from 'node:path';
import type { ControlEvent, ImportReport } from '#contract/control.ts';
import { formatInstant } from '#contract/instant.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';
import { lasting, progressLine } from './progress.ts';

type Replaying = Extract<ControlEvent, { type: 'replaying' }>;
type Reading = Extract<ControlEvent, { type: 'reading' }>;

function readingLine({ file, bytesRead, bytesTotal, rows, rate, secondsLeft }: Reading): string {
  const part = bytesTotal === 0 ? 100 : Math.floor((100 * bytesRead) / bytesTotal);
  const left = secondsLeft === null ? '' : `, ${lasting(secondsLeft)} left`;
  return `${basename(file)}: ${part} %, ${rows} rows, ${Math.round(rate)} rows/s${left}`;
}

function replayingLine({ done, total, at }: Replaying): string {
  return `${done} of ${total} Posts replayed, now at ${formatInstant(at)}`;
}

function summaryLines({ read, added, already, refused, reasons, seconds }: ImportReport): {
  out: string;
  err: string;
} {
  const times = new Map<string, number>();
  for (const { file, line, reason } of reasons) {
    const text = `${file}:${line}: ${reason}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  // One line of JSON may contain many Posts.
  const named = [...times]
    .map(([text, n]) => (n === 1 ? `${text}\n` : `${text} (${n} times)\n`))
    .join('');
  const others = refused - reasons.length;
  const more = others > 0 ? `… and ${others} more refused rows\n` : '';
  const counts = `read ${read}, added ${added}, already there ${already}, refused ${refused}`;
  return { out: `${counts} (${seconds.toFixed(1)} s)\n`, err: named + more };
}

/**
 * `groundswell import`: adds files to Your posts. Progress and refused rows go to stderr, the summary to stdout.
 *
 * @returns The exit code: 1 if the import failed or found no Post, 130 if it was interrupted. Refused rows do not fail
 *   an import.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runImport(
  deps: CommandDeps,
  order: {
    data: string;
    files: readonly string[];
    map: Readonly<Record<string, string>>;
    /** See `ImportOrder`. */
    speed?: number;
  },
): Promise<number> {
  const folder = new DataFolder(order.data);
  let code = 1;
  const line = progressLine(deps);
  const summarise = (summary: ImportReport): void => {
    const { out, err } = summaryLines(summary);
    deps.err(err);
    deps.out(out);
  };
  const files = order.files.map((file) => resolve(file));
  const { map, speed } = order;
  const work = { files, map, ...(speed !== undefined && { speed }) };
  await perform(deps, folder, { kind: 'import', order: work }, (event) => {
    if (event.type === 'reading') return line.show(readingLine(event));
    if (event.type === 'replaying') return line.show(replayingLine(event));
    line.clear();
    if (event.type === 'imported') {
      summarise(event.summary);
      const { added, already, stopped } = event.summary;
      code = stopped ? 130 : added + already > 0 ? 0 : 1;
      if (stopped) deps.err('Stopped; run the command again to import the rest.\n');
      else if (code === 1) deps.err('No Posts were found.\n');
    } else if (event.type === 'fault') {
      if (event.summary && event.summary.read > 0) summarise(event.summary);
      deps.err(`The import failed: ${event.message}\n`);
    }
  });
  return code;
}
