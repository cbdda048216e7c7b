/** The operations that a token with user context may use (platform-facts section 12 and its additions). */
export const SCOPES = [
  'tweet.read',
  'tweet.write',
  'tweet.moderate.write',
  'users.read',
  'users.email',
  'follows.read',
  'follows.write',
  'offline.access',
  'space.read',
  'mute.read',
  'mute.write',
  'like.read',
  'like.write',
  'list.read',
  'list.write',
  'block.read',
  'block.write',
  'bookmark.read',
  'bookmark.write',
  'dm.read',
  'dm.write',
  'media.write',
  'broadcast.read',
  'broadcast.write',
  'timeline.read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Other names of scopes, such as that of an example in the specification (Authentication, 3). */
const OTHER_NAMES: ReadonlyMap<string, Scope> = new Map([['follow.read', 'follows.read']]);

/** The scope of a name; undefined if there is none. */
export function scopeNamed(name: string): Scope | undefined {
  return OTHER_NAMES.get(name) ?? SCOPES.find((scope) => scope === name);
}
