import * as v from 'valibot';
import { formatInstant } from '#contract/instant.ts';
import { OWN_POSTS, type OwnPostsAnswer } from '#contract/counts/own-posts.ts';
import { ASK_HEADER, UNCERTAIN_HEADER } from '#contract/counts/platform.ts';
import type { Fault } from '#contract/fault.ts';
import type { Span } from '#core/time/span.ts';
import { readPosts, type SearchedPost } from './search-api.ts';
import type { Client } from './client.ts';

/** The Posts of accounts that were bought from the platform, and what of a time was not. */
export interface BoughtPosts extends Omit<OwnPostsAnswer, 'data'> {
  readonly posts: readonly SearchedPost[];
}

const OWN_PATH = '/platform/2/users';

/** A refusal of an app's token by the platform, which costs nothing: such a token is for no account. */
const NO_ACCOUNT = [401, 403];

/**
 * Reads and buys the Posts of accounts on the platform. Purchases carry an id, so that none is repeated unless the user
 * agrees again.
 *
 * All reject with a {@link Fault} as `Client.json` does, also if a cap is reached, and with the signal's reason when
 * aborted.
 */
export function ownPostsApi(client: Pick<Client, 'json' | 'now'>) {
  const buy = async (path: string, signal: AbortSignal): Promise<void> => {
    // Two tabs that buy the same in the same millisecond share it.
    const id = `${client.now().toString(36)}${path.replaceAll(/[^\w.-]/g, '.')}`.slice(0, 64);
    await client.json(OWN_PATH + path, v.unknown(), {
      signal,
      unpaid: true,
      headers: { [ASK_HEADER]: id, [UNCERTAIN_HEADER]: '0' },
      // It may have been billed: sending it again is another purchase, which the user decides on.
      onUncertain: (fault: Fault) => Promise.reject(fault),
    });
  };
  return {
    /** Reads what was bought; costs nothing. */
    bought: async (
      usernames: readonly string[],
      { start, end }: Span,
      signal: AbortSignal,
    ): Promise<BoughtPosts> => {
      const parameters = new URLSearchParams({
        usernames: usernames.join(','),
        start_time: formatInstant(start),
        end_time: formatInstant(end),
      });
      const path = `${OWN_POSTS.path}?${parameters}`;
      const { data, ...rest } = await client.json(path, OWN_POSTS.answer, {
        signal,
        impatient: true,
      });
      const posts = readPosts({ data, meta: { result_count: data.length } }, true);
      return {
        ...rest,
        posts: posts.map((post) => ({
          ...post,
          author: { name: null, username: post.raw.origin?.username ?? null },
        })),
      };
    },
    /** Buys which account the token is for; for a token of an app alone, that costs nothing and says nothing. */
    buyOwner: async (signal: AbortSignal): Promise<void> => {
      try {
        await buy('/me', signal);
      } catch (error) {
        if (!NO_ACCOUNT.includes((error as Fault).status)) throw error;
      }
    },
    /** Buys the id of an account. */
    buyAccount: (username: string, signal: AbortSignal): Promise<void> =>
      buy(`/by/username/${username}`, signal),
    /** Buys the newest Posts of an account in a time, at most `OWN_PAGE`. Instants as ISO text. */
    buyPosts: (
      id: string,
      { start, end }: OwnPostsAnswer['accounts'][number]['missing'][number],
      signal: AbortSignal,
    ): Promise<void> =>
      buy(`/${id}/tweets?${new URLSearchParams({ start_time: start, end_time: end })}`, signal),
  };
}
export type OwnPostsApi = ReturnType<typeof ownPostsApi>;
