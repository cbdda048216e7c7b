/** Where counts come from: `posts` is Your posts, `platform` is connected by a token. */
export const SOURCE_IDS = ['sample', 'posts', 'platform'] as const;
