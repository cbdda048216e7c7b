import { EVENT_COLUMNS } from '#app/events/event-file.ts';
import { faultText } from '#app/format/fault-text.ts';
import { readEvents, type EventRows } from '#core/import/event-rows.ts';
import { FeedError } from '#core/readers/error.ts';
import type { Row } from '#core/readers/row.ts';
import type { SheetFile, TableSample } from './open-file.ts';
import { EVENT_FIELDS, type EventField } from '#core/import/event-names.ts';
import {
  looksLikeEvents,
  planEvents,
  type EventChoice,
  type EventPlan,
} from '#core/import/event-plan.ts';

/** Rows that are read; a calendar has room for fewer events. */
const MOST_ROWS = 50_000;

/** True if the first row is the header of the events that Groundswell saves. */
function isOwnFile([first]: readonly Row[]): boolean {
  return first?.kind === 'columns' && EVENT_COLUMNS.every((name, i) => name === first.fields[i]);
}

interface EventSheetDeps {
  readonly name: string;
  readonly opened: Extract<SheetFile, { kind: 'table' }>;
  /** IANA name of the board's zone. */
  readonly zone: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Adds the file of a calendar to the service. @throws {@link Fault} if the service refuses it. */
  readonly add: (file: File) => Promise<void> | void;
}

/** The sheet of a table whose rows can be the events of a calendar. */
export class EventSheet {
  readonly #deps: EventSheetDeps;
  readonly fileName: string;
  readonly zone: string;
  /** True while the rows are read as events, not as Posts. */
  on = $state(false);
  /** Name of the calendar; empty for the name of the file. */
  name = $state('');
  /** The first rows; null until they are read. */
  sample = $state.raw<TableSample | null>(null);
  #rows = $state.raw<readonly Row[]>([]);
  choice = $state.raw<EventChoice>({});
  /** The reason the rows cannot be read, or the calendar not be added; empty if there is none. */
  fault = $state('');
  adding = $state(false);
  readonly plan: EventPlan = $derived.by(() => planEvents(this.#rows, this.choice, this.zone));
  readonly read: EventRows = $derived.by(() =>
    this.plan.missing.length > 0 ? { events: [], refused: [] } : readEvents(this.#rows, this.plan),
  );
  readonly isReady: boolean = $derived.by(
    () => this.read.events.length > 0 && this.fault === '' && !this.adding,
  );

  private constructor(deps: EventSheetDeps) {
    this.#deps = deps;
    this.fileName = deps.name.replace(/\.[^.]+(?:\.gz)?$/, '');
    this.zone = deps.zone;
  }

  /**
   * The sheet of a table, which is on if that looks like one of events.
   *
   * @returns Null for one that is not read whole.
   * @throws {@link FeedError}
   */
  static async of(deps: EventSheetDeps): Promise<EventSheet | null> {
    if (!deps.opened.rows) return null;
    const sheet = new EventSheet(deps);
    const { rows } = await deps.opened.sample({});
    if (isOwnFile(rows) || looksLikeEvents(rows, deps.zone, deps.now())) await sheet.turn(true);
    return sheet;
  }

  /** Reads the rows as events, or no longer. */
  async turn(on: boolean): Promise<void> {
    this.on = on;
    // Those of a large file of Posts are not read until then.
    if (on && !this.sample) await this.reread({});
  }

  /** Position of the column of a field, 1-based; 0 if it has none. */
  columnOf(field: EventField): number {
    return this.plan.at[field] + 1;
  }

  /** Reads a field from another column, by its position; 0 from none. */
  setColumn(field: EventField, position: number): void {
    const columns = Object.fromEntries(
      EVENT_FIELDS.flatMap((name) => {
        const at = name === field ? position : this.columnOf(name);
        return at === 0 ? [] : [[name, at]];
      }),
    ) as Partial<Record<EventField, number>>;
    this.choose({ columns });
  }

  /** Reads the same rows in another way. */
  choose(change: Pick<EventChoice, 'columns' | 'dates' | 'zone'>): void {
    this.choice = { ...this.choice, ...change };
    this.fault = '';
  }

  /** Reads the file in another way, so that its columns are guessed again. */
  async reread(
    change: Pick<EventChoice, 'encoding' | 'delimiter' | 'quotes' | 'sheet' | 'header'>,
  ): Promise<void> {
    const { columns: _, header: _header, ...others } = this.choice;
    const choice = { ...others, ...change };
    const { columns: _columns, ...table } = choice as EventChoice;
    try {
      const sample = await this.#deps.opened.sample(table);
      const rows: Row[] = [];
      const named = { ...table, ...(sample.sheet !== null && { sheet: sample.sheet }) };
      for await (const more of this.#deps.opened.rows?.(named) ?? []) {
        rows.push(...more);
        if (rows.length > MOST_ROWS) {
          const why = `has more than ${MOST_ROWS} rows, which no calendar has room for.`;
          throw new FeedError('unreadable', this.#deps.name, why);
        }
      }
      [this.sample, this.#rows, this.choice, this.fault] = [sample, rows, choice, ''];
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      this.fault = error.message;
    }
  }

  /** Adds the events as a calendar. @returns Whether that worked; if not, {@link fault} says why. */
  async add(): Promise<boolean> {
    if (!this.isReady) return false;
    this.adding = true;
    try {
      const { rowsIcs } = await import('#app/events/event-ics.ts');
      const name = this.name.trim() || this.fileName;
      const text = rowsIcs(name, this.read.events, this.#deps.now());
      await this.#deps.add(new File([text], `${name}.ics`));
      return true;
    } catch (error) {
      this.fault = faultText(error);
      return false;
    } finally {
      this.adding = false;
    }
  }
}
