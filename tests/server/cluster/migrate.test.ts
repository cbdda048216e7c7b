import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCluster } from '#server/cluster/store.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';
import { command } from '#tests/support/service/command.ts';
import { temporaryFolder } from '#tests/support/service/process.ts';
import { changedPosts } from '#tests/support/service/changed-posts.ts';
import { countingBytes } from '#tests/server/db/folder.ts';

describe.runIf(hasClickHouse())('groundswell migrate --to clickhouse', () => {
  const data = temporaryFolder();
  let servers: ClickHouse;
  const run = (...args: string[]) =>
    command([...args, '--data', data], {
      environment: { GROUNDSWELL_CLICKHOUSE_URL: `${servers.servers[0]!.url}copy` },
    });
  beforeAll(async () => {
    servers = await startClickHouse();
    await changedPosts(join(data, 'posts.sqlite'));
  });
  afterAll(async () => {
    await servers?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test('copies Posts with their edits and collections, once, and verifies the counts', async () => {
    const first = await run('migrate', '--to', 'clickhouse');
    expect(first.err).toBe('');
    expect(first.out).toBe(
      'copied 401, already there 0\nClickHouse: no differences from the data folder (401 Posts).\n',
    );
    expect(first.code).toBe(0);
    const again = await run('migrate', '--to', 'clickhouse');
    expect(again.out).toContain('copied 0, already there 401\n');
    const check = await run('check');
    expect(check.out).toContain('ClickHouse: no differences from the data folder (401 Posts).');
    expect(check.code).toBe(0);
  });

  test('check finds what differs', async () => {
    const store = await openCluster(servers.address('copy'), countingBytes());
    const writer = await store.writer();
    await writer.write({ removed: await writer.reader().versions([5n]) });
    await store.close();
    const check = await run('check');
    expect(check.code).toBe(1);
    expect(check.out).toMatch(/\d+ differences from the data folder/);
    expect(check.out).toContain('The Post 5 is another one in ClickHouse.');
    expect(check.out).toMatch(/Every Post: \d+ Posts? in the minute from/);
  });

  test('needs a server, and what to copy to', async () => {
    const none = await command(['migrate', '--to', 'clickhouse', '--data', data]);
    expect(none.err).toContain('GROUNDSWELL_CLICKHOUSE_URL');
    expect((await run('migrate')).err).toContain('needs --to clickhouse');
  });
});
