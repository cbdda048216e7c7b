import { STREAMS } from '#contract/streams.ts';
import type {
  RulesAnswer,
  RuleStreamName,
  StreamsAnswer,
  StreamSource,
} from '#contract/streams.ts';
import { DELIVERIES } from '#contract/deliveries.ts';
import type { DeliveriesAnswer } from '#contract/deliveries.ts';
import type { Client } from './client.ts';

/** Whose rules: an app's, for the Posts that a stream of a source sends. */
export interface RulesOf {
  /** Id. */
  readonly app: string;
  readonly source: StreamSource;
  readonly stream: RuleStreamName;
}

/** What streams and webhooks deliver, and what they do not. */
export interface StreamsApi {
  /** @throws {Fault} as {@link Client.get} does, at once if no answer comes. */
  overview(): Promise<StreamsAnswer>;
  /** @throws {Fault} as {@link overview}. */
  deliveries(): Promise<DeliveriesAnswer>;
  /** A page of rules. @param after - `next` of the page before; null for the first. @throws {Fault} as {@link overview}. */
  rules(of: RulesOf, after: string | null): Promise<RulesAnswer>;
  /** Ends an open connection. @throws {Fault} 404 if it has ended. */
  end(id: string): Promise<void>;
}

/** The {@link StreamsApi} of the service this page came from. */
export function streamsApi(client: Pick<Client, 'send' | 'json'>): StreamsApi {
  const { overview, rules, end } = STREAMS;
  // The page asks again every few seconds.
  const options = () => ({ signal: new AbortController().signal, impatient: true });
  return {
    overview: () => client.json(overview.path, overview.answer, options()),
    deliveries: () => client.json(DELIVERIES.path, DELIVERIES.answer, options()),
    rules: (of, after) => {
      const query = new URLSearchParams({ ...of, ...(after !== null && { after }) });
      return client.json(`${rules.path}?${query.toString()}`, rules.answer, options());
    },
    end: async (id) => {
      await client.send(end.method, end.path.replace(':id', id), undefined, end.answer, options());
    },
  };
}
