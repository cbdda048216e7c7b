import { call } from '#app/api/endpoint-call.ts';
import { Changes, Loaded, type Changing, type Following } from '#app/settings/loaded.svelte.ts';
import { Fault } from '#contract/fault.ts';
import {
  STREAMS,
  type ConnectionInfo,
  type RulesAnswer,
  type RuleStreamName,
  type StreamSource,
  type SubscriptionInfo,
} from '#contract/streams/streams.ts';
import { DELIVERIES } from '#contract/streams/deliveries.ts';
import { PagedList } from '#app/developers/lists/paged-list.svelte.ts';
import { SubscriptionList } from './subscription-list.svelte.ts';

/** The interval at which what is visible is loaded again. */
const REFRESH_MS = 5000;

/** Whose rules or subscriptions: an app's, for the Posts of a source. */
export interface ListOf {
  /** Id. */
  readonly app: string;
  readonly source: StreamSource;
}

/** The kind of list that an app has for a source: rules of a stream, or subscriptions. */
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
  readonly #deps: Changing & Following;
  readonly all = new Loaded(
    async () => {
      const { client } = this.#deps;
      const [overview, deliveries] = await Promise.all([
        call(client, STREAMS.overview),
        call(client, DELIVERIES),
      ]);
      return { overview, deliveries };
    },
    () => Promise.all([this.#refresh(this.#rules), this.#refresh(this.#subscriptions)]),
  );
  /** Of connections and subscriptions. */
  readonly changes: Changes;
  #rules = $state.raw<Lists<PagedList<Rule>>>(new Map());
  #subscriptions = $state.raw<Lists<SubscriptionList>>(new Map());

  constructor(deps: Changing & Following) {
    this.#deps = deps;
    this.changes = new Changes((text) => deps.say(text));
  }

  /** Loads now and every few seconds while the page is visible. @returns Ends that. */
  follow(): () => void {
    return this.all.follow(REFRESH_MS, this.#deps);
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
    const load = async (after: string | undefined) => {
      const query = { ...of, stream, after };
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
        const query = { ...of, type: type ?? undefined, after };
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
  async unsubscribe(of: ListOf, subscription: SubscriptionInfo, what: string): Promise<boolean> {
    const { client, say } = this.#deps;
    const isDeleted = await this.changes.make(subscription.id, async () => {
      await call(client, STREAMS.unsubscribe, { params: { id: subscription.id } });
      this.#changed(of, (list) => list.remove(subscription), -1);
      say(
        `Deleted the subscription to ${what}.`,
        () => void this.#resubscribe(of, subscription, what),
      );
    });
    void this.all.reload();
    return isDeleted;
  }

  async #resubscribe(of: ListOf, subscription: SubscriptionInfo, what: string): Promise<void> {
    const { client, say } = this.#deps;
    const change = async (): Promise<void> => {
      await call(client, STREAMS.resubscribe, { params: { id: subscription.id } });
      this.#changed(of, (list) => list.insert(subscription), 1);
      say(`Restored the subscription to ${what}.`);
    };
    await this.changes.make(subscription.id, change, () => this.all.reload());
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
    const { client, say } = this.#deps;
    const change = async (): Promise<void> => {
      try {
        await call(client, STREAMS.end, { params: { id } });
        say(`Ended the connection of ${app}.`);
      } catch (error) {
        if (!(error instanceof Fault && error.status === 404)) throw error;
        say(`The connection of ${app} had already ended.`);
      }
    };
    await this.changes.make(id, change, () => this.all.reload());
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
    return this.all.value?.overview.apps.most.find(({ id }) => id === app)?.[kind][source] ?? 0;
  }
}
