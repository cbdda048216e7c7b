import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkClock } from '#core/import/id.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { Service } from '#server/auth/store.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import type { RequestReport } from '#server/http/watch.ts';
import type { Machine } from '#server/machine.ts';
import { healthOf, type ServiceParts } from './health.ts';
import { openMetrics, type Amounts } from './metrics.ts';
import type { Connection } from '#server/platform/connection.ts';
import type { CountSource } from '#server/posts/index/source.ts';
import type { Webhooks } from '#server/webhooks/webhooks.ts';
import type { DataFolder } from '#server/data-folder.ts';

/** The parts of a running service. */
export interface Monitored extends Pick<Machine, 'random' | 'now'> {
  readonly folder: DataFolder;
  readonly version: string;
  readonly source: (id: SourceId) => CountSource | null;
  readonly service: Service;
  readonly ads: AdsStore;
  readonly catalogs: Catalogs;
  readonly webhooks: Webhooks;
  readonly connection: Connection;
  /** True if the service answers all requests already. */
  readonly isReady: () => boolean;
  /** Called after each request, with a random id. */
  readonly log: ((report: RequestReport) => void) | null;
}

/** Reports the state of a running service. */
export type Monitor = ReturnType<typeof openMonitor>;

const SOURCES = ['posts', 'sample'] as const;
/** Months whose spending is reported. */
const MONTHS = 12;

/** Bytes of a store and its log; 0 if it does not exist. */
function sizeOf(file: string): number {
  const bytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return bytes(file) + bytes(`${file}-wal`);
}

/** Bytes that a full disk has no more space for: the least that SQLite adds to a log. */
const WRITTEN = new Uint8Array(8192);

/** The time for which the outcome of a try is kept, so that many probes together write once. */
const KNOWN_MS = 3000;

/**
 * Tries to write a file.
 *
 * @param now - Epoch ms.
 * @returns A function that throws as the last try did, and tries again once that is old.
 */
function writingTry(file: string, now: () => number): () => void {
  let triedAt = -Infinity;
  let fault: { readonly error: unknown } | null = null;
  return () => {
    const age = now() - triedAt;
    // The clock may have been set back.
    if (!(age >= 0 && age < KNOWN_MS)) {
      triedAt = now();
      fault = null;
      try {
        writeFileSync(file, WRITTEN, { mode: 0o600 });
      } catch (error) {
        fault = { error };
      } finally {
        rmSync(file, { force: true });
      }
    }
    if (fault) throw fault.error;
  };
}

/**
 * A small read of each store, which also must still have its file; and what every write needs: room in the folder, and a
 * clock whose time ids can contain.
 */
function partsOf(of: Monitored, tryWriting: () => void): ServiceParts {
  const { folder } = of;
  const stored = (file: string, read: () => unknown) => (): void => {
    statSync(file);
    read();
  };
  return {
    folder: tryWriting,
    clock: () => checkClock(of.now()),
    ...Object.fromEntries(
      SOURCES.map((id) => [id, stored(folder[id], () => of.source(id)?.posts.rows([0n]))]),
    ),
    service: stored(folder.service, () => of.service.accountOf('0')),
    ads: stored(folder.ads, () => of.ads.find('CAMPAIGN', '0')),
    catalog: stored(folder.catalog, () => of.catalogs.store.downloads.catalogs()),
    deliveries: stored(folder.deliveries, () => of.webhooks.queue.cursor('health')),
    ...(of.connection.relay && {
      platform: stored(folder.platform, () => of.connection.relay?.settings()),
    }),
  };
}

function amountsOf({ folder, source, webhooks, connection }: Monitored): Amounts {
  const files = {
    posts: folder.posts,
    sample: folder.sample,
    service: folder.service,
    ads: folder.ads,
    catalog: folder.catalog,
    deliveries: folder.deliveries,
    platform: folder.platform,
  };
  const indexes = SOURCES.flatMap((id) => {
    const found = source(id);
    found?.refresh();
    return found ? [[id, found.index] as const] : [];
  });
  const { queue } = webhooks;
  return {
    posts: new Map(indexes.map(([id, { posts }]) => [id, posts])),
    chunks: new Map(indexes.map(([id, { chunks }]) => [id, chunks])),
    bytes: new Map(Object.entries(files).map(([name, file]) => [name, sizeOf(file)])),
    spent: connection
      .months()
      .slice(0, MONTHS)
      .map(({ month, requests, money }) => ({ month, requests, dollars: money })),
    purchases: connection.purchases,
    deliveries: queue.webhooks().reduce((sum, webhook) => sum + queue.backlog(webhook).pending, 0),
  };
}

export function openMonitor(of: Monitored) {
  const { log, random, version } = of;
  const tryWriting = writingTry(join(of.folder.path, 'health.tmp'), of.now);
  const metrics = openMetrics({ version, amounts: () => amountsOf(of) });
  return {
    /** Makes ids of requests; null if they get none. */
    requestId: log && (() => Buffer.from(random(8)).toString('hex')),
    onRequest: (report: RequestReport): void => {
      metrics.onRequest(report);
      log?.(report);
    },
    health: () => healthOf(version, of.isReady(), partsOf(of, tryWriting)),
    metrics,
    /** Measures the imports of a service. */
    watchImports:
      (run: Jobs['import']): Jobs['import'] =>
      async (order, emit, signal) => {
        const report = metrics.import();
        try {
          await run(
            order,
            (event) => {
              if (event.type === 'reading') report({ rows: event.rows });
              else if (event.type === 'imported') report(event.summary);
              else if (event.type === 'fault' && event.summary) report(event.summary);
              emit(event);
            },
            signal,
          );
        } finally {
          report(null);
        }
      },
    close: () => metrics.close(),
  };
}
