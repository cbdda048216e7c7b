import type { CollectionInfo } from '#contract/posts/collections.ts';
import type { CoveredTime } from '#contract/posts/import.ts';
import { timeOfRow } from '#core/import/columns.ts';
import { previewRows, type Preview } from '#core/import/preview.ts';
import { planTable, type TableChoice, type TablePlan } from '#core/import/table.ts';
import { FeedError } from '#core/readers/error.ts';
import type { Row } from '#core/readers/row.ts';
import { label } from '#core/text/label.ts';
import { typedRange, type TypedRange } from '#core/time/range.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import type { SheetFile, TableSample } from './open-file.ts';
import { rememberChoice, rememberedChoice, type ChoiceStorage } from './remembered-choices.ts';
import { FIELDS, type Field } from '#core/import/field-names.ts';

export interface ImportSheetOptions {
  readonly name: string;
  readonly opened: SheetFile;
  readonly storage: ChoiceStorage | null;
  /** IANA name of the browser's zone. */
  readonly zone: string;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The sheet of one file before its import: how it is read, and what becomes of its first rows. */
export class ImportSheet {
  readonly name: string;
  readonly opened: SheetFile;
  readonly #storage: ChoiceStorage | null;
  readonly #now: number;
  readonly #zone: string;
  #proposed = $state(false);
  /** The first rows of a table; null until they are read, and for other files. */
  sample = $state.raw<TableSample | null>(null);
  /** The reason no rows could be read. */
  fault = $state.raw<string | null>(null);
  choice = $state.raw<TableChoice>({});
  /** Name of the collection; empty for the name of the file. */
  collection = $state('');
  /** The first and the last day that the file covers, such as `2026-01-01`; empty: those of its Posts. */
  coversFrom = $state('');
  coversTo = $state('');
  /** The times of its first and last Post, epoch ms; null until they are read, and where only the import reads them. */
  ends = $state.raw<{ readonly first: number; readonly last: number } | null>(null);
  /** Collections of Your posts; empty until they are known. */
  collections = $state.raw<readonly CollectionInfo[]>([]);
  /** The collection that the Posts are added to, by the rule of `continued` of the service; null if it is a new one. */
  readonly continued: CollectionInfo | null = $derived.by(() => {
    const named = label(this.collection);
    const isIt = ({ name, source }: CollectionInfo): boolean =>
      named === '' ? source === this.name : source !== null && label(name) === named;
    return this.collections.findLast(isIt) ?? null;
  });
  /** True if the columns are read as those of an earlier file with the same header. */
  isRemembered = $state(false);
  readonly plan: TablePlan | null = $derived.by(() =>
    this.sample ? planTable(this.sample.rows, this.choice, {}, this.#now) : null,
  );
  /** True if the zone is that of the browser, because the file is in German and states none. */
  readonly isZoneProposed: boolean = $derived.by(
    () => this.plan?.isZoneOpen === true && this.#proposed && this.choice.zone === this.#zone,
  );
  /** Zone of the days that the file covers: that of its dates. */
  readonly zone: string = $derived.by(() => this.plan?.zone.zone ?? 'UTC');
  /** The days that the user gave, in {@link zone}; null without both. */
  readonly typed: TypedRange | null = $derived.by(() => {
    const { coversFrom: from, coversTo: to, zone } = this;
    if (from === '' || to === '') return null;
    const now = this.#now;
    const table = zoneTable(zone, { start: ARCHIVE_START - DAY_MS, end: now + 400 * DAY_MS });
    return typedRange(from, to, table, now);
  });
  /** The time that the file covers; null if only its Posts say so. */
  readonly covers: CoveredTime | null = $derived.by(() =>
    this.typed?.ok ? this.typed.span : null,
  );

  /** The day that the file cannot cover, such as `2026-01-01`, and why; null without one. */
  readonly coversFault: { readonly day: string; readonly rule: string } | null = $derived.by(() => {
    const { coversFrom: from, coversTo: to, typed, ends } = this;
    if (from === '' && to === '') return null;
    if (from === '' || to === '')
      return { day: from + to, rule: 'Give both days that the file covers, or none.' };
    if (typed && !typed.ok)
      return typed.from === undefined
        ? { day: to, rule: typed.to ?? '' }
        : { day: from, rule: typed.from };
    if (!typed || !ends) return null;
    if (ends.first < typed.span.start)
      return { day: from, rule: 'The first Post of the file is earlier.' };
    return ends.last >= typed.span.end
      ? { day: to, rule: 'The last Post of the file is later.' }
      : null;
  });
  readonly preview: Preview = $derived.by(() => {
    if (this.opened.kind === 'posts')
      return previewRows(this.opened.rows, this.opened.reading, this.#now);
    if (!this.sample || !this.plan) return { posts: [], refused: [] };
    return previewRows(this.sample.rows, { kind: 'table', plan: this.plan }, this.#now);
  });

  private constructor({ name, opened, storage, zone, now }: ImportSheetOptions) {
    this.name = name;
    this.opened = opened;
    this.#storage = storage;
    this.#now = now();
    this.#zone = zone;
  }

  /** The sheet of a file, with the choices of the last file that had the same columns. */
  static async of(options: ImportSheetOptions): Promise<ImportSheet> {
    const sheet = new ImportSheet(options);
    await sheet.#read({});
    const known = sheet.plan && rememberedChoice(options.storage, sheet.plan.names);
    if (known) {
      await sheet.reuse(known);
      // A choice that fits no row of this file helps less than a guess.
      if (sheet.isAllRefused) await sheet.guess();
    }
    return sheet;
  }

  /** Columns by name, in the order of the file. */
  get names(): readonly string[] {
    return this.plan?.names ?? [];
  }

  /** True if no row that is shown would be imported. A file without such rows may still have Posts, or relations. */
  get isAllRefused(): boolean {
    const { posts, refused } = this.preview;
    return posts.length === 0 && refused.length > 0;
  }

  /** True if the only table of the file has a header and no row. */
  get isEmpty(): boolean {
    const { opened, plan, preview } = this;
    const isOne = opened.kind === 'table' && opened.tables === 1 && (plan?.header ?? 0) > 0;
    return isOne && preview.posts.length + preview.refused.length === 0;
  }

  /** True if the file can be imported as it is read now. */
  get isReady(): boolean {
    if (this.isAllRefused || this.isEmpty || this.coversFault) return false;
    if (this.opened.kind !== 'table') return this.opened.kind === 'posts';
    return this.plan !== null && this.plan.missing.length === 0 && this.fault === null;
  }

  /** Reads the times of all rows as they would be imported. @returns Stops that. */
  measure(): () => void {
    const { plan, opened, choice } = this;
    let isStopped = false;
    this.ends = null;
    const read = async (table: AsyncGenerator<readonly Row[]>, by: TablePlan): Promise<void> => {
      let [first, last] = [Infinity, -Infinity];
      for await (const rows of table) {
        if (isStopped) return;
        for (const row of rows) {
          if (row.kind !== 'columns' || row.line <= by.header) continue;
          const at = timeOfRow(by, row.fields);
          if (at === null || at < ARCHIVE_START || at > this.#now) continue;
          [first, last] = [Math.min(first, at), Math.max(last, at)];
        }
      }
      if (first <= last) this.ends = { first, last };
    };
    if (opened.kind === 'table' && opened.rows && plan?.missing.length === 0) {
      // A file that cannot be read to its end is reported by the import.
      read(opened.rows(choice), plan).catch(() => undefined);
    }
    return () => (isStopped = true);
  }

  /** Position of the column of a field, 1-based; 0 if it has none. */
  columnOf(field: Field): number {
    return (this.plan?.at[field] ?? -1) + 1;
  }

  /** Reads a field from another column, by its position; 0 from none. */
  setColumn(field: Field, position: number): void {
    const columns = Object.fromEntries(
      FIELDS.flatMap((name) => {
        const at = name === field ? position : this.columnOf(name);
        return at === 0 ? [] : [[name, at]];
      }),
    ) as Partial<Record<Field, number>>;
    this.choice = { ...this.choice, columns };
    this.isRemembered = false;
  }

  /** Gives the collection a name that none has, so that the file continues no other. */
  keepApart(): void {
    const names = new Set(this.collections.map(({ name }) => label(name)));
    for (let n = 2; ; n++) {
      const name = `${this.name} (${n})`;
      if (names.has(label(name))) continue;
      this.collection = name;
      return;
    }
  }

  setDates(dates: 'DMY' | 'MDY'): void {
    this.choice = { ...this.choice, dates };
  }

  setZone(zone: string): void {
    this.#proposed = false;
    this.choice = { ...this.choice, zone };
  }

  /** Reads the file in another way, so that its columns are guessed again. */
  async reread(
    change: Pick<TableChoice, 'encoding' | 'delimiter' | 'quotes' | 'sheet' | 'header'>,
  ): Promise<void> {
    const { columns: _, ...rest } = this.choice;
    // Another delimiter or sheet has its header elsewhere.
    const { header: _header, zone, ...unzoned } = rest;
    // A proposed zone is proposed again where it still fits.
    const others = zone === undefined || this.#proposed ? unzoned : { ...unzoned, zone };
    this.#proposed = false;
    this.isRemembered = false;
    await this.#read({ ...others, ...change });
  }

  /** Drops all choices. */
  async guess(): Promise<void> {
    this.isRemembered = false;
    await this.#read({});
  }

  /**
   * Remembers the choices for files with the same columns.
   *
   * @returns The way to read the file; null if it is no table.
   */
  confirm(): TableChoice | null {
    const { plan, opened, sample } = this;
    if (!plan || !sample || opened.kind !== 'table') return null;
    // The other tables of a zip may be written in another way.
    const form =
      opened.tables > 1
        ? {}
        : {
            ...sample.text,
            ...(sample.sheet !== null && { sheet: sample.sheet }),
            header: plan.header,
          };
    const columns = Object.fromEntries(
      FIELDS.flatMap((field) =>
        this.columnOf(field) === 0 ? [] : [[field, this.columnOf(field)]],
      ),
    ) as Partial<Record<Field, number>>;
    const choice: TableChoice = {
      ...this.choice,
      ...form,
      columns,
      zone: plan.zone.zone,
      ...(plan.order !== null && { dates: plan.order }),
    };
    rememberChoice(this.#storage, plan.names, choice);
    return choice;
  }

  /** Uses the choice of columns, quotes, zone and order of a file with the same columns; its header may be elsewhere. */
  async reuse({ columns, zone, dates, quotes }: TableChoice): Promise<void> {
    const text = this.sample?.text;
    if (quotes !== undefined && text && text.quotes !== quotes) await this.reread({ quotes });
    // An order that the values contradict was that of another file.
    const shows = this.plan?.order ?? null;
    if (zone !== undefined) this.#proposed = false;
    this.choice = {
      ...this.choice,
      ...(columns && { columns }),
      ...(zone !== undefined && { zone }),
      ...(dates !== undefined && shows === null && { dates }),
    };
    this.isRemembered = true;
  }

  async #read(choice: TableChoice): Promise<void> {
    if (this.opened.kind !== 'table') return;
    try {
      this.sample = await this.opened.sample(choice);
      this.choice = choice;
      if (choice.zone === undefined && this.plan?.isZoneOpen) {
        this.choice = { ...choice, zone: this.#zone };
        this.#proposed = true;
      }
      this.fault = null;
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      this.fault = error.message;
    }
  }
}
