import * as v from 'valibot';
import type { OwnPostsAnswer } from '#contract/counts/own-posts.ts';
import { formatInstant } from '#contract/instant.ts';
import { AnswerPost } from '#contract/posts/search.ts';
import { MINUTE_MS, SECOND_MS, union, without, type Span } from '#core/time/span.ts';

/** A page of an account's Posts as the platform answered it. */
export interface TimelinePage {
  /** The time that was asked for. */
  readonly asked: Span;
  /** Epoch ms. */
  readonly fetched: number;
  readonly body: unknown;
}

/** The Posts of pages, and the times that they cover. */
export interface BoughtTimeline {
  /** By id, each as it was bought last. */
  readonly posts: ReadonlyMap<string, AnswerPost>;
  readonly covered: readonly Span[];
}

const Page = v.object({
  data: v.optional(v.array(AnswerPost), []),
  meta: v.optional(v.object({ next_token: v.optional(v.string()) }), {}),
});

/**
 * Reads bought pages. A page with a token for more covers the time from its oldest Post on: what is older is bought by
 * its bounds, so that no Post is paid twice.
 *
 * @param pages - In the order of their purchases. One that cannot be read covers nothing.
 */
export function readTimeline(pages: readonly TimelinePage[]): BoughtTimeline {
  const posts = new Map<string, AnswerPost>();
  const covered: Span[] = [];
  for (const { asked, fetched, body } of pages) {
    const read = v.safeParse(Page, body);
    if (!read.success) continue;
    const { data, meta } = read.output;
    for (const post of data) posts.set(post.id, post);
    const oldest = Math.min(...data.map(({ created_at }) => Date.parse(created_at)));
    const start = meta.next_token === undefined ? asked.start : Math.max(asked.start, oldest);
    const end = Math.min(asked.end, fetched);
    if (start < end) covered.push({ start: Math.floor(start / SECOND_MS) * SECOND_MS, end });
  }
  return { posts, covered: union(covered) };
}

/** Shorter times without bought Posts are not offered: the newest minute is always one. */
const LEAST_MISSING_MS = MINUTE_MS;

/** An account as the answer has it. */
export function ownAccount(
  account: { readonly username: string; readonly id: string | null; readonly found: boolean },
  price: number,
  span: Span,
  { covered }: Pick<BoughtTimeline, 'covered'>,
): OwnPostsAnswer['accounts'][number] {
  const missing = account.found
    ? without([span], covered).filter(({ start, end }) => end - start >= LEAST_MISSING_MS)
    : [];
  return {
    ...account,
    price,
    missing: missing
      .reverse()
      .map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end) })),
  };
}
