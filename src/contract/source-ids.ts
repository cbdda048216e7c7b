/** Where counts come from. `posts` is Your posts; `platform` appears with the relay. */
export const SOURCE_IDS = ['sample', 'posts', 'platform'] as const;
