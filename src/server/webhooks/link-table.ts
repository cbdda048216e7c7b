import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';

const LINK = columns({
  id: column.text,
  webhook: column.text,
  app: column.text,
  stream: column.word<RuleStream>(),
  /** The parameters of the request that made it. */
  parameters: column.json<Readonly<Record<string, string>>>(),
  /** Name of this service's host in that request, without the port; the whole origin if another machine sent it. */
  host: column.text,
  /** Number of the log after which its deliveries begin. */
  after: column.number,
  /** Epoch ms. */
  createdAt: column.number,
});

/** A webhook that receives the filtered stream of its app. */
export type StreamLink = RowOf<typeof LINK>;

/** Links of webhooks to streams, at most one of a webhook. Changes are durable when a method returns. */
export type LinkTable = ReturnType<typeof linkTable>;

export function linkTable(db: Db) {
  const of = LINK.select(db, 'stream_link WHERE stream = ? ORDER BY created_at, id');
  const find = LINK.select(db, 'stream_link WHERE webhook = ?');
  const insert = LINK.insert(db, 'stream_link', 'ON CONFLICT DO NOTHING');
  const remove = db.prepare('DELETE FROM stream_link WHERE webhook = ?');
  const removeApp = db.prepare('DELETE FROM stream_link WHERE app = ?');
  const rewind = db.prepare('UPDATE stream_link SET after = ? WHERE stream = ? AND after > ?');
  return {
    /** Those to a stream, by age. */
    of: (stream: RuleStream): StreamLink[] => of.all([stream]),
    /** That of a webhook. */
    find: (webhook: string): StreamLink | null => find.get([webhook]) ?? null,
    /** False, without a change, if the webhook has a link. */
    add: (link: StreamLink): boolean => db.write('link', () => insert(link)) === 1,
    /** Removes that of a webhook. */
    remove: (webhook: string): void => void db.write('unlink', () => remove.run([webhook])),
    /** Makes the deliveries of links to a stream begin after a number, if they begin later. */
    rewind: (stream: RuleStream, number: number): void =>
      void db.write('rewind', () => rewind.run([number, stream, number])),
    removeApp: (app: string): void => void db.write('unlink', () => removeApp.run([app])),
  };
}
