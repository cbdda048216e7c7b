import { expect, test } from 'vitest';
import { clusterAddress } from '#server/cluster/address.ts';
import { clusterError } from '#server/cluster/error.ts';
import { literal } from '#server/cluster/sql-terms.ts';

const read = (url: string | undefined, cluster: string | null = null, more = {}) =>
  clusterAddress({ GROUNDSWELL_CLICKHOUSE_URL: url, ...more }, cluster);

test.each([undefined, '', ' ,'])('%j names no cluster', (url) => {
  expect(read(url)).toBeNull();
});

test('a URL has user, password and database', () => {
  expect(read('http://ann:p%40ss@10.0.0.1:8123/archive')).toEqual({
    nodes: ['http://10.0.0.1:8123'],
    user: 'ann',
    password: 'p@ss',
    database: 'archive',
    cluster: null,
  });
  const variables = {
    GROUNDSWELL_CLICKHOUSE_USER: 'bob',
    GROUNDSWELL_CLICKHOUSE_PASSWORD: 'word',
  };
  expect(read('https://a:8443,https://b:8443', 'main', variables)).toEqual({
    nodes: ['https://a:8443', 'https://b:8443'],
    user: 'bob',
    password: 'word',
    database: 'groundswell',
    cluster: 'main',
  });
});

test.each([
  [
    'ann:secret@x',
    null,
    'URL 1 of GROUNDSWELL_CLICKHOUSE_URL begins with ann:; expected http: or https:.',
  ],
  ['//secret', null, 'URL 1 of GROUNDSWELL_CLICKHOUSE_URL is not a URL'],
  ['http://a,http://b', null, 'names 2 nodes; --cluster must say'],
  [
    'http://a/drop table',
    null,
    "The name of a database may have letters, digits and underscores; 'drop table'",
  ],
  ['http://a', "x', 'y", 'The name of a cluster may have'],
  [undefined, 'main', '--cluster needs GROUNDSWELL_CLICKHOUSE_URL'],
])('%j with the cluster %j is refused, without a password', (url, cluster, message) => {
  expect(() => read(url, cluster)).toThrow(message);
  expect(() => read(url, cluster)).not.toThrow('secret');
});

test.each([
  [
    'Code: 279, e.displayText() = DB::NetException: All connection tries failed. Log: \n\nCode: 210, Connection refused: (127.0.0.1:19001)',
    'down',
    'The ClickHouse shard 127.0.0.1:19001 does not answer.',
  ],
  ['connect ECONNREFUSED 127.0.0.1:8123', 'down', 'The ClickHouse node db:8123 does not answer.'],
  [
    'Code: 193, e.displayText() = DB::Exception: Wrong password for user ann',
    'refused',
    'The ClickHouse node db:8123 refuses the user or the password.',
  ],
  [
    'Code: 193, e.displayText() = DB::Exception: Received from 10.0.0.2:9000, 10.0.0.2. DB::Exception: Wrong password for user ann.',
    'refused',
    'The ClickHouse shard 10.0.0.2:9000 refuses the user or the password that remote_servers of db:8123 has for it.',
  ],
  [
    "Code: 60, e.displayText() = DB::Exception: Received from 10.0.0.2:9000. DB::Exception: Table groundswell.posting doesn't exist.",
    'tables',
    'The ClickHouse node 10.0.0.2:9000 lacks tables of Groundswell; name every node in GROUNDSWELL_CLICKHOUSE_URL.',
  ],
  [
    "Code: 62, e.displayText() = DB::Exception: Syntax error at 'what a person searched'",
    'failed',
    'The ClickHouse node db:8123 failed with code 62.',
  ],
])('%j is understood', (text, reason, message) => {
  expect(clusterError(new Error(text), 'db:8123')).toMatchObject({ reason, message });
});

test('a literal ends where its text does', () => {
  expect(literal("a'b\\'c\n\0")).toBe("'a\\'b\\\\\\'c\\n\\0'");
});
