import { ACTIVITY } from './activity.ts';
import { AD_STATISTICS } from './ad-statistics.ts';
import { ADS } from './ads.ts';
import { BOOKMARKS } from './bookmarks.ts';
import { FILTERED_STREAM } from './filtered-stream.ts';
import { FOLLOWS } from './follows.ts';
import { LIKES } from './likes.ts';
import { LISTS, LIST_WRITES } from './lists.ts';
import { MEDIA } from './media.ts';
import { MUTES } from './mutes.ts';
import { REPOSTS } from './reposts.ts';
import { NEWS } from './news.ts';
import { NOTES } from './notes.ts';
import { HIDE_REPLY, TIMELINES } from './timelines.ts';
import { CATALOG } from './catalog.ts';
import { COMMUNITIES } from './communities.ts';
import { CONNECTIONS } from './connections.ts';
import { COUNTS } from './count-operations.ts';
import { DESCRIPTION } from './description.ts';
import type { Endpoint } from './endpoint.ts';
import { OAUTH } from './oauth.ts';
import { POST_LOOKUP, POSTS } from './posts.ts';
import { POWERSTREAM } from './powerstream.ts';
import { SEARCH } from './search.ts';
import { STREAM_LINKS } from './stream-links.ts';
import { STREAM_RULES } from './stream.ts';
import { USAGE } from './usage.ts';
import { USERS } from './users.ts';
import { WEBHOOKS } from './webhooks.ts';

/** Every operation that the platform has too, for descriptions and checks. Endpoints of the dashboard are not in it. */
export const OPERATIONS: readonly Endpoint[] = [
  COUNTS,
  SEARCH,
  POST_LOOKUP,
  POSTS,
  USERS,
  { posts: USAGE.posts },
  ACTIVITY,
  CONNECTIONS,
  FILTERED_STREAM,
  STREAM_LINKS,
  COMMUNITIES,
  { HIDE_REPLY },
  BOOKMARKS,
  FOLLOWS,
  LIKES,
  LISTS,
  LIST_WRITES,
  MUTES,
  REPOSTS,
  TIMELINES,
  STREAM_RULES,
  POWERSTREAM,
  OAUTH,
  MEDIA,
  WEBHOOKS,
  NEWS,
  NOTES,
  CATALOG,
  ADS,
  AD_STATISTICS,
  DESCRIPTION,
].flatMap((concept): Endpoint[] => Object.values(concept));
