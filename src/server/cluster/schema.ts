import type { ClusterAddress } from './address.ts';

/** Version of the tables and of the terms in them. A cluster with another one is refused. */
export const FORMAT = 1;

/** Names of the tables: those of the node itself, and those that read and write all shards. */
export interface Tables {
  /** One row a posting: a term of a Post. */
  readonly posting: string;
  /** Posts per term, minute and batch. */
  readonly termMinute: string;
  /** One row a version of a Post. */
  readonly post: string;
  /** Posts whose postings do not count any more. */
  readonly dead: string;
  /** Objects that Posts refer to. */
  readonly object: string;
  /** The log of changes, on the first node only. */
  readonly log: string;
  readonly all: {
    readonly posting: string;
    readonly termMinute: string;
    readonly post: string;
    readonly object: string;
    /** Takes Posts, which materialized views put into the other tables. */
    readonly incoming: string;
  };
}

export function tablesOf({ database, cluster }: ClusterAddress): Tables {
  const local = (name: string): string => `${database}.${name}`;
  const shared = (name: string): string => local(cluster === null ? name : all(name));
  return {
    posting: local('posting'),
    termMinute: local('term_minute'),
    post: local('post'),
    dead: local('dead'),
    object: local('object'),
    log: local('log'),
    all: {
      posting: shared('posting'),
      termMinute: shared('term_minute'),
      post: shared('post'),
      object: shared('object'),
      incoming: shared('incoming'),
    },
  };
}

/**
 * The columns of `incoming`. `terms` says what happens to `terms`: 1 adds their postings, -1 ends the Post's postings, of
 * which they are all, 0 only writes a version of the Post.
 */
export const INCOMING = [
  ['id', 'Int64'],
  ['batch', 'UInt32'],
  ['generation', 'UInt16'],
  ['sign', 'Int8'],
  ['at', 'UInt32'],
  ['lang', 'UInt64'],
  ['flags', 'UInt32'],
  ['terms', 'Array(String)'],
  ['places', 'Array(Array(UInt32))'],
  ['state', 'UInt8'],
  ['collections', 'String'],
  ['row', 'String'],
] as const;

export const OBJECT_COLUMNS = [
  ['hash', 'UInt64'],
  ['kind', 'String'],
  ['key', 'String'],
  ['batch', 'UInt32'],
  ['json', 'String'],
] as const;

export const LOG_COLUMNS = [
  ['kind', 'String'],
  ['revision', 'UInt32'],
  ['mark', 'String'],
  ['data', 'String'],
] as const;

function columns(list: readonly (readonly [name: string, type: string])[]): string {
  return list.map(([name, type]) => `${name} ${type}`).join(', ');
}

/** A table of each node: its columns, its engine, and what places a row on a shard; null for one that is not distributed. */
interface Table {
  readonly name: string;
  readonly columns: string;
  readonly engine: string;
  readonly shardBy: string | null;
}

const TABLES: readonly Table[] = [
  {
    name: 'log',
    columns: columns(LOG_COLUMNS),
    engine: 'MergeTree ORDER BY (kind, revision)',
    shardBy: null,
  },
  {
    name: 'posting',
    columns:
      'term String, minute UInt32, id Int64, second UInt8, batch UInt32, generation UInt16, lang UInt64, flags UInt32, positions Array(UInt32)',
    engine: 'MergeTree ORDER BY (term, minute, id)',
    shardBy: 'intHash64(id)',
  },
  {
    name: 'term_minute',
    columns: 'term String, minute UInt32, batch UInt32, n Int64',
    engine: 'SummingMergeTree(n) ORDER BY (term, minute, batch)',
    shardBy: 'rand()',
  },
  {
    name: 'post',
    columns:
      'id Int64, batch UInt32, generation UInt16, state UInt8, collections String, row String',
    engine: 'MergeTree ORDER BY (id, batch)',
    shardBy: 'intHash64(id)',
  },
  {
    name: 'dead',
    columns: 'id Int64, generation UInt16, batch UInt32',
    engine: 'MergeTree ORDER BY (id, generation)',
    shardBy: null,
  },
  {
    name: 'object',
    columns: columns(OBJECT_COLUMNS),
    engine: 'MergeTree ORDER BY (hash, kind, key, batch)',
    shardBy: 'hash',
  },
  { name: 'incoming', columns: columns(INCOMING), engine: 'Null', shardBy: 'intHash64(id)' },
];

const all = (name: string): string => `${name}_all`;

/** The columns that a node lists of the tables: `name type` of each by table, materialized views left out. */
export function columnsIn({ cluster }: ClusterAddress): ReadonlyMap<string, readonly string[]> {
  return new Map(
    TABLES.flatMap(({ name, columns, shardBy }) => {
      const listed = columns.split(', ');
      const own = [name, listed] as const;
      return cluster === null || shardBy === null ? [own] : [own, [all(name), listed] as const];
    }),
  );
}

/** Statements that create what a node lacks. Each may run any number of times. */
export function creation(address: ClusterAddress): string[] {
  const { database, cluster } = address;
  const tables = tablesOf(address);
  const create = (name: string, list: string, engine: string): string =>
    `CREATE TABLE IF NOT EXISTS ${database}.${name} (${list}) ENGINE = ${engine}`;
  const view = (target: string, select: string): string =>
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${target}_view TO ${target} AS ${select}`;
  const distributed =
    cluster === null
      ? []
      : TABLES.flatMap(({ name, columns, shardBy }) =>
          shardBy === null
            ? []
            : create(
                all(name),
                columns,
                `Distributed('${cluster}', '${database}', '${name}', ${shardBy})`,
              ),
        );
  const incoming = `${database}.incoming`;
  return [
    `CREATE DATABASE IF NOT EXISTS ${database}`,
    ...TABLES.map(({ name, columns, engine }) => create(name, columns, engine)),
    view(
      tables.posting,
      `SELECT term, toUInt32(intDiv(at, 60)) AS minute, id, toUInt8(at % 60) AS second,
        batch, generation, lang, flags, place AS positions
       FROM ${incoming} ARRAY JOIN terms AS term, places AS place WHERE sign = 1`,
    ),
    view(
      tables.termMinute,
      `SELECT term, toUInt32(intDiv(at, 60)) AS minute, batch, toInt64(sign) AS n
       FROM ${incoming} ARRAY JOIN terms AS term WHERE sign != 0`,
    ),
    view(tables.post, `SELECT id, batch, generation, state, collections, row FROM ${incoming}`),
    view(tables.dead, `SELECT id, generation, batch FROM ${incoming} WHERE sign = -1`),
    ...distributed,
  ];
}

/** The materialized views among the tables. */
export const VIEWS = ['posting_view', 'term_minute_view', 'post_view', 'dead_view'];
