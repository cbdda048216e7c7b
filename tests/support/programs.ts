import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the built programs. */
    programs: string;
  }
}

/** Programs that tests start many times in processes or threads, by name. */
const PROGRAMS = {
  'crash-child': fileURLToPath(new URL('../server/crash/child.ts', import.meta.url)),
  'import-entry': fileURLToPath(new URL('../server/import/entry.ts', import.meta.url)),
};

/**
 * Builds those programs once for all files of tests. From its source each would take a second to start, and a tenth
 * built.
 *
 * @returns What removes them.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-programs-'));
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { input: PROGRAMS },
    },
  });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  project.provide('programs', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
