import { union, type Span } from '#core/time/span.ts';
import { coverageBefore, FIRST_COLLECTIONS, type Collections } from './collections.ts';
import type { Node } from './connection.ts';
import { ClusterError } from './error.ts';
import { RowReader, RowWriter } from './row-binary.ts';
import { FORMAT, LOG_COLUMNS, type Tables } from './schema.ts';

/** A state of the cluster that never changes: what was committed up to a revision. */
export interface ClusterState extends Collections {
  /** Id of the store. */
  readonly store: string;
  /** The number of the last committed batch: rows of later ones are not read. */
  readonly revision: number;
  /** Random, for this revision. */
  readonly mark: string;
  /** Earlier batches that were not committed: their rows are never read. */
  readonly voids: readonly number[];
  /** Posts that count, and the instants of the first and last, epoch ms; null if there is none. */
  readonly posts: number;
  readonly first: number | null;
  readonly last: number | null;
  /** True if Posts were deleted or replaced, and whether such ids were added again. */
  readonly hasDead: boolean;
  readonly hasRevived: boolean;
  /** As {@link PROTECTED} of a file. */
  readonly protected: number;
  /** Highest id of all Posts that ever were in the store, as text; null if there was none. */
  readonly highest: string | null;
}

/** The state that the newest commit does not state itself. */
export type Committed = Omit<ClusterState, 'revision' | 'mark' | 'store'>;

/** One row of the log. */
interface LogRow {
  readonly kind: 'store' | 'node' | 'writer' | 'begin' | 'commit';
  readonly revision: number;
  readonly mark: string;
  readonly data: string;
}

/** The log of changes, which decides what counts: a batch counts once its commit is there. */
export type ChangeLog = ReturnType<typeof changeLog>;

const NEW: Committed = {
  voids: [],
  posts: 0,
  first: null,
  last: null,
  hasDead: false,
  hasRevived: false,
  protected: 0,
  highest: null,
  ...FIRST_COLLECTIONS,
};

/** @param table - The log, on the node. */
export function changeLog(node: Node, { log: table }: Pick<Tables, 'log'>) {
  const read = async (where: string): Promise<LogRow[]> => {
    const bytes = await node.read(`SELECT kind, revision, mark, data FROM ${table} WHERE ${where}`);
    const reader = new RowReader(bytes);
    const rows: LogRow[] = [];
    while (!reader.done) {
      const kind = reader.text() as LogRow['kind'];
      rows.push({ kind, revision: reader.u32(), mark: reader.text(), data: reader.text() });
    }
    return rows;
  };
  const write = async ({ kind, revision, mark, data }: LogRow): Promise<void> => {
    const row = new RowWriter();
    row.text(kind);
    row.u32(revision);
    row.text(mark);
    row.text(data);
    await node.insert(
      table,
      LOG_COLUMNS.map(([name]) => name),
      row.take(),
    );
  };
  const newest = (kind: LogRow['kind']): string =>
    `kind = '${kind}' AND revision IN (SELECT max(revision) FROM ${table} WHERE kind = '${kind}')`;
  /** Two writers at once may commit the same number: together they have a mark that neither has. */
  const markOf = (rows: readonly LogRow[]): string =>
    rows
      .map(({ mark }) => mark)
      .sort()
      .join('+');

  return {
    /** The current state; null if the store has no id yet. */
    state: async (): Promise<ClusterState | null> => {
      const rows = await read(`(kind = 'store') OR (${newest('commit')})`);
      const named = rows.find(({ kind }) => kind === 'store');
      if (!named) return null;
      if (named.revision !== FORMAT) {
        const message = `The cluster's tables have format ${named.revision}; this program reads format ${FORMAT}.`;
        throw new ClusterError('tables', message);
      }
      const commits = rows.filter(({ kind }) => kind === 'commit');
      const [last] = commits;
      if (!last) return { ...NEW, store: named.mark, revision: 0, mark: named.mark };
      const { state } = JSON.parse(last.data) as { state: Committed & { posted?: boolean } };
      const { posted = false, ...stored } = { ...NEW, ...state };
      const earlier =
        'covered' in state ? {} : coverageBefore(stored.collections, { ...stored, posted });
      const data = { ...stored, ...earlier };
      return { ...data, store: named.mark, revision: last.revision, mark: markOf(commits) };
    },
    /** Gives a new store its id. */
    create: (store: string): Promise<void> =>
      write({ kind: 'store', revision: FORMAT, mark: store, data: '' }),
    /** The role of the node of this log in a store: its shard's number, and the store's id; null if it has none yet. */
    place: async (): Promise<{ readonly shard: number; readonly store: string } | null> => {
      const [row] = await read(`kind = 'node'`);
      return row ? { shard: row.revision, store: row.mark } : null;
    },
    /** Makes the node of this log part of a store. */
    join: (shard: number, store: string): Promise<void> =>
      write({ kind: 'node', revision: shard, mark: store, data: '' }),
    /** Numbers of batches that began and were not committed. */
    open: async (): Promise<number[]> => {
      const committed = `SELECT revision FROM ${table} WHERE kind = 'commit'`;
      const rows = await read(`kind = 'begin' AND revision NOT IN (${committed})`);
      return rows.map(({ revision }) => revision).sort((a, b) => a - b);
    },
    /** Number and mark of the newest writer; null if there was none. */
    writer: async (): Promise<{ readonly number: number; readonly mark: string } | null> => {
      const rows = await read(newest('writer'));
      return rows[0] ? { number: rows[0].revision, mark: markOf(rows) } : null;
    },
    /** Makes a process the writer. */
    take: (number: number, mark: string): Promise<void> =>
      write({ kind: 'writer', revision: number, mark, data: '' }),
    begin: (batch: number): Promise<void> =>
      write({ kind: 'begin', revision: batch, mark: '', data: '' }),
    commit: (
      batch: number,
      mark: string,
      state: Committed,
      spans: readonly Span[],
    ): Promise<void> =>
      write({ kind: 'commit', revision: batch, mark, data: JSON.stringify({ state, spans }) }),
    /** As `changesSince` of a source, up to a state. */
    changes: async (
      since: number,
      given: string | null,
      { store, revision: until, voids }: ClusterState,
    ): Promise<Span[] | null> => {
      if (!Number.isInteger(since) || since < 0 || since > until) return null;
      const rows = await read(`kind = 'commit' AND revision >= ${since} AND revision <= ${until}`);
      const then = since === 0 ? store : markOf(rows.filter(({ revision }) => revision === since));
      if (then === '' || given !== then) return null;
      const spans = rows
        .filter(({ revision }) => revision > since && !voids.includes(revision))
        .flatMap(({ data }) => (JSON.parse(data) as { spans: Span[] }).spans);
      return union(spans);
    },
  };
}
