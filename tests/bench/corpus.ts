import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { program } from '#tests/support/service/process.ts';
import { importFiles, type Imported } from './import.ts';
import { digits, fact, milliseconds, table } from './measure.ts';
import { GENERATOR, generate, writeFiles, type GeneratedPost } from './posts.ts';

/** Number of Posts in the last file: fewer than fill a chunk, so that they stay unsealed. */
export const OPEN = 8_000;

/** Generated Posts and the files built from them, in a folder named by generator, seed and size. */
export class Corpus {
  readonly posts: number;
  readonly seed: number;
  readonly #folder: string;
  #written: readonly string[] | undefined;
  /** Cost of the import by {@link Corpus.data}, unless its files were there. */
  imported: Imported | null = null;

  /** @param base - Folder of all corpora; files of the same Posts are reused. */
  constructor(base: string, posts: number, seed: number) {
    this.posts = posts;
    this.seed = seed;
    this.#folder = join(base, `posts-${GENERATOR}-${seed}-${posts}`);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Path of a file or folder of this corpus. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** The Posts, in time order. */
  all(): Iterable<GeneratedPost> {
    return generate(this.posts, this.seed);
  }

  /** Makes a file or folder unless it exists; an incomplete one never has its name. */
  async made(name: string, make: (making: string) => Promise<void> | void): Promise<string> {
    const path = this.path(name);
    if (existsSync(path)) return path;
    const making = `${path}.making`;
    rmSync(making, { recursive: true, force: true });
    await make(making);
    renameSync(making, path);
    return path;
  }

  /** CSV files of the Posts, in time order. */
  async files(): Promise<readonly string[]> {
    if (this.#written) return this.#written;
    const ms = await milliseconds(async () => {
      const folder = await this.made('files', async (making) => {
        mkdirSync(making);
        await writeFiles(generate(this.posts, this.seed), [
          [join(making, '1.csv.gz'), this.posts - OPEN],
          [join(making, '2.csv.gz'), OPEN],
        ]);
      });
      this.#written = ['1.csv.gz', '2.csv.gz'].map((name) => join(folder, name));
    });
    fact(
      `${this.posts.toLocaleString('en')} Posts of seed ${this.seed} written in ${digits(ms / 1000)} s`,
    );
    return this.#written ?? [];
  }

  /** Data folder of the service with a sample and the Posts, the last {@link OPEN} of them not sealed. */
  async data(): Promise<string> {
    const [most = '', last = ''] = await this.files();
    return this.made('data', async (making) => {
      const first = importFiles([most], making);
      this.imported = first;
      table(`Import of generated Posts by the command (${availableParallelism()} cores)`, [
        ['posts', 'posts/s', 'CPU µs/post', 'peak memory MB', 'file MB', 'bytes/post'],
        [
          first.posts.toLocaleString('en'),
          digits(first.posts / first.seconds),
          digits((1e6 * first.cpuSeconds) / first.posts),
          digits(first.megabytes),
          digits(first.bytes / 1e6),
          digits(first.bytes / first.posts),
        ],
      ]);
      importFiles([last], making);
      // Otherwise the service would generate it at its first start, during the timing.
      const sample = await program(['sample', '--data', making]);
      if (sample.code !== 0) throw new Error(`sample ended with ${sample.code}: ${sample.err}`);
    });
  }

  /** Deletes the files that the program under test made, so that it makes them again. */
  forget(): void {
    rmSync(this.path('data'), { recursive: true, force: true });
  }
}
