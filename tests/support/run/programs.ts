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

/** Programs that tests start many times, as processes or threads, by name. */
const PROGRAMS = {
  'crash-child': fileURLToPath(new URL('../../server/crash/child.ts', import.meta.url)),
  'media-child': fileURLToPath(new URL('../../server/crash/media-child.ts', import.meta.url)),
  'outbox-child': fileURLToPath(new URL('../../server/crash/outbox-child.ts', import.meta.url)),
  'news-child': fileURLToPath(new URL('../../server/crash/news-child.ts', import.meta.url)),
  'rules-child': fileURLToPath(new URL('../../server/crash/rules-child.ts', import.meta.url)),
  'alert-child': fileURLToPath(new URL('../../server/crash/alert-child.ts', import.meta.url)),
  'delivery-child': fileURLToPath(new URL('../../server/crash/delivery-child.ts', import.meta.url)),
  'log-child': fileURLToPath(new URL('../../server/crash/log-child.ts', import.meta.url)),
  'sign-in-child': fileURLToPath(new URL('../../server/crash/sign-in-child.ts', import.meta.url)),
  'catalog-child': fileURLToPath(new URL('../../server/crash/catalog-child.ts', import.meta.url)),
  'notes-child': fileURLToPath(new URL('../../server/crash/notes-child.ts', import.meta.url)),
  'ads-child': fileURLToPath(new URL('../../server/crash/ads-child.ts', import.meta.url)),
  'backup-child': fileURLToPath(new URL('../../server/crash/backup-child.ts', import.meta.url)),
  'feed-child': fileURLToPath(new URL('../../server/crash/feed-child.ts', import.meta.url)),
  'threads-child': fileURLToPath(new URL('../../server/threads-child.ts', import.meta.url)),
  // Only its threads run from here; tests start the program that `npm run build` makes.
  groundswell: fileURLToPath(new URL('../../../src/server/main.ts', import.meta.url)),
};

/** Builds the programs once per test run: a start takes 0.1 s instead of 1 s from source. */
export default async function setup(project: TestProject): Promise<void> {
  const folder = await madeOnce('programs', async (outDir) => {
    await build({
      configFile: false,
      publicDir: false,
      logLevel: 'error',
      // One file loads faster than a hundred of packages; the driver is a native module.
      ssr: { noExternal: true, external: ['libsql'] },
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
