import { errorMessage } from '#core/thrown.ts';

/** The reason a cluster does not answer. */
export type ClusterReason =
  /** A node, or a shard behind it, does not answer. */
  | 'down'
  /** It refused the user or the password. */
  | 'refused'
  /** It has no tables of this program, or those of another version. */
  | 'tables'
  /** Another service writes to it. */
  | 'taken'
  /** The store in a cluster does not answer this, where the one in the data folder does. */
  | 'unsupported'
  /** A statement failed. */
  | 'failed';

/** A cluster could not be read or written. The message is for people, and holds no password and no query text. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly reason: ClusterReason;

  constructor(reason: ClusterReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** @param named - The data that a cluster does not store. */
export function unsupportedError(named: string): ClusterError {
  const message = `A ClickHouse cluster stores no ${named}. Use the store in the data folder.`;
  return new ClusterError('unsupported', message);
}

/** Codes of ClickHouse (dbms/src/Common/ErrorCodes.cpp) for a connection that was refused, lost or too slow. */
const DOWN = new Set([3, 32, 159, 198, 209, 210, 212, 279, 519]);
/** Unknown user, wrong password, and the code of newer releases for both; access denied. */
const REFUSED = new Set([192, 193, 194, 195, 497, 516]);
/** Unknown table, and unknown database. */
const MISSING = new Set([60, 81]);

/** The nodes that a message of ClickHouse names, such as `(127.0.0.1:9000)` or `127.0.0.1:9000, `. */
function nodesIn(text: string): string[] {
  const found = text.matchAll(/(?<![\d.:])((?:[\w-]+\.)*[\w-]+:\d{2,5})(?![\d:])/g);
  return [...new Set([...found].map(([, node = '']) => node))].filter(
    (node) => !/^Code:/i.test(node),
  );
}

/**
 * The meaning of an error of a node.
 *
 * @param node - The node that was asked, as `host:port`.
 */
export function clusterError(error: unknown, node: string): ClusterError {
  if (error instanceof ClusterError) return error;
  const text = errorMessage(error);
  const given = (error as { code?: unknown } | null)?.code;
  const code = Number(/^\d+$/.test(String(given)) ? given : /Code: (\d+)/.exec(text)?.[1]);
  const options = { cause: error };
  if (Number.isNaN(code)) {
    return new ClusterError('down', `The ClickHouse node ${node} does not answer.`, options);
  }
  const behind = nodesIn(text).filter((each) => each !== node);
  if (REFUSED.has(code)) {
    const [shard] = behind;
    const message =
      shard === undefined
        ? `The ClickHouse node ${node} refuses the user or the password.`
        : `The ClickHouse shard ${shard} refuses the user or the password that remote_servers of ${node} has for it.`;
    return new ClusterError('refused', message, options);
  }
  if (DOWN.has(code)) {
    const named = behind.length === 0 ? `behind ${node}` : behind.join(', ');
    return new ClusterError('down', `The ClickHouse shard ${named} does not answer.`, options);
  }
  if (MISSING.has(code)) {
    const where = behind[0] ?? node;
    const message = `The ClickHouse node ${where} lacks tables of Groundswell; name every node in GROUNDSWELL_CLICKHOUSE_URL.`;
    return new ClusterError('tables', message, options);
  }
  return new ClusterError(
    'failed',
    `The ClickHouse node ${node} failed with code ${code}.`,
    options,
  );
}

/** The refusal of requests that a cluster cannot answer. */
export const NOT_IN_CLUSTERS =
  'Your posts are in a ClickHouse cluster, which does not answer this yet: it counts, searches, imports, creates, edits, deletes and looks up Posts.';

/** Refuses what only the store in the data folder answers, instead of answering it from there without a Post. */
export function notInClusters(): never {
  throw new ClusterError('unsupported', NOT_IN_CLUSTERS);
}
