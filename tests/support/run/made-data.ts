import { createHash, randomBytes } from 'node:crypto';
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
import { makeSample } from '#server/sample/sample.ts';
import {
  corpusPart,
  cutFile,
  type Corpus,
  type CorpusPart,
} from '#tests/support/data/corpus-part.ts';
import { long } from './long.ts';
import { madeOnce } from './made-once.ts';
import { postFiles } from '#tests/support/data/posts.ts';
import { program, temporaryFolder } from '#tests/support/service/process.ts';

async function runProgram(...args: string[]): Promise<void> {
  const { code, err } = await program(args);
  if (code !== 0) throw new Error(`groundswell ${args[0]} ended with ${code}: ${err}`);
}

/**
 * Posts of the sample of the short form: a fifth of the program's, which has every topic and every day. The sample depends on
 * the day it ends; with half as many Posts, there are days on which journeys find no peak.
 */
const SHORT_SAMPLE = 40_000;

/** Makes the sample of the test run, in the long form by the program. */
async function makeInto(making: string): Promise<void> {
  if (long()) return await runProgram('sample', '--data', making);
  const random = (n: number): Uint8Array => randomBytes(n);
  const deps = { end: Date.now(), seed: 1, posts: SHORT_SAMPLE, random };
  await makeSample(join(making, 'sample.sqlite'), deps);
}

/** Makes the sample once per test run. @returns Its data folder, which callers only copy from. */
export function madeSample(): Promise<string> {
  return madeOnce('sample', makeInto);
}

function copy(file: string, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  copyFileSync(join(from, file), join(to, file), constants.COPYFILE_FICLONE);
}

/** Puts the test run's sample into a data folder. */
export async function giveSample(data: string): Promise<void> {
  copy('sample.sqlite', await madeSample(), data);
}

/** Hashes everything that determines the result of an import: the files, the days and the program. */
function importKey(files: readonly string[], part: CorpusPart): string {
  const hash = createHash('sha256').update(part.key);
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

/** Imports files of a corpus, which covers the time from its first to its last day also where a part has no posts. */
async function importFiles(making: string, files: readonly string[], part: CorpusPart) {
  const into = ['import', '--data', making, '--covers', part.covers];
  if (!part.cut) return await runProgram(...into, ...files);
  const folder = temporaryFolder();
  const cuts: string[] = [];
  for (const file of files) cuts.push(await cutFile(file, part, folder));
  await runProgram(...into, ...cuts);
  rmSync(folder, { recursive: true });
}

async function importInto(
  making: string,
  corpus: Corpus,
  files: readonly string[],
  part: CorpusPart,
) {
  const cache = cacheFolder();
  if (cache === null) return await importFiles(making, files, part);
  const cached = join(cache, `${corpus}${importKey(files, part)}`);
  if (existsSync(cached)) {
    process.stderr.write(`The import of ${corpus}* is reused from ${cached}.\n`);
    cpSync(cached, making, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return;
  }
  await importFiles(making, files, part);
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    if (name.startsWith(corpus)) rmSync(join(cache, name), { recursive: true, force: true });
  }
  cpSync(making, `${cached}.making`, { recursive: true });
  renameSync(`${cached}.making`, cached);
}

/**
 * Imports the {@link corpusPart} of a corpus of real posts once per test run, or reuses an earlier run's import of the
 * same days of the same files by the same program.
 *
 * @param data - The folder of real posts.
 * @returns A data folder, which callers only copy from.
 */
export function madeCorpus(data: string, corpus: Corpus): Promise<string> {
  return madeOnce(`corpus-${corpus}`, (making) =>
    importInto(making, corpus, postFiles(data, corpus), corpusPart(data, corpus)),
  );
}

/** Puts a corpus of real posts into a data folder. */
export async function giveCorpus(folder: string, data: string, corpus: Corpus): Promise<void> {
  copy('posts.sqlite', await madeCorpus(data, corpus), folder);
}
