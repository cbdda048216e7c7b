import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { checkPosts } from '#server/domain/check.ts';
import type { CheckReport } from '#server/domain/check.ts';
import { StoreError } from '#server/store/db.ts';
import { DataFolder } from './folder.ts';
import type { CommandDeps } from './perform.ts';
import { grouped, postsLine, progressLine } from './progress.ts';

const RESTORE = {
  posts:
    'A new index does not mend all of that: restore the file from a backup, or import the Posts again into a new data folder.',
  sample: 'groundswell sample makes the sample anew.',
};
const REINDEX = 'groundswell reindex makes the index anew from the Posts, which stay as they are.';

function counted(n: number, one: string): string {
  return `${grouped(n)} ${one}${n === 1 ? '' : 's'}`;
}

function told(name: string, report: CheckReport, restore: string): string {
  const { shown, problems, needsRestore, notes, posts, chunks } = report;
  const noted = notes.map((note) => `  Note: ${note}\n`).join('');
  if (problems === 0) {
    const held = `${counted(posts, 'Post')}, ${counted(chunks, 'chunk')}`;
    return `${name}: all is well (${held}).\n${noted}`;
  }
  const lines = shown.map((problem) => `  ${problem}\n`).join('');
  const more = problems - shown.length;
  const others = more > 0 ? `  … and ${grouped(more)} more\n` : '';
  const mend = needsRestore ? restore : REINDEX;
  return `${name}: ${counted(problems, 'problem')}.\n${lines}${others}${noted}  ${mend}\n`;
}

/**
 * `groundswell check`: verifies Your posts and the sample, each against its index. It only reads, also beside
 * a running service. Progress goes to the error output, what it found to the output.
 *
 * @returns The exit code: 1 where something is wrong, 130 where it was stopped.
 * @throws {@link StoreError} where a file cannot be opened for a reason other than damage.
 */
export async function runCheck(deps: CommandDeps, { data }: { data: string }): Promise<number> {
  const folder = existsSync(data) ? new DataFolder(data) : null;
  const files = [
    { title: 'Your posts', file: folder?.posts, restore: RESTORE.posts },
    { title: 'The sample', file: folder?.sample, restore: RESTORE.sample },
  ];
  let code = 0;
  let some = false;
  for (const { title, file, restore } of files) {
    if (file === undefined || !existsSync(file)) continue;
    some = true;
    const name = `${title} (${basename(file)})`;
    try {
      const report = await checked(deps, file);
      if (!report) return 130;
      deps.out(told(name, report, restore));
      if (report.problems > 0) code = 1;
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'damaged') throw error;
      const problems = { shown: ['The file is damaged.'], problems: 1, needsRestore: true };
      deps.out(told(name, { ...problems, notes: [], posts: 0, chunks: 0 }, restore));
      code = 1;
    }
  }
  if (!some) deps.out(`There are no Posts in ${data}.\n`);
  return code;
}

/** Checks a file; null where it was stopped. */
async function checked(deps: CommandDeps, file: string): Promise<CheckReport | null> {
  const line = progressLine(deps);
  const began = deps.now();
  const work = checkPosts(file, deps);
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      const { posts, total } = step.value;
      const seconds = (deps.now() - began) / 1000;
      const what = `Checking ${basename(file)}`;
      // The file itself comes first.
      line.show(total === 0 ? `${what} …` : postsLine(what, posts, total, seconds));
      await setImmediate();
      if (deps.stopping.aborted) return null;
    }
  } finally {
    line.clear();
    // Lets go of the file where it was stopped.
    work.return({ shown: [], problems: 0, needsRestore: false, notes: [], posts: 0, chunks: 0 });
  }
}
