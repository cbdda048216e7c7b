import type { GenericSchema } from 'valibot';
import { BREAKDOWN } from '#contract/counts/breakdown.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { formatInstant } from '#contract/instant.ts';
import { ofSource } from '#contract/counts/source.ts';
import type { Span } from '#core/time/span.ts';
import type { Client } from './client.ts';
import type {
  BreakdownAnswer,
  CausesAnswer,
  RelatedAnswer,
  RisingAnswer,
  SimilarAnswer,
} from '#contract/counts/breakdown-answers.ts';

export type Breakdown = BreakdownAnswer['data'];
type CausesFound = CausesAnswer['data'];
export type Related = RelatedAnswer['data'];
export type Rising = RisingAnswer['data'];
export type Similar = SimilarAnswer['data'];

/** A source that the service can break down: it has all of its Posts. */
export type OwnSource = 'posts' | 'sample';

interface Ask {
  readonly query?: string;
  readonly span: Span;
  /** The time with which words are compared; by default the one before. */
  readonly before?: Span;
}

function parametersOf({ query, span, before }: Ask): URLSearchParams {
  return new URLSearchParams({
    ...(query !== undefined && { query }),
    start_time: formatInstant(span.start),
    end_time: formatInstant(span.end),
    ...(before && {
      compare_start_time: formatInstant(before.start),
      compare_end_time: formatInstant(before.end),
    }),
  });
}

/**
 * The breakdowns of a source by the service this page came from.
 *
 * All reject with a {@link Fault} as `Client.json` does, at once if the service does not answer, and with the signal's
 * reason when aborted.
 */
export function breakdownApi(client: Pick<Client, 'json'>, source: OwnSource) {
  const read = async <T>(
    endpoint: Endpoint & { readonly answer: GenericSchema<unknown, { data: T }> },
    parameters: URLSearchParams,
    signal: AbortSignal,
  ): Promise<T> => {
    const { path, answer } = ofSource(endpoint, source);
    return (await client.json(`${path}?${parameters}`, answer, { signal, impatient: true })).data;
  };
  return {
    /** The breakdown of the Posts of a time: those of a query, or all. */
    breakdown: (ask: Ask, signal: AbortSignal): Promise<Breakdown> =>
      read(BREAKDOWN.breakdown, parametersOf(ask), signal),
    /** The causes of the Posts of a time, and those that it lacks. */
    causes: (ask: Ask, signal: AbortSignal): Promise<CausesFound> =>
      read(BREAKDOWN.causes, parametersOf(ask), signal),
    /** The items that occur with a query far more than without it. */
    related: (ask: Ask & { readonly query: string }, signal: AbortSignal): Promise<Related> =>
      read(BREAKDOWN.related, parametersOf(ask), signal),
    /** The items that depart most from their usual level. */
    rising: (ask: { readonly span: Span }, signal: AbortSignal): Promise<Rising> =>
      read(BREAKDOWN.rising, parametersOf(ask), signal),
    /** The alternatives that the source has to a query's words. */
    similar: (query: string, signal: AbortSignal): Promise<Similar> =>
      read(BREAKDOWN.similar, new URLSearchParams({ query, max_results: '6' }), signal),
  };
}
