import { COUNTS } from './count-operations.ts';
import { DESCRIPTION } from './description.ts';
import type { Endpoint } from './endpoint.ts';
import { POST_LOOKUP, POSTS } from './posts.ts';
import { SEARCH } from './search.ts';
import { USAGE } from './usage.ts';
import { USERS } from './users.ts';

/** Every operation that the platform has too, for descriptions and checks. Endpoints of the dashboard are not in it. */
export const OPERATIONS: readonly Endpoint[] = [
  COUNTS,
  SEARCH,
  POST_LOOKUP,
  POSTS,
  USERS,
  { posts: USAGE.posts },
  DESCRIPTION,
].flatMap((concept): Endpoint[] => Object.values(concept));
