import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Most bytes to fetch before the first curve, gzip (1 kB = 1,000 B). */
export const MOST_BYTES = 300_000;

/** A file of the built page and its compressed size. */
export interface Weight {
  readonly part: 'page' | 'charts' | 'counts worker';
  readonly file: string;
  readonly bytes: number;
}

const FOLDER = 'dist/app/assets';
const text = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** The files that a file imports statically. */
function importsOf(file: string): string[] {
  const found = text(file).matchAll(
    /(?:^|[;}])import(?:[^;"`(]*?from)?["'`]\.\/([\w.-]+\.js)["'`]/g,
  );
  return [...found].flatMap(([, name]) => (name ? [name] : []));
}

/** Files with all their static imports, direct and indirect. */
function withImports(files: readonly string[]): Set<string> {
  const all = new Set(files);
  for (const file of all) for (const other of importsOf(file)) all.add(other);
  return all;
}

/**
 * The JavaScript that a first visit fetches before its first curve, from the built page: the document's scripts,
 * the charts, and the worker that stores counts and parses their pages.
 *
 * @throws {Error} if the build lacks one of them.
 */
export function firstCurveWeights(): Weight[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
  const one = (what: string, is: (name: string) => boolean): string => {
    const found = files.filter(is);
    if (found.length !== 1 || !found[0])
      throw new Error(`expected one ${what}, got ${found.length}`);
    return found[0];
  };
  const document = readFileSync('dist/app/index.html', 'utf8');
  const named = [...document.matchAll(/assets\/([\w.-]+\.js)/g)].flatMap(([, name]) => name ?? []);
  const page = withImports(named);
  const worker = one(
    'counts worker',
    (name) =>
      name.startsWith('worker-') &&
      [...withImports([name])].some((file) => text(file).includes('groundswell-counts')),
  );
  const counting = [...withImports([worker])].map(text).join('');
  const reader = /import\([`"']\.\/(counts-page-[\w-]+\.js)/.exec(counting)?.[1];
  if (!reader) throw new Error('the counts worker reads no pages');
  const drawing = files.filter((name) => name.startsWith('echarts-'));
  if (drawing.length === 0) throw new Error('nothing draws');
  const parts: readonly (readonly [Weight['part'], Iterable<string>])[] = [
    ['page', page],
    ['charts', withImports(drawing)],
    ['counts worker', withImports([worker, reader])],
  ];
  const seen = new Set<string>();
  return parts.flatMap(([part, names]) =>
    [...names].flatMap((file) => {
      if (seen.has(file)) return [];
      seen.add(file);
      return [{ part, file, bytes: gzipSync(text(file)).length }];
    }),
  );
}
