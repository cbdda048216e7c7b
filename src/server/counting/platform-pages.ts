import { heldPagesOf, type Buy, type PlatformAnswer } from '#contract/counts/platform.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { HeldPage } from '#core/counts/requests.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Spender } from '#server/platform/budget.ts';
import type { Relay, RelayReply } from '#server/platform/relay.ts';
import { readCall, readSearch } from '#server/platform/request.ts';
import type { RelayCall } from '#server/platform/relay-call.ts';

/** A request to the platform through the relay. */
export interface PlatformRequest {
  readonly product: 'counts' | 'search';
  readonly endpoint: CountsEndpoint;
  /** Parameters of the platform's interface. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Its id: the same one gets the same page again. */
  readonly ask: string;
  /** The way in which it may be bought, as in contract/counts/platform.ts; null: unless it is held. */
  readonly buy: Buy | null;
  /** The number of its requests without a complete answer that the caller knows of. */
  readonly known: number;
}

/** The platform's answer. */
export interface PlatformPage {
  readonly status: number;
  readonly body: Uint8Array;
  /** The platform's own time of the answer, epoch ms. */
  readonly date: number;
  /** The time at which the page was fetched, by the earlier of the platform's clock and the service's; epoch ms. */
  readonly fetched: number;
  /** USD; 0 for a page that was bought before. */
  readonly price: number;
  readonly held: boolean;
}

/** The platform as far as counting and searching use it, within caps, limits and the vault of one data folder. */
export interface PlatformPages {
  settings(): Promise<PlatformAnswer>;
  /** Settled pages of a query that cost nothing. */
  held(query: string, granularity: Granularity): Promise<readonly HeldPage[]>;
  /**
   * A page, from the vault or bought.
   *
   * @returns Null if it may not be bought and is not there.
   * @throws {@link Fault} as `Relay.answer`.
   */
  page(request: PlatformRequest): Promise<PlatformPage | null>;
}

/** A request in the form of the relay. @throws {@link Fault} 400 for a parameter that the product does not have. */
export function callOf({
  product,
  endpoint,
  parameters,
}: Pick<PlatformRequest, 'product' | 'endpoint' | 'parameters'>): RelayCall {
  const url = `http://relay/?${new URLSearchParams(parameters).toString()}`;
  return product === 'counts' ? readCall(endpoint, url) : readSearch(endpoint, url);
}

/** A page of the relay. */
export function pageOfReply({
  status,
  headers,
  body,
  fetched,
  price,
  vault,
}: RelayReply): PlatformPage {
  const stated = Date.parse(headers['date'] ?? '');
  const date = Number.isNaN(stated) ? fetched : stated;
  return { status, body, date, fetched, price, held: vault === 'held' };
}

/** The pages of a relay in this process. @param spender - Whose budget pays; null for the service's alone. */
export function relayPages(relay: Relay, spender: Spender | null = null): PlatformPages {
  return {
    settings: async () => relay.settings(),
    held: async (query, granularity) => heldPagesOf(relay.held(query, granularity)),
    page: async (request) => {
      const { ask, buy, known } = request;
      const reply = await relay.answer({ call: callOf(request), ask, buy, known, spender });
      return reply && pageOfReply(reply);
    },
  };
}
