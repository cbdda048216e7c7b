import type { OwnPostsApi, BoughtPosts } from '#app/api/own-posts-api.ts';
import { OWN_PAGE } from '#contract/counts/own-posts.ts';
import type { PlatformSettings } from '#contract/counts/platform.ts';
import { Fault } from '#contract/fault.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Span } from '#core/time/span.ts';
import type { EventOffer } from './board-events.svelte.ts';
import type { BoardEvent } from './event.ts';
import { LastSearch } from './last-search.ts';
import { ownPostEvent } from './post-event.ts';

/** The accounts and time whose Posts are read of what was bought. */
export interface PlatformPostsWanted {
  /** Usernames, without a leading @; none where the platform is not the source, or Posts are off. */
  readonly accounts: readonly string[];
  readonly window: Span;
  readonly prices: Pick<PlatformSettings['prices'], 'post' | 'user'>;
  /** Writes an amount in USD. */
  readonly money: (usd: number) => string;
  /** Called after a purchase, for the spending that is shown. */
  readonly onbought: () => void;
  /** True if the service is away: what was found stays. */
  readonly offline: boolean;
}

type Account = BoughtPosts['accounts'][number];

/** Names in a sentence: `@a`, `@a and @b`, `@a, @b and @c`. */
function namesText(accounts: readonly Pick<Account, 'username'>[]): string {
  const names = accounts.map(({ username }) => `@${username}`);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/**
 * The Posts of the user's accounts on the platform, as events. Reading what was bought costs nothing; the rest is
 * offered with its price, and bought once the user has agreed to it: a page of each account, its newest Posts first.
 */
export class PlatformPosts {
  readonly #api: OwnPostsApi;
  readonly #others: () => readonly BoardEvent[];
  #found = $state.raw<BoughtPosts | null>(null);
  #wanted = $state.raw<PlatformPostsWanted | null>(null);
  #buying = $state(false);
  /** The reason some are missing; empty if none are. */
  lack = $state('');
  readonly #last = new LastSearch();

  /**
   * @param others - Events found elsewhere: the same Posts are left out.
   */
  constructor(api: OwnPostsApi, others: () => readonly BoardEvent[]) {
    this.#api = api;
    this.#others = others;
  }

  // No deriveds: the finders of events outlive the component that makes them.
  get events(): readonly BoardEvent[] {
    const known = new Set(this.#others().map(({ id }) => id));
    return (this.#found?.posts ?? []).filter(({ id }) => !known.has(id)).map(ownPostEvent);
  }

  /** The accounts with Posts to buy. */
  get #lacking(): readonly Account[] {
    return (this.#found?.accounts ?? []).filter(({ missing }) => missing.length > 0);
  }

  /** The most that the next purchase may cost, USD. */
  #price({ prices }: PlatformPostsWanted): number {
    const lacking = this.#lacking;
    const users = lacking.filter(({ id }) => id === null).length + (this.#found?.known ? 0 : 1);
    return lacking.reduce((sum, { price }) => sum + OWN_PAGE * price, users * prices.user);
  }

  get offer(): EventOffer | null {
    const [wanted, lacking] = [this.#wanted, this.#lacking];
    if (!wanted || wanted.offline || lacking.length === 0) return null;
    const names = namesText(lacking);
    if (this.#buying) return { text: `Reading Posts of ${names}…`, action: null };
    const price = wanted.money(this.#price(wanted));
    return {
      text: `Posts of ${names} have not been read for all of this time.`,
      action: {
        words: `Read up to ${OWN_PAGE * lacking.length} Posts · up to ${price}`,
        act: () => void this.#buy(),
      },
    };
  }

  /** Reads what was bought, unless the same was read last. Buys nothing. */
  async load(wanted: PlatformPostsWanted): Promise<void> {
    const { accounts, window, offline } = wanted;
    this.#wanted = wanted;
    const signal = this.#last.begin([accounts, window], offline);
    if (signal) await this.#read(signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { accounts, window } = this.#wanted ?? { accounts: [], window: null };
    if (accounts.length === 0 || !window) {
      [this.#found, this.lack] = [null, ''];
      return;
    }
    try {
      const found = await this.#api.bought(accounts, window, signal);
      if (signal.aborted) return;
      this.#found = found;
      const unknown = found.accounts.filter((account) => !account.found);
      this.lack = unknown.length > 0 ? `The platform knows no account ${namesText(unknown)}.` : '';
    } catch (error) {
      if (signal.aborted) return;
      [this.#found, this.lack] = [null, `Your Posts could not be read: ${errorMessage(error)}`];
    }
  }

  /** Buys what is offered. A purchase that began is finished, whatever is in view meanwhile. */
  async #buy(): Promise<void> {
    const { signal } = new AbortController();
    const names = new Set(this.#lacking.map(({ username }) => username));
    const wanted = this.#wanted;
    if (this.#buying || !wanted) return;
    const { accounts, window } = wanted;
    this.#buying = true;
    let failure = '';
    try {
      if (!this.#found?.known) await this.#api.buyOwner(signal);
      const lacking = async (): Promise<readonly Account[]> =>
        (await this.#api.bought(accounts, window, signal)).accounts.filter(
          ({ username, missing }) => names.has(username) && missing.length > 0,
        );
      for (const { username, id } of await lacking()) {
        if (id !== null) continue;
        try {
          await this.#api.buyAccount(username, signal);
        } catch (error) {
          // A name that the platform refuses does not keep the others from being read.
          if (!(error instanceof Fault && error.status === 400)) throw error;
          failure = `The platform refuses the name @${username}.`;
        }
      }
      for (const { id, missing } of await lacking()) {
        const [newest] = missing;
        if (id !== null && newest) await this.#api.buyPosts(id, newest, signal);
      }
    } catch (error) {
      failure = `Posts could not be bought: ${errorMessage(error)}`;
    }
    wanted.onbought();
    await this.#read(this.#last.repeat());
    this.#buying = false;
    if (failure !== '') this.lack = failure;
  }
}
