import { bucketsInView } from '#app/board/files/export-input.ts';
import { revisionOf } from '#app/counts/cache/store-row.ts';
import type { OpenedBundle } from '#app/export/bundle.ts';
import type { BundleSeries, CarriedSeries } from '#app/export/fixed.ts';
import { FACTS, line, storeIn, type NoteInput } from '#app/export/note.ts';
import { BoardError, type CountsFile, type ReportSurroundings } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { format } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import type { Curve } from '#core/series/series.ts';
import { cellOf, type Span } from '#core/time/span.ts';
import { countedBoard } from './counted-board.ts';
import { countsInFile, seriesFacts } from './counts-in-file.ts';
import { bundleContent } from './given-board.ts';

/** The receipt of a bucket, as far as the file has it. */
export interface CountsReceipt {
  /** Revision of the store, and its mark; null if not known. */
  readonly revision: number | null;
  readonly mark?: string | undefined;
  /** The versions of the platform's index; empty if not known. */
  readonly index: string;
}

/** A series of a file with its origin: empty or null for what the file does not say. */
export interface FileTopic {
  readonly label: string;
  readonly query: string;
  /** The query in one form for all ways of typing it. */
  readonly canonical: string;
  readonly source: string;
  readonly computed: boolean;
  readonly store: string | null;
  readonly rules: string | null;
  readonly curve: Curve;
  readonly receiptOf: (bucket: Span) => CountsReceipt;
}

function canonicalOf(query: string): string {
  const parsed = parse(query, { own: true });
  return parsed.ok ? format(parsed.ast) : query;
}

const topicQuery = (query: string): Pick<FileTopic, 'query' | 'canonical'> => ({
  query,
  canonical: canonicalOf(query),
});

const MOST_SHOWN = 60;
/** Some queries in a sentence. */
export const shownQueries = (text: string): string =>
  line(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

const NO_RECEIPT: CountsReceipt = { revision: null, index: '' };

/** The receipts of a bundle's pages, by bucket. */
function receiptsIn({ contents }: BundleSeries): FileTopic['receiptOf'] {
  const { records, receipts, row } = contents;
  const versions = new Map(receipts.map(({ id, index }) => [id, index]));
  const cells = new Map<number, (typeof records)[number][]>();
  for (const record of records) {
    const cell = record.key[2];
    cells.set(cell, [...(cells.get(cell) ?? []), record]);
  }
  return ({ start, end }) => {
    let generation = -1;
    const indexes = new Set<number>();
    for (let cell = cellOf(start); cell <= cellOf(end - 1); cell += 1) {
      for (const { segments, receipts: notes } of cells.get(cell) ?? []) {
        for (const { from, to, receipt } of segments) {
          if (to <= start || from >= end) continue;
          generation = Math.max(generation, notes[receipt]?.generation ?? -1);
          // A part that was bought again appends its generation.
          const index = versions.get(receipt) ?? versions.get(receipt.replace(/~\d+$/, ''));
          if (index !== undefined) indexes.add(index);
        }
      }
    }
    // Of the platform a generation is a purchase, and elsewhere there are no versions.
    return row.source === 'platform'
      ? { revision: null, index: [...indexes].sort((a, b) => a - b).join(' and ') }
      : { revision: generation < 0 ? null : revisionOf(generation), index: '' };
  };
}

/** The series that a bundle shows, in the buckets of its view. */
async function topicsInBundle(
  bundle: OpenedBundle,
  surroundings: ReportSurroundings,
): Promise<readonly FileTopic[]> {
  const none = { sources: [], stop: new AbortController().signal };
  const count = (): never => {
    throw new BoardError('It has a series without counts.');
  };
  const counts = { ...none, count };
  const board = await countedBoard(bundleContent(bundle), surroundings, counts, undefined, true);
  const { bounds, series } = bucketsInView(board);
  return series.map(({ label, query, source, ...curve }, i): FileTopic => {
    const { kind, shown = '', fixed = null } = board.series.loaded[i] ?? {};
    const origin = fixed?.origin as CarriedSeries | undefined;
    const common = { label, source, computed: kind === 'formula', curve: { bounds, ...curve } };
    if (origin?.from !== 'bundle') {
      const typed = kind === 'formula' ? shown : query;
      return {
        ...common,
        ...topicQuery(typed),
        store: null,
        rules: null,
        receiptOf: () => NO_RECEIPT,
      };
    }
    const { row } = origin.contents;
    const [, , , rules] = JSON.parse(row.key) as readonly unknown[];
    const from = { store: row.store, rules: `version ${String(rules)}` };
    return { ...common, ...topicQuery(query), ...from, receiptOf: receiptsIn(origin) };
  });
}

/** @throws {@link BoardError} that names the file. */
export async function topicsIn(
  file: CountsFile,
  surroundings: ReportSurroundings,
): Promise<readonly FileTopic[]> {
  try {
    const found = await countsInFile(file);
    if (found.kind === 'bundle') return await topicsInBundle(found.bundle, surroundings);
    const { series, method } = found;
    const notes = new Map(method.map(({ name, value }) => [name, value]));
    const facts = seriesFacts(method);
    const store = storeIn(notes.get(FACTS.store) ?? '');
    return series.map(({ label, query, source, curve }, i): FileTopic => {
      const said = facts[i] ?? new Map<string, string>();
      const formula = said.get(FACTS.formula);
      const counted = said.has(FACTS.query);
      return {
        label,
        ...topicQuery(query || (said.get(FACTS.query) ?? formula ?? '')),
        source: formula === undefined ? source : '',
        computed: formula !== undefined,
        store: counted && store ? store.store : null,
        rules: (counted && notes.get(FACTS.rules)) || null,
        curve,
        receiptOf: () => receiptOfNote(counted ? store : null),
      };
    });
  } catch (error) {
    if (!(error instanceof BoardError || error instanceof Fault)) throw error;
    throw new BoardError(`${file.name}: ${error.message}`);
  }
}

function receiptOfNote(store: NoteInput['store']): CountsReceipt {
  return store ? { revision: store.revision, mark: store.mark, index: '' } : NO_RECEIPT;
}

/** Pairs topics by label, then by query; one that remains in each file is the same with another query. */
export function pairedTopics(
  old: readonly FileTopic[],
  now: readonly FileTopic[],
): [FileTopic | null, FileTopic | null][] {
  const [before, after] = [new Set(old), new Set(now)];
  const pairs = new Map<FileTopic, FileTopic>();
  const pair = (a: FileTopic, b: FileTopic | undefined): void => {
    if (!b) return;
    pairs.set(a, b);
    before.delete(a);
    after.delete(b);
  };
  for (const a of before)
    pair(
      a,
      [...after].find(({ label }) => label === a.label),
    );
  for (const a of before) {
    if (a.canonical !== '')
      pair(
        a,
        [...after].find((b) => b.canonical === a.canonical),
      );
  }
  if (before.size === 1 && after.size === 1) for (const a of before) pair(a, [...after][0]);
  return [
    ...old.map((a): [FileTopic, FileTopic | null] => [a, pairs.get(a) ?? null]),
    ...[...after].map((b): [null, FileTopic] => [null, b]),
  ];
}
