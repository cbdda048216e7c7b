import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node } from '#server/cluster/connection.ts';
import { INCOMING, LOG_COLUMNS, OBJECT_COLUMNS } from '#server/cluster/schema.ts';

/** The part that tests use of the package chdb, a current ClickHouse inside a process. */
interface Engine {
  readonly Session: new (folder: string) => {
    queryAsync(query: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
    cleanup(): void;
  };
}

/**
 * The package chdb, from `node_modules` or the folder that `GROUNDSWELL_TEST_CHDB` names. It takes half a gigabyte, so it is
 * no dependency. Where it is absent, one line says so.
 */
export function currentEngine(): Engine | null {
  const folder = process.env['GROUNDSWELL_TEST_CHDB'];
  const load = createRequire(folder ? join(folder, 'index.js') : import.meta.url);
  try {
    return load('chdb') as Engine;
  } catch {
    process.stderr.write(
      'chdb is not installed: the statements are not run on a current ClickHouse.\n',
    );
    return null;
  }
}

const TYPES = new Map<string, string>(
  [...INCOMING, ...OBJECT_COLUMNS, ...LOG_COLUMNS].map(([name, type]) => [name, type]),
);

/** A node inside this process, with its data in a temporary folder until it is closed. */
export function currentNode({ Session }: Engine): Node {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-chdb-'));
  const session = new Session(folder);
  let inserts = 0;
  const read = async (query: string): Promise<Buffer> => {
    const result = await session.queryAsync(query, { format: 'RowBinary' });
    return Buffer.from(result.bytes());
  };
  return {
    name: 'chdb',
    run: async (statement) => void (await read(statement)),
    read,
    insert: async (table, columns, rows) => {
      const file = join(folder, `insert-${++inserts}.bin`);
      writeFileSync(file, Buffer.concat(rows));
      const list = columns.join(', ');
      const structure = columns.map((name) => `${name} ${TYPES.get(name)}`).join(', ');
      await read(
        `INSERT INTO ${table} (${list}) SELECT ${list} FROM file('${file}', 'RowBinary', '${structure}')`,
      );
      rmSync(file);
    },
    close: async () => {
      session.cleanup();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
