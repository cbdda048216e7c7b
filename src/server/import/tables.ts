import { FeedError, shown } from '#core/readers/error.ts';
import { decodeSample, guessEncoding, SAMPLE_BYTES } from '#core/readers/encoding.ts';
import { otherKind } from '#core/readers/other-kind.ts';
import type { Row } from '#core/readers/row.ts';
import { READABLE_KINDS } from '#core/readers/signature.ts';
import { openWorkbook, sheetSample } from '#core/readers/workbook.ts';
import { zipPart, type RandomAccess, type ZipEntry } from '#core/readers/zip.ts';
import { fieldOf } from '#core/import/fields.ts';
import { JsonTable } from '#core/import/json-table.ts';
import { sheetOfPosts } from '#core/import/posts-sheet.ts';
import { planTable, type TableChoice, type TablePlan } from '#core/import/table.ts';
import { undecidedDates } from '#core/import/stamp.ts';
import { readTextTable, type TextTable } from '#core/import/text-table.ts';
import { firstBytes, texts } from '#server/readers/bytes.ts';
import type { Feed, OpenTables } from '#server/readers/feed.ts';
import { FIELDS } from '#core/import/field-names.ts';
import { CsvReader } from '#core/readers/csv-reader.ts';
import { sharedTexts } from '#core/readers/shared-texts.ts';
import { sheetRows } from '#core/readers/sheet-rows.ts';
import type { ReadOptions, Stretch } from '#server/readers/stretch.ts';

/** `--map` names an unknown field, or a choice does not fit its table. */
export class MapError extends Error {
  override readonly name = 'MapError';
}

/**
 * Checks the names of a `--map id=tweet_id,text=content`.
 *
 * @returns A sentence for the user that names the wrong one and lists the valid ones, or null.
 */
export function mapFault(map: Readonly<Record<string, string>>): string | null {
  const wrong = Object.keys(map).find((name) => fieldOf(name) === null);
  if (wrong === undefined) return null;
  return `--map knows no field "${wrong}"; the fields are ${FIELDS.join(', ')}.`;
}

/** Maximum number of columns in a message; a table may have thousands. */
const SHOWN_COLUMNS = 30;

/** The reason the rows of a table cannot be Posts; null if they can. */
function planFault(file: string, plan: TablePlan): FeedError | null {
  const fault = (why: string): FeedError => new FeedError('columns', file, why);
  const first = plan.names.slice(0, SHOWN_COLUMNS).map((name) => `"${shown(name)}"`);
  const more = plan.names.length - first.length;
  const existing = `it has ${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const [absent] = plan.absent;
  if (absent) {
    const [field, column] = absent;
    return fault(`has no column "${column}" (--map ${field}=${column}); ${existing}.`);
  }
  const [missing] = plan.missing;
  if (missing === undefined) return null;
  if (missing === 'dates') return undecidedDates(file, plan.times.ambiguous);
  const way = `if another column holds it: --map ${missing}=COLUMN`;
  return fault(`has no column "${missing}"; ${existing}; ${way}.`);
}

/** @throws {@link FeedError} `columns` if the table lacks what a Post needs; {@link MapError} for a choice that does not fit. */
function planOf(file: string, rows: readonly Row[], { choice, map, now }: ImportTables): TablePlan {
  const first = rows[0];
  if (first?.kind === 'bad' && !rows.some(({ kind }) => kind === 'columns')) {
    const why = `has no header line with the names of its columns: its first line ${first.reason}.`;
    throw new FeedError('columns', file, why);
  }
  try {
    const plan = planTable(rows, choice, map, now);
    const fault = planFault(file, plan);
    if (fault) throw fault;
    return plan;
  } catch (error) {
    if (error instanceof RangeError) throw new MapError(`${file}: ${error.message}`);
    throw error;
  }
}

/** A control character in a row concerns only that row; in the first one it means that this is not text. */
function refuseBinary(file: string, first: Row | undefined): void {
  const isBinary =
    first?.kind === 'columns' && first.fields.some((cell) => /[^\P{Cc}\s]/u.test(cell));
  if (!isBinary) return;
  const why = `is none of the kinds that are read: ${READABLE_KINDS}; its first line is not text.`;
  throw new FeedError('unknown-kind', file, why);
}

async function* textRows(
  stretch: Stretch,
  { encoding, shape }: TextTable,
  { header }: TablePlan,
  options: ReadOptions,
): AsyncGenerator<Row[]> {
  const reader = new CsvReader(shape);
  const below = (rows: Row[]): Row[] =>
    (rows[0]?.line ?? Infinity) > header ? rows : rows.filter(({ line }) => line > header);
  const how = encoding === 'utf-8' ? options : { ...options, encoding, isLenient: true };
  for await (const text of texts(stretch, how)) yield below(reader.push(text));
  yield below(reader.end());
}

/** Reads tables as they were chosen, the rest as guessed from their first rows. */
export class ImportTables implements OpenTables {
  readonly choice: TableChoice;
  readonly map: Readonly<Record<string, string>>;
  /** Epoch ms. */
  readonly now: number;
  readonly #plans = new Map<Feed, TablePlan>();

  constructor(choice: TableChoice, map: Readonly<Record<string, string>>, now: number) {
    this.choice = choice;
    this.map = map;
    this.now = now;
  }

  /** The way a feed is read; null if it is no table. */
  planOf(feed: Feed): TablePlan | null {
    return this.#plans.get(feed) ?? null;
  }

  async text(stretch: Stretch): Promise<Feed> {
    const sample = await firstBytes(stretch, SAMPLE_BYTES);
    const other = await otherKind(sample);
    if (other)
      throw new FeedError('unknown-kind', stretch.file, `is ${other.name}. ${other.advice}`);
    const table = readTextTable(sample, sample.length < SAMPLE_BYTES, this.choice);
    refuseBinary(stretch.file, table.rows[0]);
    const plan = planOf(stretch.file, table.rows, this);
    const rows = (options: ReadOptions = {}) => textRows(stretch, table, plan, options);
    return this.#feed({ file: stretch.file, kind: 'csv', bytes: stretch.length, rows }, plan);
  }

  async values(
    stretch: Stretch,
    feed: Feed,
    sample: (text: string, whole: boolean) => Row[],
  ): Promise<Feed | null> {
    const bytes = await firstBytes(stretch, SAMPLE_BYTES);
    const whole = bytes.length < SAMPLE_BYTES;
    const encoding = guessEncoding(bytes);
    const text = decodeSample(bytes, encoding.startsWith('utf-') ? encoding : 'utf-8', whole);
    const first = sample(text, whole);
    const table = JsonTable.of(first, this.map, this.now);
    if (!table) return null;
    const { file, kind } = feed;
    const plan = planOf(file, table.sample(first), this);
    const rows = async function* (options: ReadOptions = {}): AsyncGenerator<Row[]> {
      for await (const batch of feed.rows(options)) yield table.rows(batch);
    };
    return this.#feed({ file, kind, bytes: feed.bytes, rows }, plan);
  }

  async workbook(zip: RandomAccess, entries: readonly ZipEntry[]): Promise<Feed> {
    const { file } = zip;
    let read: ReadOptions = {};
    const open = async (name: string): Promise<AsyncIterable<string> | null> => {
      const entry = entries.find((each) => each.name === name);
      return entry ? texts({ path: file, ...(await zipPart(zip, entry)) }, read) : null;
    };
    const book = await openWorkbook(file, open);
    const names = book.sheets.map(({ name }) => `"${shown(name)}"`).join(', ');
    const named = this.choice.sheet;
    const chosen = book.sheets.find((each) => each.name === named);
    if (named !== undefined && !chosen)
      throw new FeedError('columns', file, `has no sheet "${named}"; it has ${names}.`);
    const { sheet, rows: first } = chosen
      ? { sheet: chosen, rows: await sheetSample(file, book, chosen.part, open) }
      : await sheetOfPosts(file, book, open, this.map, this.now);
    const plan = planOf(file, first, this);
    const bytes = entries.find(({ name }) => name === sheet.part)?.packedLength ?? 0;
    const rows = async function* (options: ReadOptions = {}): AsyncGenerator<Row[]> {
      read = options.signal ? { signal: options.signal } : {};
      const shared = await sharedTexts(file, open, Infinity);
      read = options;
      const blocks = await open(sheet.part);
      if (!blocks) return;
      for await (const batch of sheetRows(file, book, blocks, (index) => shared[index] ?? ''))
        yield batch.filter(({ line }) => line > plan.header);
    };
    return this.#feed({ file, kind: 'workbook', bytes, rows }, plan);
  }

  #feed(part: Pick<Feed, 'file' | 'kind' | 'bytes' | 'rows'>, plan: TablePlan): Feed {
    const feed = { ...part, header: plan.names, owner: null };
    this.#plans.set(feed, plan);
    return feed;
  }
}
