/** The sources of counts: `posts` is Your posts, `platform` is the real platform, connected with a token. */
export const SOURCE_IDS = ['sample', 'posts', 'platform'] as const;
