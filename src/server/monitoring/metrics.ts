import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestReport } from '#server/http/watch.ts';

/** Amounts at a moment, each by the value of its label. */
export interface Amounts {
  /** By source. */
  readonly posts: ReadonlyMap<string, number>;
  readonly chunks: ReadonlyMap<string, number>;
  /** Bytes of files by store, with their logs. */
  readonly bytes: ReadonlyMap<string, number>;
  /** The payments to the platform, by month such as `2026-11`. */
  readonly spent: readonly {
    readonly month: string;
    readonly requests: number;
    readonly dollars: number;
  }[];
  /** Requests to the platform that are running. */
  readonly purchases: number;
  /** Deliveries to webhooks that wait. */
  readonly deliveries: number;
}

/** The report of an import: rows so far, or all of them with what became of each. */
export type ImportReported =
  | { readonly rows: number }
  | {
      readonly read: number;
      readonly added: number;
      readonly already: number;
      readonly refused: number;
    };

/** Upper bounds of request durations, seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Gauges that are read when they are asked for. */
function gaugesOf(registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>) {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge({ name: `groundswell_${name}`, help, labelNames, registers: [registry] });
  const bySource = gauge('posts', 'Posts in the index.', ['source']);
  const chunks = gauge('index_chunks', 'Chunks of the index.', ['source']);
  const bytes = gauge('store_size_bytes', 'Size of a store with its index and log.', ['store']);
  const requests = gauge(
    'platform_month_requests',
    'Requests that the platform billed or may bill.',
    ['month'],
  );
  const dollars = gauge('platform_month_spent_dollars', 'Price of these requests.', ['month']);
  const running = gauge('platform_running_requests', 'Running requests to the platform.', []);
  const deliveries = gauge('deliveries_pending', 'Deliveries to webhooks that wait.', []);
  return (now: Amounts): void => {
    const by: [Gauge, string, ReadonlyMap<string, number>][] = [
      [bySource, 'source', now.posts],
      [chunks, 'source', now.chunks],
      [bytes, 'store', now.bytes],
    ];
    for (const [gauge, label, values] of by) {
      gauge.reset();
      for (const [value, amount] of values) gauge.set({ [label]: value }, amount);
    }
    requests.reset();
    dollars.reset();
    for (const spent of now.spent) {
      requests.set({ month: spent.month }, spent.requests);
      dollars.set({ month: spent.month }, spent.dollars);
    }
    running.set(now.purchases);
    deliveries.set(now.deliveries);
  };
}

/**
 * Measures a service. The number of series is bounded: routes are patterns, and every other label has few values.
 *
 * @param amounts - Called whenever metrics are asked for.
 */
export function openMetrics({
  version,
  amounts,
}: {
  readonly version: string;
  readonly amounts: () => Amounts;
}) {
  const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'groundswell_info',
    help: 'Version of the service.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const requests = new Counter({
    name: 'groundswell_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'groundswell_http_request_duration_seconds',
    help: 'Time to the last byte of an answer.',
    labelNames: ['route', 'method'],
    buckets: DURATIONS,
    registers,
  });
  const read = new Counter({
    name: 'groundswell_import_rows_read_total',
    help: 'Rows of Posts that imports read.',
    registers,
  });
  const ended = new Counter({
    name: 'groundswell_import_rows_total',
    help: 'Rows of imports that ended, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  const importing = new Gauge({
    name: 'groundswell_imports_running',
    help: 'Running imports.',
    registers,
  });
  for (const outcome of ['added', 'already', 'refused']) ended.inc({ outcome }, 0);
  const show = gaugesOf(registry);
  return {
    onRequest: ({ route, method, status, ms }: RequestReport): void => {
      requests.inc({ route, method, status });
      durations.observe({ route, method }, ms / 1000);
    },
    /** Follows an import. @returns Is called with what it reports, and with null when it ended. */
    import: (): ((reported: ImportReported | null) => void) => {
      let rows = 0;
      const readTo = (now: number): void => {
        // A replay reports its rows once more.
        if (now > rows) read.inc(now - rows);
        rows = Math.max(rows, now);
      };
      importing.inc();
      return (reported) => {
        if (reported === null) importing.dec();
        else if ('rows' in reported) readTo(reported.rows);
        else {
          readTo(reported.read);
          for (const outcome of ['added', 'already', 'refused'] as const) {
            ended.inc({ outcome }, reported[outcome]);
          }
        }
      };
    },
    /** The content type of `text`. */
    type: registry.contentType,
    /** All figures in the OpenMetrics text format. */
    text: async (): Promise<string> => {
      show(amounts());
      return await registry.metrics();
    },
    /** Stops measuring. */
    close: (): void => registry.clear(),
  };
}
