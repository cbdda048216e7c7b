import type { Cell, Db } from '#server/db/driver.ts';
import type { RuleOwner, RuleStream } from '#server/streams/rules/rule-table.ts';

/** A webhook that receives the filtered stream of its app. */
export interface StreamLink extends RuleOwner {
  readonly id: string;
  readonly webhook: string;
  /** The parameters of the request that made it. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Name of this service's host in that request, without the port; the whole origin if another machine sent it. */
  readonly host: string;
  /** Number of the log after which its deliveries begin. */
  readonly after: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Links of webhooks to streams, at most one of a webhook. Changes are durable when a method returns. */
export type LinkTable = ReturnType<typeof linkTable>;

const COLUMNS = 'id, webhook, app, stream, parameters, host, after, created_at';

function linkOf(row: readonly Cell[]): StreamLink {
  const [id, webhook, app, stream, parameters, host, after, createdAt] = row;
  return {
    id: String(id),
    webhook: String(webhook),
    app: String(app),
    stream: String(stream) as RuleStream,
    parameters: JSON.parse(String(parameters)) as Record<string, string>,
    host: String(host),
    after: Number(after),
    createdAt: Number(createdAt),
  };
}

export function linkTable(db: Db) {
  const of = db.prepare(
    `SELECT ${COLUMNS} FROM stream_link WHERE stream = ? ORDER BY created_at, id`,
  );
  const find = db.prepare(`SELECT ${COLUMNS} FROM stream_link WHERE webhook = ?`);
  const insert = db.prepare(
    `INSERT INTO stream_link (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const remove = db.prepare('DELETE FROM stream_link WHERE webhook = ?');
  const removeApp = db.prepare('DELETE FROM stream_link WHERE app = ?');
  const rewind = db.prepare('UPDATE stream_link SET after = ? WHERE stream = ? AND after > ?');
  return {
    /** Those to a stream, by age. */
    of: (stream: RuleStream): StreamLink[] => of.all([stream]).map(linkOf),
    /** That of a webhook. */
    find: (webhook: string): StreamLink | null => {
      const row = find.get([webhook]);
      return row ? linkOf(row) : null;
    },
    /** False, without a change, if the webhook has a link. */
    add: ({
      id,
      webhook,
      app,
      stream,
      parameters,
      host,
      after,
      createdAt,
    }: StreamLink): boolean => {
      const values = [id, webhook, app, stream, JSON.stringify(parameters), host, after, createdAt];
      return db.write('link', () => insert.run(values)) === 1;
    },
    /** Removes that of a webhook. */
    remove: (webhook: string): void => void db.write('unlink', () => remove.run([webhook])),
    /** Makes the deliveries of links to a stream begin after a number, if they begin later. */
    rewind: (stream: RuleStream, number: number): void =>
      void db.write('rewind', () => rewind.run([number, stream, number])),
    removeApp: (app: string): void => void db.write('unlink', () => removeApp.run([app])),
  };
}
