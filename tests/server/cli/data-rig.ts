import { mkdirSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

/** A data folder with a tiny sample, and commands on it; removed after the tests of the calling file. */
export function dataRig() {
  /** The path of a name next to the data folder. */
  const path = temporaryFolder();
  const data = path('data');
  mkdirSync(data);
  giveTinySample(data);
  return {
    data,
    path,
    run: (...args: string[]) => groundswell(...args, '--data', data),
    /** Writes lines to a file next to the data folder. @returns Its path. */
    write: (name: string, lines: readonly string[]): string => {
      writeFileSync(path(name), lines.join('\n'));
      return path(name);
    },
  };
}
