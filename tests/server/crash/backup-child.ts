import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { writeBackup } from '#server/backup/backup.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { runRestore } from '#server/cli/restore.ts';

/** Start data of {@link file://./backup-child.ts}, as JSON. */
export interface BackupJob {
  readonly action: 'backup' | 'restore' | 'replace';
  readonly data: string;
  readonly file: string;
  /** The step, from 1 on, before which the process kills itself; null for none. */
  readonly kill: number | null;
}

const { action, data, file, kill } = JSON.parse(process.argv[2]!) as BackupJob;
let steps = 0;
function onStep(step: string): void {
  steps += 1;
  writeSync(1, `${step}\n`);
  if (steps === kill) process.kill(process.pid, 'SIGKILL');
}

const common = { version: '0.1.0', now: Date.now };
const signal = new AbortController().signal;
if (action === 'backup') {
  const onProgress = (): void => onStep('bytes');
  await writeBackup(data, file, { ...common, signal, onProgress, onStep });
} else {
  // A restore has no use for the rest.
  const deps: Partial<CommandDeps> = {
    ...common,
    out: () => {},
    err: () => {},
    interactive: false,
    random: (n) => randomBytes(n),
    host: new URL(import.meta.url),
    stopping: signal,
  };
  process.exitCode = await runRestore(deps as CommandDeps, {
    data,
    file,
    replace: action === 'replace',
    onStep,
  });
}
