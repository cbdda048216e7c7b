import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { ASK_FORM, BUYS, HeldAnswer, PlatformAnswer } from '#contract/counts/platform.ts';

/** The requests of a command to the relay of a running service: its terms, what it holds of a query, or a page. */
export const PlatformOrder = v.variant('what', [
  v.strictObject({ what: v.literal('settings') }),
  v.strictObject({
    what: v.literal('held'),
    query: v.string(),
    granularity: v.picklist(GRANULARITIES),
  }),
  v.strictObject({
    what: v.literal('page'),
    product: v.picklist(['counts', 'search']),
    endpoint: v.picklist(['recent', 'all']),
    /** Parameters of the platform's interface. */
    parameters: v.record(v.string(), v.string()),
    ask: v.pipe(v.string(), v.regex(ASK_FORM)),
    buy: v.nullable(v.picklist(BUYS)),
    /** The number of requests of the ask without a complete answer that the command knows of. */
    known: Whole,
  }),
]);
export type PlatformOrder = v.InferOutput<typeof PlatformOrder>;

/** The relay's answer to a {@link PlatformOrder}. */
export const PlatformResult = v.variant('what', [
  /** No token connects the platform. */
  v.object({ what: v.literal('unconnected') }),
  v.object({ what: v.literal('settings'), answer: PlatformAnswer }),
  v.object({ what: v.literal('held'), pages: HeldAnswer.entries.pages }),
  v.object({
    what: v.literal('page'),
    /** Null: it may not be bought, and is not held. */
    page: v.nullable(
      v.object({
        status: v.number(),
        body: v.string(),
        /** The platform's time of the answer, and when it was fetched; epoch ms. */
        date: v.number(),
        fetched: v.number(),
        /** USD. */
        price: v.number(),
        held: v.boolean(),
      }),
    ),
  }),
  /** A fault, as of the relay's own paths. */
  v.object({
    what: v.literal('refused'),
    status: v.number(),
    body: v.looseObject({ title: v.string(), type: v.string() }),
    headers: v.record(v.string(), v.string()),
  }),
]);
export type PlatformResult = v.InferOutput<typeof PlatformResult>;
