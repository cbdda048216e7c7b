import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { madeOnce } from './made-once.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the built programs. */
    programs: string;
  }
}

/** Programs that tests start many times in processes or threads, by name. */
const PROGRAMS = {
  'crash-child': fileURLToPath(new URL('../server/crash/child.ts', import.meta.url)),
  // Its threads; the program itself is what `npm run build` makes.
  groundswell: fileURLToPath(new URL('../../src/server/main.ts', import.meta.url)),
};

/** Builds those programs once for all tests of a run. From its source each would take a second to start, and a tenth built. */
export default async function setup(project: TestProject): Promise<void> {
  const folder = await madeOnce('programs', async (outDir) => {
    await build({
      configFile: false,
      publicDir: false,
      logLevel: 'error',
      build: {
        ssr: true,
        outDir,
        emptyOutDir: false,
        target: 'node20',
        rolldownOptions: { input: PROGRAMS },
      },
    });
    symlinkSync(resolve('node_modules'), join(outDir, 'node_modules'), 'junction');
  });
  project.provide('programs', folder);
}
