import {
  STREAMS,
  type RulesAnswer,
  type RuleStreamName,
  type StreamsAnswer,
  type StreamSource,
  type SubscriptionsAnswer,
} from '#contract/streams/streams.ts';
import { DELIVERIES, type DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import type { Client } from './client.ts';
import { pathWith } from './endpoint-path.ts';

/** Whose rules or subscriptions: an app's, for the Posts of a source. */
export interface ListOf {
  /** Id. */
  readonly app: string;
  readonly source: StreamSource;
}

/** What streams and webhooks deliver, and what they do not. */
export interface StreamsApi {
  /** @throws {Fault} as {@link Client.get} does, at once if no answer comes. */
  overview(): Promise<StreamsAnswer>;
  /** @throws {Fault} as {@link overview}. */
  deliveries(): Promise<DeliveriesAnswer>;
  /** A page of rules. @param after - `next` of the page before; null for the first. @throws {Fault} as {@link overview}. */
  rules(of: ListOf, stream: RuleStreamName, after: string | null): Promise<RulesAnswer>;
  /** As {@link rules}. @param type - Canonical name of a type of event; null for all. */
  subscriptions(
    of: ListOf,
    type: string | null,
    after: string | null,
  ): Promise<SubscriptionsAnswer>;
  /** Deletes a subscription. @throws {Fault} 404 if there is none of that id. */
  unsubscribe(id: string): Promise<void>;
  /**
   * Undoes {@link unsubscribe}.
   *
   * @throws {Fault} 404 if the service no longer remembers it; 409 if the app has an identical one, or as many as it may.
   */
  resubscribe(id: string): Promise<void>;
  /** Ends an open connection. @throws {Fault} 404 if it has ended. */
  end(id: string): Promise<void>;
}

/** A path with the parameters that are not null. */
function pageAt(path: string, parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  return `${path}?${new URLSearchParams(given).toString()}`;
}

/** The {@link StreamsApi} of the service this page came from. */
export function streamsApi(client: Pick<Client, 'send' | 'json'>): StreamsApi {
  const { overview, rules, subscriptions, unsubscribe, resubscribe, end } = STREAMS;
  // The page asks again every few seconds.
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  const change = async (
    endpoint: typeof unsubscribe | typeof resubscribe | typeof end,
    id: string,
  ): Promise<void> => {
    const { method, answer } = endpoint;
    await client.send<object>(method, pathWith(endpoint, { id }), undefined, answer, options());
  };
  return {
    overview: () => client.json(overview.path, overview.answer, options()),
    deliveries: () => client.json(DELIVERIES.path, DELIVERIES.answer, options()),
    rules: ({ app, source }, stream, after) =>
      client.json(pageAt(rules.path, { app, source, stream, after }), rules.answer, options()),
    subscriptions: ({ app, source }, type, after) =>
      client.json(
        pageAt(subscriptions.path, { app, source, type, after }),
        subscriptions.answer,
        options(),
      ),
    unsubscribe: (id) => change(unsubscribe, id),
    resubscribe: (id) => change(resubscribe, id),
    end: (id) => change(end, id),
  };
}
