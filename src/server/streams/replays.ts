import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import { lanesOver } from './lanes.ts';

/** The state of a replay. `incomplete` has ended, but some deliveries were given up or removed. */
export type ReplayState = 'running' | 'complete' | 'incomplete';

const REPLAY = columns({
  id: column.text,
  webhook: column.text,
  /** First instant of the repeated events, epoch ms. */
  from: column.named('from_at', column.number),
  /** The instant after the last one. */
  to: column.named('to_at', column.number),
  state: column.word<ReplayState>(),
  /** Epoch ms. */
  createdAt: column.number,
  endedAt: column.numberOrNull,
});

/** A job that repeats the deliveries of a webhook. */
export type Replay = RowOf<typeof REPLAY>;

export type Replays = ReturnType<typeof replaysOver>;

/** Deliveries that a replay leaves out, because their subscription was deleted since, or its link. */
export interface Omitted {
  readonly subscription: string;
  readonly deliveries: number;
}

/** Deliveries that a replay copies at once. */
const CHUNK = 100;

/** The subscription whose deliveries repeat those of all others, in the order in which they were sent. */
function laneOf(id: string): string {
  return `replay ${id}`;
}

/**
 * The message that reports the end of a replay: that of the older account activity interface (platform-facts, 6.4), which
 * receivers know.
 */
function endOf(id: string, webhook: string, state: 'complete' | 'incomplete'): string {
  const isComplete = state === 'complete';
  return JSON.stringify({
    replay_job_status: {
      webhook_id: webhook,
      job_state: isComplete ? 'Complete' : 'Incomplete',
      job_state_description: isComplete
        ? 'Job completed successfully'
        : 'Job failed to deliver all events, please retry the replay job',
      job_id: id,
    },
  });
}

/** True if a subscription still wants deliveries to a webhook. */
export type IsWanted = (webhook: string, subscription: string) => boolean;

/**
 * Jobs that repeat deliveries.
 *
 * A job copies some of the stored deliveries at a time and records how far it has come in the transaction in which the
 * last of the earlier copies is settled: a restart continues where it was.
 */
export function replaysOver(db: Db, isWanted: IsWanted) {
  const lanes = lanesOver(db);
  const running = db.prepare('SELECT 1 FROM replay WHERE webhook = ? AND ended_at IS NULL LIMIT 1');
  const insert = db.prepare(
    `INSERT INTO replay (id, webhook, from_at, to_at, last, state, created_at)
    VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM delivery), 'running', ?)`,
  );
  const all = REPLAY.select(db, 'replay ORDER BY created_at DESC, id DESC LIMIT ?');
  const find = db.prepare(
    'SELECT webhook, from_at, to_at, last, cursor, failed FROM replay WHERE id = ? AND ended_at IS NULL',
  );
  const chunk = db.prepare(
    `SELECT id, subscription FROM delivery INDEXED BY delivery_replayed WHERE webhook = ? AND job IS NULL AND state > 0
    AND id > ? AND id <= ? AND created_at >= ? AND created_at < ? ORDER BY id LIMIT ${CHUNK}`,
  );
  const copy = db.prepare(
    `INSERT INTO delivery (webhook, subscription, event, created_at, queued_at, job, body, subject)
    SELECT webhook, ?, event, created_at, ?, ?, body, subject FROM delivery WHERE id = ? AND body IS NOT NULL`,
  );
  const bySubscription = db.prepare(
    `SELECT subscription, count(*) FROM delivery INDEXED BY delivery_replayed WHERE webhook = ? AND job IS NULL
    AND state > 0 AND created_at >= ? AND created_at < ? GROUP BY subscription ORDER BY subscription`,
  );
  const move = db.prepare('UPDATE replay SET cursor = ? WHERE id = ?');
  const countFailed = db.prepare('UPDATE replay SET failed = failed + ? WHERE id = ?');
  const end = db.prepare('UPDATE replay SET state = ?, ended_at = ? WHERE id = ?');
  const addEnd = db.prepare(
    `INSERT INTO delivery (webhook, subscription, event, created_at, queued_at, job, body)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const trimmed = db.prepare('SELECT 1 FROM trimmed WHERE webhook = ? AND at >= ?');
  const forget = db.prepare('DELETE FROM replay WHERE webhook = ?');
  const forgetTrimmed = db.prepare('DELETE FROM trimmed WHERE webhook = ?');
  const sweep = db.prepare('DELETE FROM replay WHERE ended_at < ?');

  const advance = (id: string, failed: number, now: number): void => {
    if (failed > 0) countFailed.run([failed, id]);
    const row = find.get([id]);
    // Its last message was settled.
    if (!row) return;
    const [webhook, from, to, last] = [String(row[0]), Number(row[1]), Number(row[2]), row[3]!];
    const lane = laneOf(id);
    if (!lanes.isEmpty({ webhook, subscription: lane })) return;
    let cursor = Number(row[4]);
    for (;;) {
      const found = chunk.all([webhook, cursor, last, from, to]);
      const wanted = found.filter(([, subscription]) => isWanted(webhook, String(subscription)));
      // Those whose body is gone are not copied.
      const copied = wanted.reduce(
        (sum, [delivery]) => sum + copy.run([lane, now, id, delivery!]),
        0,
      );
      cursor = Number(found.at(-1)?.[0] ?? cursor);
      if (copied > 0) return void move.run([cursor, id]);
      if (found.length === 0) break;
    }
    const isWhole = Number(row[5]) === 0 && !trimmed.get([webhook, from]);
    const state = isWhole ? 'complete' : 'incomplete';
    const body = Buffer.from(endOf(id, webhook, state));
    addEnd.run([webhook, lane, `replay ${id} ${state}`, now, now, id, body]);
    end.run([state, now, id]);
  };
  return {
    /**
     * Begins a replay of the settled deliveries of a webhook whose events happened in `[from, to)`. It is durable when
     * this returns.
     *
     * @returns The deliveries that it leaves out; null, without a change, while another replay of the webhook runs.
     */
    begin: ({
      id,
      webhook,
      from,
      to,
      createdAt,
    }: Pick<Replay, 'id' | 'webhook' | 'from' | 'to' | 'createdAt'>): readonly Omitted[] | null =>
      db.write('replay', () => {
        if (running.get([webhook])) return null;
        insert.run([id, webhook, from, to, createdAt]);
        lanes.add({ webhook, subscription: laneOf(id) }, createdAt);
        advance(id, 0, createdAt);
        return bySubscription
          .all([webhook, from, to])
          .map(([name, n]) => ({ subscription: String(name), deliveries: Number(n) }))
          .filter(({ subscription }) => !isWanted(webhook, subscription));
      }),
    /** Newest first. */
    all: (limit: number): Replay[] => all.all([limit]),
    /**
     * Queues what comes next once all that was queued is settled; within a write transaction.
     *
     * @param failed - Number of its deliveries that were given up just now.
     */
    advance,
    /** Removes the replays of a webhook; within a write transaction. */
    forget: (webhook: string) => {
      forget.run([webhook]);
      forgetTrimmed.run([webhook]);
    },
    /** Removes replays that ended before an instant; within a write transaction. */
    sweep: (before: number): void => void sweep.run([before]),
  };
}
