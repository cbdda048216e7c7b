import { errorMessage } from '#core/thrown.ts';
import { derivedSecrets } from '#server/auth/secrets.ts';
import type { Service } from '#server/auth/store.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { Deliverer, type DelivererDeps, type Receiver } from '#server/streams/deliverer.ts';
import { openDeliveryQueue, type NewDelivery } from '#server/streams/delivery-queue.ts';
import { isOpenNow, type DeliverySubject } from '#server/streams/delivery-subject.ts';
import type { LogPlace } from '#server/streams/log-cursors.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import { checkReceiver } from './crc.ts';
import { WebhookChecks } from './checks.ts';
import { isLinked } from './link-lane.ts';
import { startReading, type LogReader, type ReadLog } from './log-reader.ts';

export interface WebhooksDeps extends Omit<
  DelivererDeps,
  'queue' | 'receiver' | 'isWanted' | 'isOpen' | 'send'
> {
  readonly service: Service;
  readonly fetcher: Fetcher;
  /** The Posts and accounts of a source as everybody may see them; null if the source is not open. */
  readonly finder: (stream: RuleStream) => PostFinder | null;
  /** File of the deliveries. */
  readonly file: string;
}

/** The webhooks of a service: who receives what, and whether it arrives. */
export type Webhooks = ReturnType<typeof openWebhooks>;

/** The time between two removals of deliveries too old to be replayed: some at a time, so that nothing waits for it. */
const SWEEP_MS = 5000;
/** Least time between two lines about deliveries that were given up for lack of room. */
const LOGGED_MS = 60_000;

/**
 * Opens the webhooks of a service.
 *
 * @throws {@link StoreError} if the file of deliveries cannot be used.
 */
export function openWebhooks({ service, fetcher, finder, file, ...deps }: WebhooksDeps) {
  const { now, random, timer, log } = deps;
  const table = service.webhooks;
  const secrets = derivedSecrets(service.secret('apps'));
  const send: Fetcher['send'] = (request) => fetcher.send(request);
  const secretOf = (id: string): string | null => {
    const app = service.apps.byId(id);
    return app ? secrets.apiKeySecret(app) : null;
  };
  const receiver = (id: string): Receiver | null => {
    const webhook = table.find(id);
    const secret = webhook ? secretOf(webhook.app) : null;
    return webhook && secret !== null ? { url: webhook.url, secret, valid: webhook.valid } : null;
  };
  const isWanted = (webhook: string, subscription: string): boolean =>
    /^\d+$/.test(subscription)
      ? service.subscriptions.has(subscription)
      : isLinked(service.links, webhook, subscription);
  const isOpen = (subject: DeliverySubject): boolean => {
    const found = finder(subject.stream);
    return found !== null && isOpenNow(subject, found);
  };
  const queue = openDeliveryQueue(file, { isWanted });
  const deliverer = new Deliverer({ ...deps, queue, receiver, isWanted, isOpen, send });
  const checks = new WebhookChecks({
    table,
    now,
    timer,
    log,
    check: async ({ app, url }, signal) => {
      const secret = secretOf(app);
      if (secret === null) return { fault: 'response', message: 'The app was removed.' };
      return await checkReceiver({ send, random }, { url, secret }, signal);
    },
    onChange: ({ id, url, valid, fault }) => {
      if (!valid) log(`The webhook ${id} (${url}) is no longer valid: ${String(fault)}`);
      deliverer.wake([id]);
    },
  });
  let cancel = (): void => {};
  let started = false;
  let loggedAt = -Infinity;
  const logs: ReadLog[] = [];
  const readers: LogReader[] = [];
  const enqueue = (from: LogPlace, deliveries: readonly NewDelivery[]): void => {
    const givenUp = queue.enqueue(from, deliveries, now());
    if (givenUp > 0 && Math.abs(now() - loggedAt) >= LOGGED_MS) {
      loggedAt = now();
      log(
        'Deliveries to webhooks were given up, because too many wait: see the page /developers#streams of the dashboard.',
      );
    }
    deliverer.wake(new Set(deliveries.map(({ webhook }) => webhook)));
  };
  const read = (readLog: ReadLog): void =>
    void readers.push(startReading(readLog, { queue, enqueue, log, timer }));
  const sweep = (): void => {
    try {
      queue.sweep(now());
    } catch (error) {
      log(errorMessage(error));
    }
    cancel = timer(SWEEP_MS, sweep);
  };
  return {
    table,
    queue,
    checks,
    deliverer,
    fetcher,
    /**
     * Adds deliveries and moves the cursor of the log that they come from, in one transaction, and begins to send them.
     *
     * @throws as {@link DeliveryQueue.enqueue}.
     */
    enqueue,
    /** Queues what a log has for webhooks, from `start` on and until all of this is closed. */
    follow: (readLog: ReadLog): void => {
      if (started) read(readLog);
      else logs.push(readLog);
    },
    /** Resolves when nothing of the logs is being queued. */
    rest: async (): Promise<void> =>
      void (await Promise.all(readers.map((reader) => reader.rest()))),
    /** Begins to read logs, deliver, check and tidy up. */
    start: (): void => {
      started = true;
      logs.forEach(read);
      deliverer.start();
      checks.start();
      sweep();
    },
    /** Ends all of that, and closes the file. The fetcher stays open. */
    close: async (): Promise<void> => {
      cancel();
      await Promise.all(readers.map((reader) => reader.close()));
      await Promise.all([deliverer.close(), checks.close()]);
      queue.close();
    },
  };
}
