import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { errorCode } from '#core/thrown.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { placeFile, replaceFile, syncFile } from '#server/db/place-file.ts';

const UNFINISHED = /^\.groundswell-[0-9a-f]{16}\.tmp$/;

/** The age from which a file that is not finished belongs to a process that ended long ago. */
const ABANDONED_MS = HOUR_MS;

const instant = v.pipe(v.number(), v.integer());
const Note = v.object({
  /** The time at which the newest report was written or, before the first, the schedule began; epoch ms. */
  done: instant,
  /** The file that was about to get its name, and when; a process that was killed may not have noted that it did. */
  pending: v.optional(v.object({ file: v.string(), at: instant })),
});
type Note = v.InferOutput<typeof Note>;

/** The folder that reports are written to. */
export class ReportFolder {
  readonly path: string;
  readonly #random: (n: number) => Uint8Array;

  /** @throws The system's error if the folder does not exist and cannot be created. */
  constructor(path: string, random: (n: number) => Uint8Array) {
    this.path = resolve(path);
    this.#random = random;
    mkdirSync(this.path, { recursive: true });
  }

  /** Removes what killed processes left behind. @param now - Epoch ms. */
  clean(now: number): void {
    for (const name of readdirSync(this.path)) {
      if (!UNFINISHED.test(name)) continue;
      const file = join(this.path, name);
      const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
      if (now - at > ABANDONED_MS) rmSync(file, { force: true });
    }
  }

  /** Writes a file under a temporary name, to the disk. */
  #begin(bytes: Uint8Array | string): string {
    const name = `.groundswell-${Buffer.from(this.#random(8)).toString('hex')}.tmp`;
    const file = join(this.path, name);
    try {
      writeFileSync(file, bytes, { flag: 'wx' });
      syncFile(file, 'r+');
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    return file;
  }

  /**
   * Writes a file whole or not at all, under the first free name.
   *
   * @param onName - Called before the file gets its name.
   * @returns Its path.
   * @throws The system's error if it cannot be written.
   */
  write(
    bytes: Uint8Array,
    names: Iterable<string>,
    onName: (name: string) => void = () => {},
  ): string {
    const begun = this.#begin(bytes);
    try {
      for (const name of names) {
        const file = join(this.path, name);
        if (existsSync(file)) continue;
        onName(name);
        try {
          placeFile(begun, file);
          return file;
        } catch (error) {
          // Another process took the name meanwhile.
          if (errorCode(error) !== 'EEXIST') throw error;
        }
      }
    } finally {
      rmSync(begun, { force: true });
    }
    throw new RangeError('expected a name that is free, got none');
  }

  /**
   * The notes of the past runs of a schedule, which lie in the folder, also of those before its process was started;
   * instants in epoch ms.
   *
   * @param schedule - Identifies it: its board, its times and their zone.
   */
  runs(schedule: string) {
    const key = createHash('sha256').update(schedule).digest('hex').slice(0, 16);
    const file = join(this.path, `.groundswell-report-${key}.json`);
    const put = (note: Note): void => {
      const begun = this.#begin(`${JSON.stringify(note)}\n`);
      replaceFile(begun, file);
    };
    const read = (): Note | null => {
      try {
        const parsed = v.safeParse(Note, JSON.parse(readFileSync(file, 'utf8')));
        return parsed.success ? parsed.output : null;
      } catch (error) {
        if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return null;
        throw error;
      }
    };
    return {
      /**
       * Begins to follow the schedule.
       *
       * @returns The time at which its newest report was written; `now` before the first.
       */
      begin: (now: number): number => {
        const { done, pending } = read() ?? { done: now };
        // It got its name, but the process ended before it noted that.
        const last = pending && existsSync(join(this.path, pending.file)) ? pending.at : done;
        put({ done: last });
        return last;
      },
      /** Notes that a file is about to get its name. */
      pending: (name: string, at: number): void =>
        put({ done: read()?.done ?? at, pending: { file: name, at } }),
      /** Notes that a report was written. */
      end: (at: number): void => put({ done: at }),
    };
  }
}
