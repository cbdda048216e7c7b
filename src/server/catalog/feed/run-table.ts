import type { FieldNote } from '#core/catalog/product.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';

/** Its figures sum up to the rows that it has read. */
const RUN = columns({
  id: column.number,
  /** Epoch ms. */
  startedAt: column.number,
  /** Null while it runs, and after a crash until it continues. */
  endedAt: column.numberOrNull,
  /** The reason it ended before the end of the feed; null if it did not. */
  fault: column.textOrNull,
  created: column.number,
  updated: column.number,
  unchanged: column.number,
  /** Malformed rows, invalid products, and every occurrence of a repeated id. */
  refused: column.number,
});

/** A run of a feed. */
export type FeedRun = RowOf<typeof RUN>;

/** The outcome of the rows of a feed. */
export type RunFigures = Pick<FeedRun, 'created' | 'updated' | 'unchanged' | 'refused'>;

/** The notes on a row. */
export interface RowNotes {
  /** Number of the row, from 1 on; 0 for what concerns the whole feed. */
  readonly number: number;
  /** Line of the file on which it begins, from 1 on. */
  readonly line: number;
  /** The merchant's id of its product, if it has one. */
  readonly product: string | null;
  readonly errors: readonly FieldNote[];
  readonly warnings: readonly FieldNote[];
}

const RULE = columns({
  kind: column.word<'error' | 'warning'>(),
  rule: column.text,
  rows: column.number,
});

/** The number of rows of a run that break a rule; 1 for what concerns the whole feed. */
export type RuleCount = RowOf<typeof RULE>;

/** The place of a row in a report, which lists rows with errors first. */
export interface ReportPlace {
  readonly kind: RuleCount['kind'];
  readonly number: number;
}

/** A part of a report. */
interface ReportPart {
  /** Null from the beginning, which is what concerns the whole feed. */
  readonly after: ReportPlace | null;
  readonly limit: number;
  /** Only the rows that break it. */
  readonly rule?: Pick<RuleCount, 'kind' | 'rule'> | null;
}

/** The place of a row. */
export function reportPlace({ number, errors }: RowNotes): ReportPlace {
  return { kind: errors.length > 0 ? 'error' : 'warning', number };
}

/** Runs of feeds and what they report. The last ten of a catalog are stored. */
export type RunTable = ReturnType<typeof runTable>;

const STORED_RUNS = 10;

/** Rows of a run whose notes are stored one by one: of those with errors, and of those with warnings alone. */
export const STORED_ROWS = 10_000;

/** Rows that break one rule and are stored, however many others there are. */
const STORED_OF_RULE = 100;

export function runTable(db: Db) {
  const open = RUN.select(db, 'feed_run WHERE catalog = ? AND source = ? AND ended_at IS NULL');
  const insert = db.prepare(
    'INSERT INTO feed_run (catalog, source, started_at) VALUES (?, ?, ?) RETURNING id',
  );
  const all = RUN.select(db, 'feed_run WHERE catalog = ? ORDER BY id DESC');
  const find = RUN.select(db, 'feed_run WHERE id = ?');
  const drop = ['feed_run WHERE id', 'feed_rule WHERE run', 'feed_row WHERE run'].map((of) =>
    db.prepare(`DELETE FROM ${of} = ?`),
  );
  const count = db.prepare(
    'UPDATE feed_run SET created = created + ?, updated = updated + ?, unchanged = unchanged + ?, refused = refused + ? WHERE id = ?',
  );
  const addRule = db.prepare(
    'INSERT INTO feed_rule (run, kind, rule, rows) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET rows = rows + 1 RETURNING rows',
  );
  const stored = db.prepare('SELECT count(*), sum(is_error) FROM feed_row WHERE run = ?');
  const addRow = db.prepare(
    'INSERT INTO feed_row (run, number, line, product, notes, is_error) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const end = db.prepare('UPDATE feed_run SET ended_at = ?, fault = ? WHERE id = ?');
  const rules = RULE.select(db, 'feed_rule WHERE run = ? ORDER BY kind, rows DESC, rule');
  const rows = db.prepare(
    `SELECT number, line, product, notes FROM feed_row
      WHERE run = ? AND (is_error < ? OR (is_error = ? AND number > ?))
        AND (? IS NULL OR EXISTS (SELECT 1 FROM json_each(notes, ?) WHERE value ->> 'message' = ?))
      ORDER BY is_error DESC, number LIMIT ?`,
  );
  const found = (id: number): FeedRun => {
    const run = find.get([id]);
    if (!run) throw new RangeError(`expected a run of the id ${id}, got none`);
    return run;
  };
  return {
    /** The run of a source that has not ended, or a new one. @param at - Epoch ms. */
    begin: (catalog: number, source: string, at: number): FeedRun =>
      open.get([catalog, source]) ??
      db.write('begin-run', () => {
        const id = Number(insert.get([catalog, source, at])?.[0]);
        for (const old of all.all([catalog]).slice(STORED_RUNS)) {
          for (const statement of drop) statement.run([old.id]);
        }
        return found(id);
      }),
    /** Adds a batch of rows to the figures and the report; within a write. */
    add: (
      run: number,
      { created, updated, unchanged, refused }: RunFigures,
      notes: readonly RowNotes[],
    ): void => {
      count.run([created, updated, unchanged, refused, run]);
      const [all, failed] = (stored.get([run]) ?? []).map(Number);
      const room = {
        error: STORED_ROWS - (failed ?? 0),
        warning: STORED_ROWS - (all ?? 0) + (failed ?? 0),
      };
      for (const note of notes) {
        const { number, line, product, errors, warnings } = note;
        const { kind } = reportPlace(note);
        let isRare = false;
        for (const [of, list] of [
          ['error', errors],
          ['warning', warnings],
        ] as const) {
          for (const rule of new Set(list.map(({ message }) => message))) {
            const [times] = addRule.get([run, of, rule]) ?? [];
            isRare ||= Number(times) <= STORED_OF_RULE;
          }
        }
        if (room[kind] <= 0 && !isRare) continue;
        room[kind] -= 1;
        const text = JSON.stringify({ errors, warnings });
        addRow.run([run, number, line, product, text, kind === 'error' ? 1 : 0]);
      }
    },
    /** @param at - Epoch ms. */
    end: (run: number, fault: string | null, at: number): FeedRun =>
      db.write('end-run', () => {
        end.run([at, fault, run]);
        return found(run);
      }),
    /** The newest first. */
    of: (catalog: number): FeedRun[] => all.all([catalog]),
    /** Errors first, and of each kind the most frequent rule. */
    rules: (run: number): RuleCount[] => rules.all([run]),
    /** Rows of a run with errors, then those with warnings alone, each by number. */
    rows: (run: number, { after, limit, rule = null }: ReportPart): RowNotes[] => {
      const isError = after?.kind === 'warning' ? 0 : 1;
      const list = rule?.kind === 'warning' ? '$.warnings' : '$.errors';
      const text = rule && rule.rule;
      return rows
        .all([run, isError, isError, after?.number ?? -1, text, list, text, limit])
        .map(([number, line, product, notes]) => ({
          number: Number(number),
          line: Number(line),
          product: textOrNull(product),
          ...(JSON.parse(String(notes)) as Pick<RowNotes, 'errors' | 'warnings'>),
        }));
    },
  };
}
