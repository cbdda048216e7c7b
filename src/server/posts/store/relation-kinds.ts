/** Kinds of relations, with their number in the file. The source is a user, or a list that has members. */
export const RELATION_KINDS = {
  /** Of a user. */
  follow: 1,
  /** Of a protected user, who has not accepted it. */
  request: 2,
  mute: 3,
  block: 4,
  /** Of a Post. */
  like: 5,
  bookmark: 6,
  /** Of a Post, by a Post of its own. */
  repost: 7,
  /** A public list has a user as its member. */
  member: 8,
  /** Of a list. */
  subscription: 9,
  pin: 10,
  /** Of a reply in a conversation that the source began. */
  hide: 11,
  /** A private list has a user as its member. */
  private_member: 12,
} as const;
export type RelationKind = keyof typeof RELATION_KINDS;

/** The end of a relation from which a listing or a count starts. */
export type Side = 'source' | 'target';

/** The direction in which a listing continues: to older entries, newest first, or to newer ones, oldest first. */
export type Direction = 'older' | 'newer';

/** The other end of a relation, and its place in the order. */
export interface OtherEnd {
  readonly n: number;
  readonly id: bigint;
}

/** The number of relations of an end: all, and what changed here, without imports. */
export interface RelationCount {
  readonly total: number;
  readonly made: number;
}
