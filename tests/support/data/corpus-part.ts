import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { long } from '#tests/support/run/long.ts';

/** The corpora of real posts, by the prefix of their file names. */
export const CORPORA = ['ira-', 'mayweather'] as const;
export type Corpus = (typeof CORPORA)[number];

/** Name of the list of a corpus's true counts. */
const TRUTH: Readonly<Record<Corpus, string>> = {
  'ira-': 'ira-posts-index.json',
  mayweather: 'fight-index.json',
};

export interface TruthIndex {
  readonly first: string;
  readonly last: string;
  readonly queries: readonly {
    readonly file: string;
    readonly query: string;
  }[];
}

/** Reads the list of a corpus's true counts. */
export function truthIndex(data: string, corpus: Corpus): TruthIndex {
  return JSON.parse(readFileSync(join(data, 'truth', TRUTH[corpus]), 'utf8')) as TruthIndex;
}

/** Days of the short form of the large corpus: each query with true counts has Posts on one of them. */
const DAYS: ReadonlySet<string> = new Set([
  '2015-06-26',
  '2015-11-15',
  '2015-11-27',
  '2015-12-16',
  '2016-06-16',
  '2016-07-20',
  '2016-07-21',
  '2017-06-03',
  '2017-08-05',
]);
/** The quiet years at the beginning, of which the short form has every day, as first and last day. */
const QUIET = ['2012-02-02', '2014-12-31'] as const;

const DAY = 'yyyy-mm-dd'.length;

/** Days of a corpus that tests import, as `2017-08-15`. */
export interface CorpusPart {
  /** False if the corpus is whole. */
  readonly cut: boolean;
  /** First and last day of the corpus, as `groundswell import --covers` takes them. */
  readonly covers: string;
  /** Differs between parts with different days. */
  readonly key: string;
  has(day: string): boolean;
}

/**
 * The part of a corpus that tests import: in the short form of the large corpus a fiftieth of its posts, which are those
 * of whole days; else the whole corpus.
 */
export function corpusPart(data: string, corpus: Corpus): CorpusPart {
  const { first, last } = truthIndex(data, corpus);
  const covers = `${first.slice(0, DAY)}..${last.slice(0, DAY)}`;
  if (corpus !== 'ira-' || long()) return { cut: false, covers, key: covers, has: () => true };
  return {
    cut: true,
    covers,
    key: JSON.stringify([covers, QUIET, ...DAYS]),
    has: (day) => DAYS.has(day) || (QUIET[0] <= day && day <= QUIET[1]),
  };
}

const LF = 10;
const COMMA = 44;

const CHUNK_BYTES = 2 ** 20;

/** Writes the rows of a part's days of a gzipped CSV file, whose second column is the time; no field has a line break. */
export async function cutFile(
  file: string,
  part: Omit<CorpusPart, 'covers'>,
  folder: string,
): Promise<string> {
  const parts: Buffer[] = [];
  const take = (row: Buffer): void => {
    const at = row.indexOf(COMMA) + 1;
    if (parts.length === 0 || part.has(row.toString('latin1', at, at + DAY))) parts.push(row);
  };
  // Chunk by chunk: the whole file would take more time for its memory than for its rows.
  let rest = Buffer.alloc(0);
  const gunzip = createReadStream(file, { highWaterMark: CHUNK_BYTES }).pipe(
    createGunzip({ chunkSize: CHUNK_BYTES }),
  );
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    const rows = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = 0; (end = rows.indexOf(LF, start) + 1) > 0; start = end) {
      take(rows.subarray(start, end));
    }
    rest = rows.subarray(start);
  }
  if (rest.length > 0) take(rest);
  const path = join(folder, basename(file, '.gz'));
  writeFileSync(path, Buffer.concat(parts));
  return path;
}
