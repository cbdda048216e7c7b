import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';
import { postFiles } from './posts.ts';
import { program } from './process.ts';

async function runProgram(...args: string[]): Promise<void> {
  const { code, err } = await program(args);
  if (code !== 0) throw new Error(`groundswell ${args[0]} ended with ${code}: ${err}`);
}

/** Makes the sample once per test run. @returns Its data folder, which callers only copy from. */
export function madeSample(): Promise<string> {
  return madeOnce('sample', (making) => runProgram('sample', '--data', making));
}

function copy(file: string, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  copyFileSync(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
}

/** Puts the test run's sample into a data folder. */
export async function giveSample(data: string): Promise<void> {
  copy('sample.sqlite', await madeSample(), data);
}

/** The corpora of real posts, by the prefix of their file names. */
export const CORPORA = ['ira-', 'mayweather'] as const;
export type Corpus = (typeof CORPORA)[number];

/** Hashes everything that determines the result of an import: the files and the program. */
function importKey(files: readonly string[]): string {
  const hash = createHash('sha256');
  const program = readdirSync('dist/server', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .toSorted()
    .map((name) => join('dist/server', name));
  for (const file of [...program, ...files]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/** Folder for imports that later test runs reuse; null in CI, where every run has a new machine. */
function cacheFolder(): string | null {
  if (process.env['CI'] === 'true') return null;
  return process.env['GROUNDSWELL_TEST_CACHE'] ?? join(tmpdir(), 'groundswell-test-cache');
}

async function importInto(making: string, corpus: Corpus, files: readonly string[]) {
  const cache = cacheFolder();
  if (cache === null) return await runProgram('import', '--data', making, ...files);
  const cached = join(cache, `${corpus}${importKey(files)}`);
  if (existsSync(cached)) {
    process.stderr.write(`The import of ${corpus}* is reused from ${cached}.\n`);
    cpSync(cached, making, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return;
  }
  await runProgram('import', '--data', making, ...files);
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    if (name.startsWith(corpus)) rmSync(join(cache, name), { recursive: true, force: true });
  }
  cpSync(making, `${cached}.making`, { recursive: true });
  renameSync(`${cached}.making`, cached);
}

/**
 * Imports a corpus of real posts once per test run, or reuses an earlier run's import of the same files by the same
 * program.
 *
 * @param data - The folder of real posts.
 * @returns A data folder, which callers only copy from.
 */
export function madeCorpus(data: string, corpus: Corpus): Promise<string> {
  return madeOnce(`corpus-${corpus}`, (making) =>
    importInto(making, corpus, postFiles(data, corpus)),
  );
}

/** Puts a corpus of real posts into a data folder. */
export async function giveCorpus(folder: string, data: string, corpus: Corpus): Promise<void> {
  copy('posts.sqlite', await madeCorpus(data, corpus), folder);
}
