import { call, type Caller } from '#app/api/endpoint-call.ts';
import { faultText } from '#app/format/fault-text.ts';
import { refusalText } from '#app/settings/refusal-text.ts';
import { Fault } from '#contract/fault.ts';
import {
  STREAMS,
  type ConnectionInfo,
  type RulesAnswer,
  type RuleStreamName,
  type StreamsAnswer,
  type StreamSource,
  type SubscriptionInfo,
} from '#contract/streams/streams.ts';
import { DELIVERIES, type DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import { PagedList } from './paged-list.svelte.ts';
import { SubscriptionList } from './subscription-list.svelte.ts';

/** How often what is visible is loaded again. */
const REFRESH_MS = 5000;

/** Whose rules or subscriptions: an app's, for the Posts of a source. */
export interface ListOf {
  /** Id. */
  readonly app: string;
  readonly source: StreamSource;
}

/** What an app has for a source: rules of a stream, or subscriptions. */
export type ListKind = RuleStreamName | 'subscriptions';

type Rule = RulesAnswer['rules'][number];

/** A visible list, and how many entries the overview had for it when it was loaded. */
interface Shown<L> {
  readonly kind: ListKind;
  readonly of: ListOf;
  readonly list: L;
  count: number;
}
type Restartable = Pick<PagedList<Rule>, 'restart'>;
type Lists<L> = ReadonlyMap<string, Shown<L>>;

export interface StreamSettingsDeps {
  readonly client: Caller;
  /** Whether nobody sees the page. */
  readonly isHidden: () => boolean;
  /** Calls `run` every `ms`, until the function that it returns is called. */
  readonly every: (ms: number, run: () => void) => () => void;
  /** Confirms what was done. */
  say(text: string, undo?: () => void): void;
}

const keyOf = (kind: ListKind, { app, source }: ListOf): string => `${kind} ${source} ${app}`;

/** Hides the list of an app, or creates and loads it. */
function toggled<L extends Restartable>(
  lists: Lists<L>,
  kind: ListKind,
  of: ListOf,
  count: number,
  create: () => L,
): Lists<L> {
  const key = keyOf(kind, of);
  if (lists.has(key)) return new Map([...lists].filter(([other]) => other !== key));
  const list = create();
  void list.restart();
  return new Map([...lists, [key, { kind, of, list, count }]]);
}

/** The rules, subscriptions, connections and webhooks of the service, loaded again while they are visible. */
export class StreamSettings {
  readonly #deps: StreamSettingsDeps;
  /** Null until loaded. */
  overview = $state.raw<StreamsAnswer | null>(null);
  deliveries = $state.raw<DeliveriesAnswer | null>(null);
  /** Why the last load failed; empty if it did not. What was loaded before stays visible. */
  fault = $state('');
  /** Ids of connections that are being ended. */
  ending = $state.raw<ReadonlySet<string>>(new Set());
  /** Ids of subscriptions that are being deleted. */
  deleting = $state.raw<ReadonlySet<string>>(new Set());
  #rules = $state.raw<Lists<PagedList<Rule>>>(new Map());
  #subscriptions = $state.raw<Lists<SubscriptionList>>(new Map());
  #loading: Promise<void> | null = null;

  constructor(deps: StreamSettingsDeps) {
    this.#deps = deps;
  }

  /** Loads now and every few seconds while the page is visible. @returns Ends that. */
  follow(): () => void {
    void this.load();
    return this.#deps.every(REFRESH_MS, () => {
      if (!this.#deps.isHidden()) void this.load();
    });
  }

  /** Loads everything that is visible. Calls at the same time share one load. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** The rules that are visible; null if they are not. */
  rulesOf(of: ListOf, stream: RuleStreamName): PagedList<Rule> | null {
    return this.#rules.get(keyOf(stream, of))?.list ?? null;
  }

  /** The subscriptions that are visible; null if they are not. */
  subscriptionsOf(of: ListOf): SubscriptionList | null {
    return this.#subscriptions.get(keyOf('subscriptions', of))?.list ?? null;
  }

  /** Shows the rules of an app for a stream, or hides them. */
  toggleRules(of: ListOf, stream: RuleStreamName): void {
    const { client } = this.#deps;
    const load = async (after: string | null) => {
      const query = { ...of, stream, after: after ?? undefined };
      const { rules, next } = await call(client, STREAMS.rules, { query });
      return { entries: rules, next };
    };
    const count = this.#countOf(stream, of);
    this.#rules = toggled(this.#rules, stream, of, count, () => new PagedList(load));
  }

  /** Shows the subscriptions of an app, or hides them. */
  toggleSubscriptions(of: ListOf): void {
    const { client } = this.#deps;
    const create = () =>
      new SubscriptionList((type, after) => {
        const query = { ...of, type: type ?? undefined, after: after ?? undefined };
        return call(client, STREAMS.subscriptions, { query });
      });
    const count = this.#countOf('subscriptions', of);
    this.#subscriptions = toggled(this.#subscriptions, 'subscriptions', of, count, create);
  }

  /**
   * Deletes a visible subscription, and offers to undo that.
   *
   * @param what - The subscription in words.
   * @returns Whether it was deleted.
   */
  async unsubscribe(of: ListOf, one: SubscriptionInfo, what: string): Promise<boolean> {
    if (this.deleting.has(one.id)) return false;
    this.deleting = new Set([...this.deleting, one.id]);
    const { client, say } = this.#deps;
    try {
      await call(client, STREAMS.unsubscribe, { params: { id: one.id } });
      this.#changed(of, (list) => list.remove(one), -1);
      say(`Deleted the subscription to ${what}.`, () => void this.#resubscribe(of, one, what));
      return true;
    } catch (error) {
      say(refusalText(error));
      return false;
    } finally {
      this.deleting = new Set([...this.deleting].filter((id) => id !== one.id));
      void this.#reload();
    }
  }

  async #resubscribe(of: ListOf, one: SubscriptionInfo, what: string): Promise<void> {
    const { client, say } = this.#deps;
    try {
      await call(client, STREAMS.resubscribe, { params: { id: one.id } });
      this.#changed(of, (list) => list.insert(one), 1);
      say(`Restored the subscription to ${what}.`);
    } catch (error) {
      say(refusalText(error));
    }
    await this.#reload();
  }

  /** Changes a list as the service changed it, so that it need not be loaded again. */
  #changed(of: ListOf, change: (list: SubscriptionList) => void, by: number): void {
    const shown = this.#subscriptions.get(keyOf('subscriptions', of));
    if (!shown) return;
    change(shown.list);
    shown.count += by;
  }

  /** Ends a connection and reports what happened. */
  async end({ id, app }: ConnectionInfo): Promise<void> {
    if (this.ending.has(id)) return;
    this.ending = new Set([...this.ending, id]);
    const { client, say } = this.#deps;
    try {
      await call(client, STREAMS.end, { params: { id } });
      say(`Ended the connection of ${app}.`);
    } catch (error) {
      const hadEnded = error instanceof Fault && error.status === 404;
      say(hadEnded ? `The connection of ${app} had already ended.` : faultText(error));
    }
    await this.#reload();
    this.ending = new Set([...this.ending].filter((other) => other !== id));
  }

  async #load(): Promise<void> {
    const { client } = this.#deps;
    try {
      [this.overview, this.deliveries] = await Promise.all([
        call(client, STREAMS.overview),
        call(client, DELIVERIES),
      ]);
      this.fault = '';
    } catch (error) {
      this.fault = faultText(error);
      return;
    }
    await Promise.all([this.#refresh(this.#rules), this.#refresh(this.#subscriptions)]);
  }

  /** Loads lists again whose number of entries has changed. */
  async #refresh(lists: Lists<Restartable>): Promise<void> {
    const changed = [...lists.values()].filter(
      ({ kind, of, count }) => count !== this.#countOf(kind, of),
    );
    await Promise.all(
      changed.map(async (shown) => {
        shown.count = this.#countOf(shown.kind, shown.of);
        await shown.list.restart();
      }),
    );
  }

  #countOf(kind: ListKind, { app, source }: ListOf): number {
    return this.overview?.apps.most.find(({ id }) => id === app)?.[kind][source] ?? 0;
  }

  /** Loads what is visible after a change. A load that began before may not show it. */
  async #reload(): Promise<void> {
    await this.#loading;
    await this.load();
  }
}
