import { METRICS, PLACEMENTS } from '#contract/ad-statistics.ts';
import type { Metric, Placement } from '#contract/ad-statistics.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import type { Db, Statement } from '#server/db/driver.ts';

/** The known metrics of an entity in an hour or a day. */
export interface Figure {
  /** Number of the entity. */
  readonly entity: number;
  readonly placement: Placement;
  /** Whole minutes, epoch ms. */
  readonly span: Span;
  readonly metrics: Readonly<Partial<Record<Metric, number>>>;
}

/** When an entity had figures. */
export interface Activity {
  /** Id of the entity. */
  readonly id: string;
  /** Epoch ms. */
  readonly span: Span;
  readonly placements: readonly Placement[];
}

/** Figures of entities. */
export interface FigureTable {
  /**
   * Stores a figure, within a write transaction. It replaces the figures that it overlaps.
   *
   * @returns Whether that changed anything.
   */
  put(figure: Figure): boolean;
  /**
   * Sums of metrics in a span, from the figures that lie in it as a whole; null where there are none. In the order of the
   * names.
   */
  sums(
    entity: number,
    placement: Placement,
    span: Span,
    names: readonly Metric[],
  ): (number | null)[];
  /** When the entities of a kind in an account had figures that overlap a span. */
  active(holder: string, kind: string, span: Span): Activity[];
}

const ALL: readonly Metric[] = Object.values(METRICS).flat();

/** No figure is longer, even if its zone skips or repeats a part of the day. */
const LONGEST_MINUTES = 2 * 24 * 60;

function minutesOf({ start, end }: Span): [start: number, end: number] {
  return [start / MINUTE_MS, end / MINUTE_MS];
}

export function figureTable(db: Db): FigureTable {
  const overlapping = db.prepare(
    `DELETE FROM figure WHERE entity = ? AND placement = ? AND start > ? AND start < ? AND start + minutes > ?
    AND NOT (start = ? AND minutes = ?)`,
  );
  const insert = db.prepare(
    `INSERT INTO figure (entity, placement, start, minutes, ${ALL.join(', ')})
    VALUES (?, ?, ?, ?, ${ALL.map(() => '?').join(', ')}) ON CONFLICT DO UPDATE SET
    ${ALL.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE ${ALL.map((name) => `${name} IS NOT excluded.${name}`).join(' OR ')}`,
  );
  const OVERLAPPING = 'start > ? AND start < ? AND start + minutes > ?';
  const edge = (what: string, direction: 'ASC' | 'DESC'): string =>
    `(SELECT ${what} FROM figure WHERE entity = e.seq AND placement = ? AND ${OVERLAPPING}
    ORDER BY start ${direction} LIMIT 1)`;
  const active = db.prepare(
    `SELECT id, first, last FROM (
      SELECT e.seq, e.id, ${edge('start', 'ASC')} AS first, ${edge('start + minutes', 'DESC')} AS last
      FROM entity e WHERE e.holder = ? AND e.kind = ?
    ) WHERE first IS NOT NULL ORDER BY seq`,
  );
  const statements = new Map<string, Statement>();
  /** There are as many as there are sets of groups of metrics. */
  const sums = (names: readonly Metric[]): Statement => {
    const columns = names.map((name) => `sum(${name})`).join(', ');
    const known = statements.get(columns);
    if (known) return known;
    const statement = db.prepare(
      `SELECT ${columns} FROM figure
      WHERE entity = ? AND placement = ? AND start >= ? AND start < ? AND start + minutes <= ?`,
    );
    statements.set(columns, statement);
    return statement;
  };
  return {
    put: ({ entity, placement, span, metrics }) => {
      const [start, end] = minutesOf(span);
      const at = [entity, PLACEMENTS.indexOf(placement)];
      const length = end - start;
      const gone = overlapping.run([...at, start - LONGEST_MINUTES, end, start, start, length]);
      const values = ALL.map((name) => metrics[name] ?? null);
      return insert.run([...at, start, length, ...values]) + gone > 0;
    },
    sums: (entity, placement, span, names) => {
      const [start, end] = minutesOf(span);
      const row = sums(names).get([entity, PLACEMENTS.indexOf(placement), start, end, end]) ?? [];
      return row.map((cell) => (cell === null ? null : Number(cell)));
    },
    active: (holder, kind, span) => {
      const [start, end] = minutesOf(span);
      const found = new Map<string, Activity>();
      for (const [n, placement] of PLACEMENTS.entries()) {
        const within = [n, start - LONGEST_MINUTES, end, start];
        for (const [id, from, to] of active.all([...within, ...within, holder, kind])) {
          const known = found.get(String(id));
          const [first, last] = [Number(from) * MINUTE_MS, Number(to) * MINUTE_MS];
          found.set(String(id), {
            id: String(id),
            span: {
              start: Math.min(known?.span.start ?? first, first),
              end: Math.max(known?.span.end ?? last, last),
            },
            placements: [...(known?.placements ?? []), placement],
          });
        }
      }
      return [...found.values()];
    },
  };
}
