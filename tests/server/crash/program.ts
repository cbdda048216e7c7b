import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the built program of `child.ts`. */
    crashProgram: string;
  }
}

/**
 * Builds the program of `child.ts` once for all files of tests: it then starts in a tenth of a second, and many
 * are started.
 *
 * @returns What removes it.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-crash-program-'));
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('./child.ts', import.meta.url)),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
    },
  });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  project.provide('crashProgram', join(folder, 'child.js'));
  return () => rmSync(folder, { recursive: true, force: true });
}
