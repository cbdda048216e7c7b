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
  const unused = (): never => {
    throw new Error('a restore has no use for this');
  };
  const deps: CommandDeps = {
    ...common,
    out: () => {},
    err: () => {},
    interactive: false,
    elapsed: () => performance.now(),
    random: (n) => randomBytes(n),
    open: unused,
    entry: new URL(import.meta.url),
    assets: '',
    platform: {
      token: undefined,
      url: undefined,
      fetch: unused,
      sleep: unused,
      timeout: unused,
      agent: '',
    },
    outgoing: { publicNames: unused, localNames: unused, timer: unused },
    stopping: signal,
  };
  process.exitCode = await runRestore(deps, { data, file, replace: action === 'replace', onStep });
}
