import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataFolder } from '#server/data-folder.ts';
import { backUp, contentsOf, makeData } from '#tests/server/backup/data.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import type { BackupJob } from './backup-child.ts';
import { runChild } from './child-process.ts';

const path = temporaryFolder();

/** Runs a job in a process of its own. @returns Its steps, and whether it was killed. */
async function run(job: BackupJob): Promise<{ steps: string[]; killed: boolean }> {
  const { signal, done } = await runChild('backup-child', job);
  return { steps: done, killed: signal === 'SIGKILL' };
}

const file = path('backup.tar');
let there: Map<string, string>;
let other: Map<string, string>;
beforeAll(async () => {
  makeData(path('data'));
  there = contentsOf(path('data'));
  await backUp(path('data'), file);
  makeData(path('other'), 40);
  other = contentsOf(path('other'));
});

/** Some of the steps of a job, or all of them in the long form. */
const pointsIn = (steps: readonly string[], always: number): number[] =>
  steps
    .map((_, i) => i + 1)
    .filter((n) => long() || [always, always + 1, steps.length].includes(n) || n % 6 === 1);

describe('a backup that is killed', () => {
  test('leaves no file under its name, and its data folder as it was', async () => {
    const job = { action: 'backup', data: path('data') } as const;
    const { steps } = await run({ ...job, file: path('whole.tar'), kill: null });
    expect(steps.length).toBeGreaterThan(20);
    const points = pointsIn(steps, steps.length);
    await Promise.all(
      points.map(async (kill) => {
        const target = path(`killed-${kill}.tar`);
        const { killed } = await run({ ...job, file: target, kill });
        expect([kill, killed, existsSync(target)]).toEqual([kill, true, false]);
      }),
    );
    expect(contentsOf(path('data'))).toEqual(there);
  });
});

/** Kills a restore at its steps, and expects what was there before, or all of the backup after its commit. */
async function expectOldOrNew(
  action: 'restore' | 'replace',
  prepare: (folder: string) => void,
  before: Map<string, string>,
): Promise<void> {
  const begin = async (name: string, kill: number | null) => {
    const data = path(`${action}-${name}`);
    mkdirSync(data);
    prepare(data);
    const done = await run({ action, data, file, kill });
    return { data, ...done };
  };
  const whole = await begin('whole', null);
  expect([whole.killed, contentsOf(whole.data)]).toEqual([false, there]);
  const commit = whole.steps.indexOf('commit') + 1;
  expect(commit).toBeGreaterThan(8);
  for (const kill of pointsIn(whole.steps, commit)) {
    const { data, killed } = await begin(String(kill), kill);
    expect([kill, killed]).toEqual([kill, true]);
    if (kill <= commit) expect(contentsOf(data)).toEqual(before);
    new DataFolder(data).take()?.release();
    expect([kill, contentsOf(data)]).toEqual([kill, kill <= commit ? before : there]);
    const rest = readdirSync(data).filter((name) => /^(?:restor|replacing)/.test(name));
    expect(rest).toEqual([]);
    const aside = readdirSync(data).find((name) => name.startsWith('replaced-'));
    expect(aside === undefined ? null : contentsOf(join(data, aside))).toEqual(
      action === 'replace' && kill > commit ? before : null,
    );
    rmSync(data, { recursive: true });
  }
}

describe('a restore that is killed', () => {
  test('leaves an empty folder without data, or all of the backup', async () => {
    await expectOldOrNew('restore', () => {}, new Map());
  });

  test('leaves the data that it replaces, or all of the backup with those data aside', async () => {
    // The driver removes a closed file's empty log some time later.
    const filter = (name: string): boolean => !/-(?:wal|shm)$/.test(name);
    const prepare = (folder: string): void =>
      cpSync(path('other'), folder, { recursive: true, filter });
    await expectOldOrNew('replace', prepare, other);
  });
});
