import Papa from 'papaparse';
import { grouped } from '#core/format/number-text.ts';
import {
  TooManyPostsError,
  UnknownCollectionError,
  type Answers,
  type Analysis,
} from '#server/api/breakdown/question.ts';
import type { AnalysisOrder } from './analysis-options.ts';
import type { CommandDeps } from './command-deps.ts';
import { DataFolder } from '#server/data-folder.ts';
import { folderAnalyst } from './folder-analyst.ts';
import { readableSource } from './readable-source.ts';
import { CommandError } from '#server/command-error.ts';
import type { BreakdownItem, RisingItem } from '#contract/counts/breakdown-answers.ts';

type Answer = Answers[Analysis['what']];

/** The members that an item of some list may have. */
type Item = BreakdownItem &
  Partial<Pick<RisingItem, 'peak' | 'score'>> & {
    readonly expected?: number | null;
    readonly likelihood?: number | null;
    readonly followers?: number | null;
    readonly url?: string;
    readonly unknown?: number;
  };

/** The lists of an answer, in its order. */
function listsOf(answer: Answer): [name: string, items: readonly Item[]][] {
  return Object.entries(answer).flatMap(([name, value]): [string, readonly Item[]][] => {
    if (Array.isArray(value)) return [[name, value as Item[]]];
    if (name !== 'authors') return [];
    return [[name, (value as Answers['breakdown']['authors']).items]];
  });
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Figures of an item that a table shows after its name. */
function remarks(item: Item): string {
  const { posts, share, expected, likelihood, followers, peak, score, unknown = 0 } = item;
  const parts = [grouped(posts), percent(share)];
  if (unknown > 0) parts.push(`unknown of ${grouped(unknown)}`);
  if (expected != null && likelihood != null) parts.push(`usual ${expected.toFixed(1)}`);
  if (followers != null) parts.push(`${grouped(followers)} followers`);
  if (peak && score !== undefined) {
    parts.push(
      `${grouped(peak.posts)} from ${peak.start.slice(0, 16)}Z, usual ${peak.expected.toFixed(1)}`,
    );
  }
  return parts.join('  ');
}

function tableText(answer: Answer): string {
  const lists = listsOf(answer).filter(([, items]) => items.length > 0);
  const lines = [`${grouped(answer.posts)} Posts`];
  if ('compared' in answer) {
    const { start, end, posts } = answer.compared;
    lines.push(`compared with ${grouped(posts)} from ${start} to ${end}`);
    lines.push(`${grouped(answer.authors.distinct)} authors`);
  }
  for (const [name, items] of lists) {
    const width = Math.max(...items.map((item) => item.name.length));
    lines.push('', name, ...items.map((item) => `  ${item.name.padEnd(width)}  ${remarks(item)}`));
  }
  return `${lines.join('\n')}\n`;
}

const COLUMNS = [
  'list',
  'name',
  'clause',
  'posts',
  'share',
  'expected',
  'likelihood',
  'followers',
  'url',
  'peak_start',
  'peak_end',
  'peak_posts',
  'score',
  'unknown',
];

function csvText(answer: Answer): string {
  const rows = listsOf(answer).flatMap(([list, items]) =>
    items.map(
      ({
        name,
        clause,
        posts,
        share,
        expected,
        likelihood,
        followers,
        url,
        peak,
        score,
        unknown,
      }) => [
        list,
        name,
        clause,
        posts,
        share,
        expected ?? peak?.expected,
        likelihood,
        followers,
        url,
        peak?.start,
        peak?.end,
        peak?.posts,
        score,
        unknown,
      ],
    ),
  );
  // A spreadsheet would run text with these beginnings as a formula.
  const escapeFormulae = /^[=+\-@'\t\r]/;
  return `${Papa.unparse({ fields: COLUMNS, data: rows }, { escapeFormulae, newline: '\n' })}\n`;
}

const WRITERS: Readonly<Record<AnalysisOrder['form'], (answer: Answer) => string>> = {
  table: tableText,
  json: (answer) => `${JSON.stringify(answer)}\n`,
  csv: csvText,
};

/**
 * Asks a source, also while a service runs: it only reads, except for an index of another version, which it rebuilds
 * first unless a service runs.
 *
 * @returns Null if it was interrupted.
 * @throws {@link CommandError} if the source or a collection does not exist, or the question is about too many Posts;
 *   {@link StoreError} if its file cannot be used.
 */
export async function analysed<Q extends Analysis>(
  deps: CommandDeps,
  folder: DataFolder,
  source: AnalysisOrder['source'],
  question: Q,
): Promise<Answers[Q['what']] | null> {
  if (!(await readableSource(deps, folder, source))) return null;
  const analyst = folderAnalyst(deps, folder);
  try {
    const found = await analyst.ask(source, question, deps.stopping);
    return found && found.result;
  } catch (error) {
    const isAsked = error instanceof TooManyPostsError || error instanceof UnknownCollectionError;
    if (isAsked) throw new CommandError(`${error.message}.`);
    throw error;
  } finally {
    await analyst.close();
  }
}

/**
 * `groundswell breakdown` and `groundswell rising`: prints an answer over a source.
 *
 * @returns The exit code: 130 if it was interrupted.
 * @throws As {@link analysed}.
 */
export async function runAnalysis(
  deps: CommandDeps,
  { data, analysis }: { readonly data: string; readonly analysis: AnalysisOrder },
): Promise<number> {
  const { source, question, form } = analysis;
  const answer = await analysed(deps, new DataFolder(data), source, question);
  if (!answer) return 130;
  deps.out(WRITERS[form](answer));
  return 0;
}
