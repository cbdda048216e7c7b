import * as v from 'valibot';
import { Time } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { instant, onlyParameters } from '#contract/parameters.ts';
import { isUsername } from '#core/import/post-url.ts';
import { AnswerPost } from '#contract/posts/search.ts';

/** The most accounts: one query of Your posts has to hold their names. */
export const MOST_OWN_ACCOUNTS = 20;

/** Posts of a page of the platform. */
export const OWN_PAGE = 100;

/** The fields of Posts that are bought. The platform charges for the Post, not for its fields. */
export const OWN_FIELDS =
  'created_at,lang,public_metrics,author_id,entities,referenced_tweets,attachments,paid_partnership,edit_history_tweet_ids';

const OwnPostsRequest = onlyParameters({
  usernames: v.pipe(
    v.string(),
    v.transform((text) => text.split(',')),
    v.array(
      v.pipe(
        v.string(),
        v.check(
          isUsername,
          (issue) => `'usernames' must have names such as tea_shop, got '${issue.input}'`,
        ),
      ),
    ),
    v.maxLength(MOST_OWN_ACCOUNTS, `'usernames' must have at most ${MOST_OWN_ACCOUNTS} names`),
  ),
  start_time: instant('start_time'),
  end_time: instant('end_time'),
});

/** The Posts of accounts that were bought from the platform, and what of a time was not. */
export const OwnPostsAnswer = v.object({
  /** Newest first; each has the username of its account as `origin`. */
  data: v.array(AnswerPost),
  accounts: v.array(
    v.object({
      username: v.string(),
      /** Null until it was bought; the platform knows no such account if `found` is false. */
      id: v.nullable(v.string()),
      found: v.boolean(),
      /** USD for each Post: less for the account that the token is for. */
      price: v.number(),
      /** The times of which no Posts were bought, the newest first. */
      missing: v.array(v.object({ start: Time, end: Time })),
    }),
  ),
  /** True if it is known which account the token is for. */
  known: v.boolean(),
});
export type OwnPostsAnswer = v.InferOutput<typeof OwnPostsAnswer>;

/** For the dashboard alone. It never buys: `RELAY.own` does. */
export const OWN_POSTS = sessionEndpoint('GET', '/platform/own-posts', {
  query: OwnPostsRequest,
  answer: OwnPostsAnswer,
});
