import type { SubscriptionInfo, SubscriptionsAnswer } from '#contract/streams/streams.ts';
import { PagedList } from '#app/developers/lists/paged-list.svelte.ts';

/** The visible subscriptions of an app for a source: those to one type of event, or all. */
export class SubscriptionList {
  readonly pages: PagedList<SubscriptionInfo>;
  /** Types that the app subscribes to, and how often. */
  types = $state.raw<SubscriptionsAnswer['types']>([]);
  /** Null for all. */
  type = $state<string | null>(null);

  constructor(
    load: (type: string | null, after: string | undefined) => Promise<SubscriptionsAnswer>,
  ) {
    this.pages = new PagedList(async (after) => {
      const { subscriptions, types, next } = await load(this.type, after);
      this.types = types;
      return { entries: subscriptions, next };
    });
  }

  async restart(): Promise<void> {
    await this.pages.restart();
  }

  async choose(type: string | null): Promise<void> {
    this.type = type;
    await this.restart();
  }

  remove({ id, type }: SubscriptionInfo): void {
    this.pages.remove(id);
    this.types = this.types
      .map((each) => (each.type === type ? { type, count: each.count - 1 } : each))
      .filter(({ count }) => count > 0);
  }

  /** Undoes {@link remove}. */
  insert(subscription: SubscriptionInfo): void {
    const { type } = subscription;
    const count = 1 + (this.types.find((each) => each.type === type)?.count ?? 0);
    const others = this.types.filter((each) => each.type !== type);
    this.types = [...others, { type, count }].sort((a, b) => (a.type < b.type ? -1 : 1));
    if (this.type === null || this.type === type) this.pages.insert(subscription);
  }
}
