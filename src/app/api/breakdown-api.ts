import { BREAKDOWN, type BreakdownAnswer } from '#contract/breakdown.ts';
import { formatInstant } from '#contract/instant.ts';
import { ofSource } from '#contract/source.ts';
import type { Span } from '#core/time/span.ts';
import type { Client } from './client.ts';

export type Breakdown = BreakdownAnswer['data'];

export interface BreakdownAsk {
  readonly query: string;
  readonly span: Span;
  /** What its words are compared with. */
  readonly before: Span;
}

/** Breaks the Posts of a time down. @throws {Fault} The signal's reason when aborted. */
export type ReadBreakdown = (ask: BreakdownAsk, signal: AbortSignal) => Promise<Breakdown>;

/** {@link ReadBreakdown} of a source of the service this page came from. */
export function breakdownApi(
  client: Pick<Client, 'json'>,
  source: 'posts' | 'sample',
): ReadBreakdown {
  const { path, answer } = ofSource(BREAKDOWN.breakdown, source);
  return async ({ query, span, before }, signal) => {
    const parameters = new URLSearchParams({
      query,
      start_time: formatInstant(span.start),
      end_time: formatInstant(span.end),
      compare_start_time: formatInstant(before.start),
      compare_end_time: formatInstant(before.end),
    });
    return (await client.json(`${path}?${parameters.toString()}`, answer, { signal })).data;
  };
}
