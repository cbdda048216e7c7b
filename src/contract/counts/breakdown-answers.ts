import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { CAUSE_KINDS } from '#core/causes/causes.ts';

/** The members that every item of a list has. */
const ITEM = {
  /** The value as it is shown; folded unless said otherwise. */
  name: v.string(),
  /**
   * The part of a query that selects its Posts. Added to the query of the request, it counts exactly `posts`: with
   * `overlap` of `core/query/compose.ts` it is a filter, with `difference` an exclusion.
   */
  clause: v.string(),
  /** True if the clause is a query, and so a series, by itself. */
  alone: v.boolean(),
  posts: Whole,
  /** Part of all Posts of the breakdown, 0 to 1; 0 if there are none. */
  share: v.number(),
};

const Item = v.object(ITEM);
export type BreakdownItem = v.InferOutput<typeof Item>;

/** An item that is compared. */
const ComparedItem = v.object({
  ...ITEM,
  /** Posts that would contain it at the rate of what it is compared with; null if that has no Post. */
  expected: v.nullable(v.number()),
  /** Log-likelihood G² if it is more frequent than there, and that is not chance; else null. */
  likelihood: v.nullable(v.number()),
});
export type ComparedItem = v.InferOutput<typeof ComparedItem>;

const AuthorItem = v.object({
  ...ITEM,
  /** The number of followers that the source states; null if it states none. */
  followers: v.nullable(Whole),
});

const AddressItem = v.object({
  ...ITEM,
  /** As written in the newest of its Posts. */
  url: v.string(),
});

export const KINDS = ['original', 'repost', 'reply', 'quote', 'media', 'links'] as const;

const KindItem = v.object({
  ...ITEM,
  name: v.picklist(KINDS),
  /** Posts of which their import did not say whether they are of this kind; they are not in `posts`. */
  unknown: Whole,
});

/** A span and its Posts. */
const Compared = v.object({ start: Time, end: Time, posts: Whole });

/** See docs/breakdown.md for the definition of every figure. */
export const BreakdownAnswer = v.object({
  data: v.object({
    /** All Posts that match, reposts included. */
    posts: Whole,
    /** The Posts that words are compared with; its words are unknown if it has no Post. */
    compared: Compared,
    /** Without `original` where some kind of some Post is unknown: no clause counts those known to be originals. */
    kinds: v.array(KindItem),
    authors: v.object({ distinct: Whole, items: v.array(AuthorItem) }),
    /** Only distinctive ones, the most distinctive first; the other lists have the most frequent first. */
    words: v.array(ComparedItem),
    phrases: v.array(ComparedItem),
    hashtags: v.array(ComparedItem),
    cashtags: v.array(ComparedItem),
    emoji: v.array(ComparedItem),
    domains: v.array(Item),
    addresses: v.array(AddressItem),
    languages: v.array(Item),
    countries: v.array(Item),
    places: v.array(Item),
  }),
});
export type BreakdownAnswer = v.InferOutput<typeof BreakdownAnswer>;

/** Posts, and the number that the time compared with would have; null if that has none at all. */
const CausePart = { posts: Whole, usual: v.nullable(v.number()) };

const Cause = v.object({
  /** A word is a phrase of one word. */
  kind: v.picklist(CAUSE_KINDS),
  name: v.string(),
  /** As of an item; it counts at least the Posts of the cause, which may share some with an earlier one. */
  clause: v.string(),
  alone: v.boolean(),
  ...CausePart,
});

/** The causes of Posts: see docs/breakdown.md. */
export const CausesAnswer = v.object({
  data: v.object({
    posts: Whole,
    /** Disjoint, the largest excess over the usual first. With `rest` they are all Posts. */
    groups: v.array(Cause),
    rest: v.object(CausePart),
    /** Causes of the time compared with that have fewer Posts here; empty unless there are fewer Posts than usual. */
    missing: v.array(Cause),
  }),
});
export type CausesAnswer = v.InferOutput<typeof CausesAnswer>;

/** The items that occur with a query far more than without it. */
export const RelatedAnswer = v.object({
  data: v.object({
    /** Posts that match the query, and all others of the span. */
    posts: Whole,
    others: Whole,
    words: v.array(ComparedItem),
    phrases: v.array(ComparedItem),
    hashtags: v.array(ComparedItem),
    cashtags: v.array(ComparedItem),
    emoji: v.array(ComparedItem),
  }),
});
export type RelatedAnswer = v.InferOutput<typeof RelatedAnswer>;

/** The alternatives that a source has to a query's words. */
export const SimilarAnswer = v.object({
  data: v.object({
    /** All Posts of the source. */
    posts: Whole,
    /** Those that match the query, at any time. */
    matching: Whole,
    /** Words that are spelled like those of the query, the most similar first. */
    similar: v.array(Item),
    /** The languages that most Posts state. */
    languages: v.array(Item),
  }),
});
export type SimilarAnswer = v.InferOutput<typeof SimilarAnswer>;

const RisingItem = v.object({
  ...ITEM,
  /** Posts in the peak, and those that its usual level would have there. */
  peak: v.object({ start: Time, end: Time, posts: Whole, expected: v.number() }),
  /** The height of the summit above the usual level, in spreads. */
  score: v.number(),
  /** Posts per bucket of the span. */
  counts: v.array(v.nullable(Whole)),
});
export type RisingItem = v.InferOutput<typeof RisingItem>;

/** The items that depart most from their usual level, the largest excess first. */
export const RisingAnswer = v.object({
  data: v.object({
    posts: Whole,
    /** Width of a bucket in ms: an hour, or a day where the span is long. The first begins with `start`. */
    bucket_ms: Whole,
    start: Time,
    words: v.array(RisingItem),
    hashtags: v.array(RisingItem),
    authors: v.array(RisingItem),
  }),
});
export type RisingAnswer = v.InferOutput<typeof RisingAnswer>;
