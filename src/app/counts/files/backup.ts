import type { CellRecord, Counts, ReceiptNote, Segment } from '#core/counts/ledger.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { BUCKET_MS, ceilTo } from '#core/time/bucket.ts';
import { CELL_MS, PAGE_DAYS, cellSpan } from '#core/time/span.ts';
import { CellForm, EndForm, PapersForm, plainFault, read } from './backup-form.ts';
import type { Section } from './backup-file.ts';
import { badBackup, checkFile, packed, sectionsOf } from './backup-file.ts';
import { BoardRowForm, boardForm, boardFrom } from './board-form.ts';
import type { BoardRow } from '#app/counts/cache/saved-board.ts';
import type {
  RevisionPoint,
  RunRow,
  StoreRow,
  SeriesContents,
  SeriesMetadata,
  ImportTotals,
} from '#app/counts/cache/records.ts';
import { seriesKey, storeKey } from '#app/counts/cache/records.ts';

/** The papers of a series, as JSON; its cells follow. */
const SERIES = 'SERI';
/** A cell: length of what describes it, that as JSON, and its counts as they are. */
const CELL = 'CELL';
/** A saved board, as JSON; they follow the series. */
const BOARD = 'BORD';
/** How much there was of each; nothing follows. */
const END = 'END.';

const encode = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(value));

const byId = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** A row without the key of its series, which stands once before them all. */
function bare<T extends { readonly series: string }>(row: T): Omit<T, 'series'> {
  const { series, ...rest } = row;
  void series;
  return rest;
}

const pointForm = ({ revision, mark }: RevisionPoint) => ({
  revision,
  ...(mark !== undefined && { mark }),
});

/** What was agreed to, without the key of its series, and paused. */
function pausedRun(run: RunRow) {
  return { ...bare(run), paused: true };
}

function written(papers: SeriesMetadata): PapersForm {
  const { row, store, run, asks, receipts } = papers;
  const [source, storeId, canonical, rules] = JSON.parse(row.key) as [
    string,
    string,
    string,
    number,
  ];
  const form = read(PapersForm, {
    series: {
      source,
      store: storeId,
      canonical,
      rules,
      query: row.query,
      usedAt: row.usedAt,
      fullHead: row.fullHead,
      raised: row.raised,
    },
    store: store && {
      ...pointForm(store),
      ...(store.epoch !== undefined && { epoch: store.epoch }),
      ...(store.named && { named: store.named.map(pointForm) }),
      raised: store.raised,
      pageDays: PAGE_DAYS,
    },
    // What was agreed to here is bought nowhere without a word: where it comes back, it waits.
    run: run && pausedRun(run),
    asks: byId(asks).map(bare),
    receipts: byId(receipts).map((receipt) => ({
      ...bare(receipt),
      total: Number.isFinite(receipt.total) ? receipt.total : 0,
      noted: receipt.noted.map(plainFault),
    })),
  });
  if ('wrong' in form) throw new TypeError(`the cache holds what no backup can: ${form.wrong}`);
  return form.output;
}

function writtenCell({ key, counts, segments, receipts }: CellRecord): Uint8Array<ArrayBuffer> {
  const [, granularity, cell] = key;
  const ids = [...new Set(segments.map(({ receipt }) => receipt))];
  const meta = encode({
    granularity,
    cell,
    width: counts.BYTES_PER_ELEMENT,
    segments: segments.map(({ from, to, receipt }) => [from, to, ids.indexOf(receipt)]),
    notes: ids.map((id) => {
      const note = receipts[id];
      return [id, note?.at, note?.generation, note?.endpoint];
    }),
  });
  const bytes = new Uint8Array(4 + meta.length + counts.byteLength);
  new DataView(bytes.buffer).setUint32(0, meta.length, true);
  bytes.set(meta, 4);
  bytes.set(new Uint8Array(counts.buffer, counts.byteOffset, counts.byteLength), 4 + meta.length);
  return bytes;
}

async function* sectionsFrom(
  all: AsyncIterable<SeriesContents>,
  boards: readonly BoardRow[],
): AsyncGenerator<Section, void> {
  const held = { series: 0, records: 0, receipts: 0 };
  for await (const contents of all) {
    yield { kind: SERIES, payload: encode(written(contents)) };
    for (const record of contents.records) yield { kind: CELL, payload: writtenCell(record) };
    held.series += 1;
    held.records += contents.records.length;
    held.receipts += contents.receipts.length;
  }
  for (const { was, ...board } of byId(boards)) {
    yield { kind: BOARD, payload: encode({ ...boardForm(board), was }) };
  }
  yield {
    kind: END,
    payload: encode({ ...held, ...(boards.length > 0 && { boards: boards.length }) }),
  };
}

/**
 * Writes a backup: the same contents give the same bytes.
 *
 * @param all - By rising keys; one at a time is held.
 * @param boards - In any order.
 */
export function writeBackup(
  all: AsyncIterable<SeriesContents>,
  boards: readonly BoardRow[] = [],
): Promise<Blob> {
  return packed(sectionsFrom(all, boards));
}

/** What a section says as JSON. @throws {Fault} where it is none of this form. */
function json<T>(
  bytes: Uint8Array,
  where: string,
  form: (value: unknown) => { output: T } | { wrong: string },
): T {
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw badBackup(`${where} is not written as it should be.`);
  }
  const result = form(value);
  if ('wrong' in result) throw badBackup(`${where} is not in order: ${result.wrong}.`);
  return result.output;
}

function storeFrom(key: string, form: NonNullable<PapersForm['store']>): StoreRow {
  const { pageDays, ...row } = form;
  void pageDays;
  return { key, ...row };
}

function papersOf(form: PapersForm): SeriesMetadata {
  const { series, store, run } = form;
  const key = seriesKey(series.source, series.store, series.canonical, series.rules);
  const { source, query, usedAt, fullHead, raised } = series;
  return {
    row: { key, source, store: series.store, query, usedAt, fullHead, raised },
    store: store && storeFrom(storeKey(source, series.store), store),
    run: run && { series: key, ...run },
    asks: form.asks.map((ask) => ({ ...ask, series: key })),
    // The form holds `got` and its like only where they are there.
    receipts: form.receipts.map((receipt) => ({ ...receipt, series: key })),
  };
}

/** Why the segments of a cell are none; null where they are. */
function wrongSegments({ granularity, cell, segments, notes }: CellForm): string | null {
  const { start, end } = cellSpan(cell);
  let free = start;
  const used = new Set<number>();
  for (const [i, [from, to, note]] of segments.entries()) {
    if (from % BUCKET_MS[granularity] !== 0) return `segment ${i} begins off the grid`;
    if (from < free) return `segment ${i} begins before it may`;
    if (to <= from || to > end) return `segment ${i} ends where it may not`;
    if (!notes[note]) return `segment ${i} names no receipt`;
    used.add(note);
    free = ceilTo(to, granularity);
  }
  return used.size === notes.length ? null : 'a receipt is named by no segment';
}

/** Why the counts of a cell are none of these segments; null where they are. */
function wrongCounts(counts: Counts, { granularity, cell, segments }: CellForm): string | null {
  const width = BUCKET_MS[granularity];
  const { start } = cellSpan(cell);
  let max = 0;
  let next = 0;
  for (const [from, to] of [...segments, [start + CELL_MS, start + CELL_MS] as const]) {
    const first = (from - start) / width;
    for (let i = next; i < first; i += 1) {
      if (counts[i] !== 0) return `bucket ${i} has a count and is not known`;
    }
    next = Math.ceil((to - start) / width);
    for (let i = first; i < next; i += 1) max = Math.max(max, counts[i] ?? 0);
  }
  const narrowest = max < 256 ? 1 : max < 65_536 ? 2 : 4;
  return counts.BYTES_PER_ELEMENT === narrowest ? null : 'its counts are wider than they need be';
}

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;

function cellFrom(
  bytes: Uint8Array<ArrayBuffer>,
  papers: SeriesMetadata,
  known: Set<string>,
): CellRecord {
  const { key, query, source } = papers.row;
  const series = `“${query}” (${source})`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < 4 ? Infinity : view.getUint32(0, true);
  if (4 + length > bytes.length) throw badBackup(`A cell of ${series} breaks off.`);
  const form = json(bytes.subarray(4, 4 + length), `A cell of ${series}`, (value) =>
    read(CellForm, value),
  );
  const { granularity, cell, width, segments, notes } = form;
  const where = `Cell ${cell} of ${series} by the ${granularity}`;
  const buckets = CELL_MS / BUCKET_MS[granularity];
  const got = bytes.length - 4 - length;
  if (got !== buckets * width) {
    throw badBackup(`${where} should have ${buckets * width} bytes of counts and has ${got}.`);
  }
  const counts = new ARRAYS[width](bytes.slice(4 + length).buffer);
  const wrong = wrongSegments(form) ?? wrongCounts(counts, form);
  if (wrong !== null) throw badBackup(`${where} is not in order: ${wrong}.`);
  const receipts: Record<string, ReceiptNote> = {};
  for (const [id, at, generation, endpoint] of notes) {
    if (!known.has(id)) throw badBackup(`${where} names the receipt ${id}, which is not there.`);
    receipts[id] = { at, generation, endpoint };
  }
  const named = segments.map(([from, to, note]): Segment => ({
    from,
    to,
    receipt: notes[note]?.[0] ?? '',
  }));
  return { key: [key, granularity, cell], counts, segments: named, receipts };
}

const place = ({ key: [, granularity, cell] }: CellRecord): [string, number] => [granularity, cell];

function follows(record: CellRecord, before: CellRecord | undefined): boolean {
  if (!before) return true;
  const [[g, cell], [h, last]] = [place(record), place(before)];
  return g === h ? cell > last : g > h;
}

/**
 * Reads a backup series by series, then board by board, each checked in every field before it is given.
 *
 * @throws {Fault} of type `BAD_BACKUP` in words that name what is wrong.
 */
export async function* readBackup(
  file: Blob,
): AsyncGenerator<SeriesContents | BoardRow, ImportTotals> {
  let current: { papers: SeriesMetadata; records: CellRecord[]; known: Set<string> } | null = null;
  let end: EndForm | null = null;
  let last: string | null = null;
  let lastBoard: string | null = null;
  const held = { series: 0, records: 0, receipts: 0, boards: 0 };
  for await (const { kind, payload } of sectionsOf(file)) {
    if (end) throw badBackup('Something follows after its end.');
    if (kind === CELL) {
      if (!current) throw badBackup('A cell comes before any series.');
      const record = cellFrom(payload, current.papers, current.known);
      const { key, query } = current.papers.row;
      if (!follows(record, current.records.at(-1))) {
        throw badBackup(`The cells of “${query}” (${key}) are out of order.`);
      }
      current.records.push(record);
      held.records += 1;
      continue;
    }
    if (kind !== SERIES && kind !== BOARD && kind !== END) {
      throw badBackup(
        `A newer version of Groundswell wrote it: it holds a part “${kind}” that this one does not know.`,
      );
    }
    if (current) yield { ...current.papers, records: current.records };
    current = null;
    if (kind === END) {
      end = json(payload, 'Its end', (value) => read(EndForm, value));
      continue;
    }
    if (kind === BOARD) {
      held.boards += 1;
      const where = `Board ${held.boards}`;
      const form = json(payload, where, (value) => read(BoardRowForm, value));
      const row = { ...boardFrom(form), was: form.was };
      if (lastBoard !== null && row.id <= lastBoard)
        throw badBackup('Its boards are out of order.');
      lastBoard = row.id;
      yield row;
      continue;
    }
    if (held.boards > 0) throw badBackup('A series comes after the boards.');
    const where = `Series ${held.series + 1}`;
    const papers = papersOf(json(payload, where, (value) => read(PapersForm, value)));
    if (last !== null && papers.row.key <= last) throw badBackup('Its series are out of order.');
    last = papers.row.key;
    current = { papers, records: [], known: new Set(papers.receipts.map(({ id }) => id)) };
    held.series += 1;
    held.receipts += papers.receipts.length;
  }
  if (!end) throw badBackup('It breaks off: its end is missing.');
  for (const [what, got] of Object.entries(held)) {
    const expected = end[what as keyof EndForm];
    if (expected !== got) throw badBackup(`It should hold ${expected} ${what} and holds ${got}.`);
  }
  return held;
}

/**
 * Checks all of a backup, and keeps nothing of it.
 *
 * @returns What it holds.
 * @throws {Fault} of type `BAD_BACKUP`.
 */
export async function checkBackup(file: Blob): Promise<ImportTotals> {
  await checkFile(file);
  const contents = readBackup(file);
  for (;;) {
    const { done, value } = await contents.next();
    if (done) return value;
  }
}
