import { MINUTE_MS, type Span } from '#core/time/span.ts';
import { numberOrNull, type Db, type Statement } from '#server/db/driver.ts';
import { activityTable } from './activity.ts';
import { METRICS, PLACEMENTS, type Metric, type Placement } from '#contract/ads/ad-metrics.ts';

/** The known metrics of an entity in an hour or a day. */
export interface Figure {
  /** Number of the entity. */
  readonly entity: number;
  readonly placement: Placement;
  /** Whole minutes, epoch ms. */
  readonly span: Span;
  readonly metrics: Readonly<Partial<Record<Metric, number>>>;
}

/**
 * The number of users that a campaign reached in an hour or a day, and how often each on average; null where not known.
 */
export interface Reach {
  readonly reach: number | null;
  readonly frequency: number | null;
}

/** The known values of metrics, in the order that they were asked for; null where a metric is not known. */
export type MetricSums = readonly (number | null)[];

/** An entity with figures, below another one or that one itself. */
export interface Descendant {
  /** Number of the entity. */
  readonly entity: number;
  /** Numbers of what it belongs to, as far as these have figures too. */
  readonly above: readonly number[];
}

const ALL: readonly Metric[] = Object.values(METRICS).flat();

/** No figure is longer, even if its zone skips or repeats a part of the day. */
const LONGEST_MINUTES = 2 * 24 * 60;

/** No figure is shorter. */
const SHORTEST_MINUTES = 60;

function minutesOf({ start, end }: Span): [start: number, end: number] {
  return [start / MINUTE_MS, end / MINUTE_MS];
}

/** Buckets that are equally long, with those minutes: of days in a zone, all between two changes of its clocks. */
function runsOf(buckets: readonly Span[]): { readonly step: number; readonly of: Span[] }[] {
  const runs: { readonly step: number; readonly of: Span[] }[] = [];
  for (const bucket of buckets) {
    const step = (bucket.end - bucket.start) / MINUTE_MS;
    const last = runs.at(-1);
    if (last?.step === step) last.of.push(bucket);
    else runs.push({ step, of: [bucket] });
  }
  return runs;
}

/** Statements by their text, of which there are few. */
function statementsOf(db: Db): (sql: string) => Statement {
  const known = new Map<string, Statement>();
  return (sql) => {
    const statement = known.get(sql) ?? db.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
}

function summing(db: Db) {
  const prepare = statementsOf(db);
  /**
   * Sums of metrics in each bucket, from the figures of entities that lie in it as a whole.
   *
   * @param buckets - In the order of time, each beginning where the one before ends.
   * @param above - Numbers of entities whose own figures replace those that they overlap.
   */
  return (
    entities: readonly number[],
    placement: Placement,
    buckets: readonly Span[],
    names: readonly Metric[],
    above: readonly number[] = [],
  ): MetricSums[] => {
    const none = names.map(() => null);
    const at = [...entities, PLACEMENTS.indexOf(placement)];
    const covered = above.map(
      () => `AND NOT EXISTS (SELECT 1 FROM figure o WHERE o.entity = ? AND o.placement = f.placement
        AND o.start > f.start - ${LONGEST_MINUTES} AND o.start < f.start + f.minutes AND o.start + o.minutes > f.start)`,
    );
    return runsOf(buckets).flatMap(({ step, of }) => {
      const sums: MetricSums[] = of.map(() => none);
      const start = (of[0]?.start ?? 0) / MINUTE_MS;
      // Figures are at least an hour long and do not overlap, so an hour of an entity has one at most.
      const isHourly = step === SHORTEST_MINUTES && entities.length === 1;
      const columns = names.map((name) => `, ${isHourly ? name : `sum(${name})`}`).join('');
      const statement = prepare(
        `SELECT CAST((f.start - ?) / ? AS INTEGER) AS bucket${columns} FROM figure f
        WHERE f.entity IN (${entities.map(() => '?').join(', ')}) AND f.placement = ? AND f.start >= ? AND f.start < ?
        AND (f.start - ?) % ? + f.minutes <= ? ${covered.join(' ')} ${isHourly ? '' : 'GROUP BY bucket'}`,
      );
      const end = start + of.length * step;
      const values = [start, step, ...at, start, end, start, step, step, ...above];
      for (const [bucket, ...row] of statement.all(values))
        sums[Number(bucket)] = row.map(numberOrNull);
      return sums;
    });
  };
}

/** The pairs of a kind and one that belongs to it. A campaign may belong to the ad account alone. */
const LEVELS = `(VALUES ('ACCOUNT', 'FUNDING_INSTRUMENT'), ('ACCOUNT', 'CAMPAIGN'), ('FUNDING_INSTRUMENT', 'CAMPAIGN'),
  ('CAMPAIGN', 'LINE_ITEM'), ('LINE_ITEM', 'PROMOTED_TWEET'), ('LINE_ITEM', 'MEDIA_CREATIVE'))`;

function descending(db: Db) {
  const tree = db.prepare(
    `WITH RECURSIVE level (above, kind) AS ${LEVELS}, tree (seq, kind, id, above) AS (
      SELECT seq, kind, id, '' FROM entity WHERE seq = ?
      UNION ALL
      SELECT e.seq, e.kind, e.id, t.above || t.seq || ',' FROM tree t CROSS JOIN level l ON l.above = t.kind
      CROSS JOIN entity e ON e.holder = ? AND e.kind = l.kind
        AND e.parent IS CASE t.kind WHEN 'ACCOUNT' THEN NULL ELSE t.id END
    )
    SELECT seq, above FROM tree WHERE EXISTS (
      SELECT 1 FROM activity a WHERE a.entity = tree.seq AND a.placement = ? AND a.start < ? AND a.until > ?
    )`,
  );
  /**
   * An entity and all that belongs to it, as far as they have figures in a span.
   *
   * @param holder - The ad account.
   */
  return (entity: number, holder: string, placement: Placement, span: Span): Descendant[] => {
    const [start, end] = minutesOf(span);
    const rows = tree.all([entity, holder, PLACEMENTS.indexOf(placement), end, start]);
    const active = new Set(rows.map(([seq]) => Number(seq)));
    return rows.map(([seq, above]) => ({
      entity: Number(seq),
      above: String(above)
        .split(',')
        .filter((ancestor) => ancestor !== '')
        .map(Number)
        .filter((ancestor) => active.has(ancestor)),
    }));
  };
}

/** Reach of campaigns. */
function reachTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO reach (entity, start, minutes, reach, frequency) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    reach = excluded.reach, frequency = excluded.frequency
    WHERE reach IS NOT excluded.reach OR frequency IS NOT excluded.frequency`,
  );
  const find = db.prepare(
    'SELECT reach, frequency FROM reach WHERE entity = ? AND start = ? AND minutes = ?',
  );
  return {
    /** Stores the reach of a campaign in an hour or a day. @returns Whether that changed anything. */
    putReach: (entity: number, span: Span, { reach, frequency }: Reach): boolean => {
      const [start, end] = minutesOf(span);
      return insert.run([entity, start, end - start, reach, frequency]) > 0;
    },
    /** The reach of a campaign in exactly that span. */
    reach: (entity: number, span: Span): Reach => {
      const [start, end] = minutesOf(span);
      const row = find.get([entity, start, end - start]);
      return { reach: numberOrNull(row?.[0]), frequency: numberOrNull(row?.[1]) };
    },
  };
}

/** Figures of entities. */
export function figureTable(db: Db) {
  const OVERLAPPING = `entity = ? AND placement = ? AND start > ? AND start < ? AND start + minutes > ?
    AND NOT (start = ? AND minutes = ?)`;
  const overlapping = db.prepare(`SELECT start, minutes FROM figure WHERE ${OVERLAPPING}`);
  const drop = db.prepare(`DELETE FROM figure WHERE ${OVERLAPPING}`);
  const insert = db.prepare(
    `INSERT INTO figure (entity, placement, start, minutes, ${ALL.join(', ')})
    VALUES (?, ?, ?, ?, ${ALL.map(() => '?').join(', ')}) ON CONFLICT DO UPDATE SET
    ${ALL.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE ${ALL.map((name) => `${name} IS NOT excluded.${name}`).join(' OR ')}`,
  );
  const activity = activityTable(db);
  return {
    ...activity,
    ...reachTable(db),
    below: descending(db),
    sums: summing(db),
    /**
     * Stores a figure, within a write transaction. It replaces the figures that it overlaps.
     *
     * @returns Whether that changed anything.
     */
    put: ({ entity, placement, span, metrics }: Figure): boolean => {
      const [start, end] = minutesOf(span);
      const number = PLACEMENTS.indexOf(placement);
      const at = [entity, number];
      const around = [...at, start - LONGEST_MINUTES, end, start, start, end - start];
      const replaced = overlapping.all(around).map(([from, minutes]) => {
        return { start: Number(from), end: Number(from) + Number(minutes) };
      });
      if (replaced.length > 0) drop.run(around);
      const values = ALL.map((name) => metrics[name] ?? null);
      const changed = insert.run([...at, start, end - start, ...values]);
      if (changed > 0) activity.replace(entity, number, { start, end }, replaced);
      return changed + replaced.length > 0;
    },
  };
}
