import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import type { CountingFigures } from './engines.ts';
import type { Imported } from './import.ts';
import { digits, fact, table } from './measure.ts';
import type { Size } from './options.ts';

/** The result of a run over some Posts; null or NaN where a part did not run. */
export interface SizeFigures {
  readonly posts: number;
  readonly imported: Imported | null;
  readonly counting: CountingFigures | null;
  /** Until the first answer, ms. */
  readonly start: number;
  /** The service's own memory after 1,000 pages of minutes, MB. */
  readonly own: number;
}

/** Bytes of memory that programs can get without swapping. */
function availableMemory(): number {
  const file = '/proc/meminfo';
  if (!existsSync(file)) return freemem();
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}

/** True if a run of that size fits the disk of a folder and the memory; says so if not. */
export function hasRoom({ posts, room }: Size, folder: string): boolean {
  if (!room) return true;
  const { bavail, bsize } = statfsSync(folder);
  const free = { disk: bavail * bsize, memory: availableMemory() };
  for (const what of ['disk', 'memory'] as const) {
    if (free[what] >= room[what]) continue;
    const [has, needs] = [free[what], room[what]].map((bytes) => `${digits(bytes / 1e9)} GB`);
    fact(
      `${posts.toLocaleString('en')} Posts are left out: they need ${needs} of ${what}, and ${has} are free.`,
    );
    return false;
  }
  return true;
}

/** Prints the figures of all sizes next to each other. */
export function compareSizes(sizes: readonly SizeFigures[]): void {
  const number = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? '–' : digits(value);
  table('The index by number of Posts', [
    [
      'posts',
      'import posts/s',
      'its peak MB',
      'bytes/post',
      'service MB',
      'start ms',
      'worst page ms',
      'worst whole span ms',
      'rare term ms',
      'both / limit',
    ],
    ...sizes.map(({ posts, imported, counting, start, own }) => [
      posts.toLocaleString('en'),
      number(imported ? imported.posts / imported.seconds : undefined),
      number(imported?.megabytes),
      number(imported ? imported.bytes / imported.posts : undefined),
      number(own),
      number(start),
      number(counting?.page),
      number(counting?.span),
      number(counting?.rare),
      number(counting?.limit),
    ]),
  ]);
}
