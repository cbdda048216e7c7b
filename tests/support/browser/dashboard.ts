import { Client } from '#app/api/client.ts';
import { SourceChanges } from '#app/counts/source-changes.ts';
import { CountsStore } from '#app/counts/worker/counts-store.ts';
import type { TabLock } from '#app/counts/fetch/free-fetch.ts';
import { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import type { Need } from '#app/counts/need.ts';
import { loadSources, type Sources } from '#app/counts/sources.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { FaultInjector } from '#tests/support/service/faults.ts';
import { testCache, type TestCache } from '#tests/support/run/test-cache.ts';
import { KillableTab } from './killable-tab.ts';
import type { TabMessage, Tabs } from '#app/counts/tabs.ts';
import type { TestService } from '#tests/support/service/service.ts';

/** Simulates the browser's locks, which all tabs share: each name has one holder at a time. */
export function fakeLocks(): TabLock {
  const last = new Map<string, Promise<void>>();
  return async (name, signal, work, onBusy) => {
    if (last.has(name)) onBusy?.();
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(async () => {
      if (!signal.aborted) await work();
    });
    const over = mine.catch(() => undefined);
    last.set(name, over);
    await mine.finally(() => {
      if (last.get(name) === over) last.delete(name);
    });
  };
}

/** The fetching code of one tab on the real service, with a fault injector in between. */
export interface Dashboard {
  readonly faults: FaultInjector;
  readonly time: FakeTime;
  readonly cache: TestCache;
  readonly store: CountsStore;
  readonly approval: PlanApproval;
  readonly client: Client;
  readonly changes: SourceChanges;
  run(): SeriesRun;
  sources(): Promise<Sources>;
  /** A need for counts, by default by UTC day. */
  need(
    over: Omit<Partial<Need>, 'source' | 'span'> & { source?: SourceId; from: string; to: string },
  ): Promise<Need>;
}

export interface DashboardOptions {
  /** The browser's clock; the service may have another. */
  readonly time: FakeTime;
  readonly cache?: TestCache;
  readonly lock?: TabLock;
  /** Connects the tabs of a browser; by default there is only this one. */
  readonly tabs?: Tabs;
  /** Lets the test close the tab. */
  readonly killable?: KillableTab;
}

/** Simulates the tabs of one browser, which send each other messages. @returns A function that opens a tab. */
export function fakeTabs(): () => Tabs {
  const tabs = new Map<object, Set<(message: TabMessage) => void>>();
  return () => {
    const tab = {};
    const own = new Set<(message: TabMessage) => void>();
    tabs.set(tab, own);
    return {
      send: (message) => {
        for (const [other, listeners] of tabs) {
          if (other !== tab)
            for (const listener of listeners) queueMicrotask(() => listener(message));
        }
      },
      listen: (listener) => {
        own.add(listener);
        return () => own.delete(listener);
      },
    };
  };
}

let opened = 0;

/** Opens a dashboard in a browser that stays signed in however far the test moves the clock. */
export function openDashboard(service: TestService, options: DashboardOptions): Dashboard {
  const { time, cache = testCache(), tabs = fakeTabs()() } = options;
  const { killable = new KillableTab(), lock: locks = fakeLocks() } = options;
  const lock = killable.lock(locks);
  const approval = new PlanApproval();
  const faults = new FaultInjector((path, init) => {
    const headers = new Headers(init.headers);
    headers.set('cookie', service.cookie);
    return killable.call(() => service.request(path, { ...init, headers }));
  });
  const client = new Client({
    ...time.environment(faults.fetch),
    sleep: (ms, signal) => killable.call(() => time.sleep(ms, signal)),
  });
  const store = new CountsStore(killable.over(cache));
  const changes = new SourceChanges(client, store, tabs);
  // A seed per tab, so that no two tabs give requests the same id.
  let seed = (opened += 1) * 7919;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const sources = (): Promise<Sources> => loadSources(client, store, new AbortController().signal);
  return {
    faults,
    time,
    cache,
    store,
    approval,
    client,
    changes,
    run: () => new SeriesRun({ store: store, client, changes, lock, tabs, approval, random }),
    sources,
    need: async ({ source: id = 'posts', from, to, ...rest }) => {
      const source = (await sources()).sources.find((each) => each.id === id);
      if (!source) throw new Error(`expected a source ${id}`);
      return {
        source,
        query: 'storm',
        span: { start: Date.parse(from), end: Date.parse(to) },
        resolution: 'day',
        zone: 'UTC',
        weekStart: 1,
        endpoint: 'all',
        policy: policyOf(id, null),
        minutes: false,
        ...rest,
      };
    },
  };
}
