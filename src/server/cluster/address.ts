/** The address of a cluster, and the credentials for it. */
export interface ClusterAddress {
  /** One URL a node, without credentials; the first one answers queries and holds the log of changes. */
  readonly nodes: readonly string[];
  readonly user: string;
  /** Never shown, logged or part of a message. */
  readonly password: string;
  readonly database: string;
  /** The name of the cluster in `remote_servers` of the nodes; null for a single node. */
  readonly cluster: string | null;
}

/** The variables that name a cluster. */
const VARIABLES = {
  url: 'GROUNDSWELL_CLICKHOUSE_URL',
  user: 'GROUNDSWELL_CLICKHOUSE_USER',
  password: 'GROUNDSWELL_CLICKHOUSE_PASSWORD',
} as const;

const DEFAULT_DATABASE = 'groundswell';
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** As ClickHouse writes the names of clusters. */
const CLUSTER_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

function named(text: string, pattern: RegExp, what: string): string {
  if (pattern.test(text)) return text;
  throw new RangeError(
    `${what} may have letters, digits and underscores; '${text}' is no such name.`,
  );
}

/** One node's URL. Its text is never part of a message: it may hold a password. */
function nodeUrl(text: string, n: number): URL {
  const ordinal = `URL ${n + 1} of ${VARIABLES.url}`;
  if (!URL.canParse(text)) {
    throw new RangeError(`${ordinal} is not a URL; expected one such as http://127.0.0.1:8123.`);
  }
  const url = new URL(text);
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  throw new RangeError(`${ordinal} begins with ${url.protocol}; expected http: or https:.`);
}

/**
 * Reads where the cluster of Your posts is.
 *
 * @param environment - `GROUNDSWELL_CLICKHOUSE_URL` has one URL, or those of all nodes with commas between them. User and
 *   password are in the first one, or in variables of their own. Its path names the database.
 * @param cluster - The value of `--cluster`.
 * @returns Null if the variable is absent or empty: Your posts are in the data folder.
 * @throws {@link RangeError} for an invalid value, naming its rule and never a password.
 */
export function clusterAddress(
  environment: Readonly<Record<string, string | undefined>>,
  cluster: string | null,
): ClusterAddress | null {
  const texts = (environment[VARIABLES.url] ?? '').split(',').map((text) => text.trim());
  const [first, ...others] = texts.filter((text) => text !== '').map(nodeUrl);
  if (!first) {
    if (cluster === null) return null;
    throw new RangeError(`--cluster needs ${VARIABLES.url}, the URL of a node of the cluster.`);
  }
  const path = decodeURIComponent(first.pathname).replaceAll('/', '');
  if (cluster === null && others.length > 0) {
    throw new RangeError(
      `${VARIABLES.url} names ${others.length + 1} nodes; --cluster must say which cluster they are.`,
    );
  }
  return {
    nodes: [first, ...others].map(({ protocol, host }) => `${protocol}//${host}`),
    user: environment[VARIABLES.user] ?? (decodeURIComponent(first.username) || 'default'),
    password: environment[VARIABLES.password] ?? decodeURIComponent(first.password),
    database: path === '' ? DEFAULT_DATABASE : named(path, NAME, 'The name of a database'),
    cluster: cluster === null ? null : named(cluster, CLUSTER_NAME, 'The name of a cluster'),
  };
}
