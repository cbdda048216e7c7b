import { MINUTE_MS, type Span } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { PLACEMENTS, type Placement } from '#contract/ads/ad-metrics.ts';

/** The span in which an entity had figures. */
export interface Activity {
  readonly kind: string;
  readonly id: string;
  /** Id of the entity that it belongs to. */
  readonly parent: string | null;
  /** Epoch ms. */
  readonly span: Span;
  readonly placements: readonly Placement[];
}

/** The spans in which entities had figures. In each, figures follow each other without a gap. */
export function activityTable(db: Db) {
  const touching = db.prepare(
    'SELECT start, until FROM activity WHERE entity = ? AND placement = ? AND start <= ? AND until >= ?',
  );
  const drop = db.prepare(
    'DELETE FROM activity WHERE entity = ? AND placement = ? AND start <= ? AND until >= ?',
  );
  const insert = db.prepare(
    `INSERT INTO activity (entity, placement, start, until, holder, kind)
    SELECT ?, ?, ?, ?, CASE kind WHEN 'ACCOUNT' THEN id ELSE holder END, kind FROM entity WHERE seq = ?`,
  );
  const active = db.prepare(
    `SELECT e.id, e.parent, a.placement, min(a.start), max(a.until)
    FROM activity a INDEXED BY activity_until JOIN entity e ON e.seq = a.entity
    WHERE a.holder = ? AND a.kind = ? AND a.until > ? AND a.start < ? GROUP BY a.entity, a.placement`,
  );
  const within = db.prepare(
    'SELECT min(start), max(until) FROM activity WHERE entity = ? AND placement = ? AND until > ? AND start < ?',
  );
  /** The spans that touch one, which are removed. */
  const take = (entity: number, placement: number, { start, end }: Span): Span[] => {
    const at = [entity, placement, end, start];
    const spans = touching.all(at).map(([from, to]) => ({ start: Number(from), end: Number(to) }));
    if (spans.length > 0) drop.run(at);
    return spans;
  };
  const add = (entity: number, placement: number, { start, end }: Span): void => {
    if (start < end) insert.run([entity, placement, start, end, entity]);
  };
  return {
    /** Records that a figure replaced others, within a write transaction. Times are in minutes since 1970. */
    replace: (entity: number, placement: number, figure: Span, replaced: readonly Span[]) => {
      for (const gone of replaced) {
        for (const { start, end } of take(entity, placement, gone)) {
          add(entity, placement, { start, end: Math.min(end, gone.start) });
          add(entity, placement, { start: Math.max(start, gone.end), end });
        }
      }
      const around = [figure, ...take(entity, placement, figure)];
      add(entity, placement, {
        start: Math.min(...around.map(({ start }) => start)),
        end: Math.max(...around.map(({ end }) => end)),
      });
    },
    /** The time within a span from the first to the last figure of entities, by `seq`; null if they have none. */
    time: (entities: readonly number[], placement: Placement, span: Span): Span | null => {
      const [from, to] = [span.start / MINUTE_MS, span.end / MINUTE_MS];
      const number = PLACEMENTS.indexOf(placement);
      let [start, end] = [Infinity, -Infinity];
      for (const entity of entities) {
        const [first = null, last] = within.get([entity, number, from, to]) ?? [];
        if (first === null) continue;
        start = Math.min(start, Math.max(from, Number(first)));
        end = Math.max(end, Math.min(to, Number(last)));
      }
      return start < end ? { start: start * MINUTE_MS, end: end * MINUTE_MS } : null;
    },
    /** The spans in which entities of an account, of these kinds, had figures within a span. Parts of figures count. */
    active: (holder: string, kinds: readonly string[], span: Span): Activity[] => {
      const [from, to] = [span.start / MINUTE_MS, span.end / MINUTE_MS];
      return kinds.flatMap((kind) => {
        const found = new Map<string, Activity>();
        for (const [id, parent, n, first, last] of active.all([holder, kind, from, to])) {
          const known = found.get(String(id));
          const start = Math.max(span.start, Number(first) * MINUTE_MS);
          const end = Math.min(span.end, Number(last) * MINUTE_MS);
          const placement = PLACEMENTS[Number(n)] ?? 'ALL_ON_TWITTER';
          found.set(String(id), {
            kind,
            id: String(id),
            parent: parent === null || parent === undefined ? null : String(parent),
            span: {
              start: Math.min(known?.span.start ?? start, start),
              end: Math.max(known?.span.end ?? end, end),
            },
            placements: [...(known?.placements ?? []), placement],
          });
        }
        return [...found.values()];
      });
    },
  };
}
