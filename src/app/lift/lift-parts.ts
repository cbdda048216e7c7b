import { difference, overlap } from '#core/query/compose.ts';
import { format } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import type { Span } from '#core/time/span.ts';
import type { LiftScope } from './lift-scope.ts';

/** A question about a campaign: whose lift, and what it is corrected by. */
export interface LiftQuestion {
  readonly scope: LiftScope;
  /** The query whose lift it is. */
  readonly topic: string;
  /** Queries of the control; none for no control. */
  readonly controls: readonly string[];
  /** The tag or address that the campaign's Posts carry; empty if unknown. */
  readonly tag: string;
  /** The times of other campaigns. */
  readonly others: readonly Span[];
  /** Other topics of the board, each measured without a control; those after the first five are left out. */
  readonly topics: readonly OtherTopic[];
}

/** Another topic of the board. */
export interface OtherTopic {
  readonly name: string;
  readonly query: string;
  /** 1 to 8. */
  readonly colour: number;
}

/** Each query once, under the first of its names. */
export function distinct<T extends { readonly query: string }>(queries: readonly T[]): T[] {
  const seen = new Set<string>();
  return queries.filter(({ query }) => seen.size < seen.add(query).size);
}

/** The most topics that are measured in the time of the campaign. */
export const MAX_TOPICS = 5;

/** A query of the question, or the reason it is none. */
type Part = { readonly query: string } | { readonly problem: string };

/** The counts that a question needs, by their queries. */
export interface LiftParts {
  readonly topic: string;
  readonly controls: readonly Part[];
  /** Those of each control that carry the tag; none if that is unknown. */
  readonly tagged: readonly Part[];
}

/** The canonical text of a query; null if it cannot be parsed. */
function canonicalOf(query: string): string | null {
  const parsed = parse(query, { product: 'all', own: true });
  return parsed.ok ? format(parsed.ast) : null;
}

/**
 * The queries of a question. A control counts no Post of the topic, so that none counts in both.
 *
 * @param limit - Code points that the source accepts.
 */
export function liftParts(
  { topic, controls, tag }: Pick<LiftQuestion, 'topic' | 'controls' | 'tag'>,
  limit: number,
): LiftParts {
  const partOf = (composed: ReturnType<typeof difference>): Part =>
    composed.ok ? { query: composed.text } : { problem: composed.reason };
  const without = controls.map((control): Part => {
    const canonical = canonicalOf(control);
    return canonical !== null && canonical === canonicalOf(topic)
      ? { problem: 'It is the topic itself, of which nothing is left without the topic.' }
      : partOf(difference(control, topic, { limit }));
  });
  return {
    topic,
    controls: without,
    tagged:
      tag === ''
        ? []
        : without.map((part) =>
            'query' in part ? partOf(overlap(part.query, tag, { limit })) : part,
          ),
  };
}
