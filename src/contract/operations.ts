import { ACTIVITY } from '#contract/streams/activity.ts';
import { AD_JOBS } from '#contract/ads/ad-jobs.ts';
import { AD_LOOKUPS } from '#contract/ads/ad-lookups.ts';
import { AD_STATISTICS } from '#contract/ads/ad-statistics.ts';
import { ADS } from '#contract/ads/ads.ts';
import { BOOKMARKS } from '#contract/relations/bookmarks.ts';
import { FILTERED_STREAM } from '#contract/streams/filtered-stream.ts';
import { FOLLOWS } from '#contract/relations/follows.ts';
import { LIKES } from '#contract/relations/likes.ts';
import { LISTS, LIST_WRITES } from '#contract/relations/lists.ts';
import { MEDIA, MEDIA_V1 } from '#contract/posts/media.ts';
import { MUTES } from '#contract/relations/mutes.ts';
import { REPOSTS } from '#contract/relations/reposts.ts';
import { NEWS } from '#contract/posts/news.ts';
import { NOTES } from '#contract/notes/notes.ts';
import { HIDE_REPLY, TIMELINES } from '#contract/posts/timelines.ts';
import { CATALOG } from '#contract/catalog/catalog.ts';
import { COMMUNITIES } from '#contract/relations/communities.ts';
import { CONNECTIONS } from '#contract/streams/connections.ts';
import { COUNTS } from '#contract/counts/count-operations.ts';
import { DESCRIPTION } from './description.ts';
import type { Endpoint } from './endpoint.ts';
import { OAUTH } from '#contract/accounts/oauth.ts';
import { POST_LOOKUP, POSTS } from '#contract/posts/posts.ts';
import { POWERSTREAM } from '#contract/streams/powerstream.ts';
import { SEARCH } from '#contract/posts/search.ts';
import { STREAM_LINKS } from '#contract/streams/stream-links.ts';
import { STREAM_RULES } from '#contract/streams/stream.ts';
import { USAGE } from '#contract/accounts/usage.ts';
import { USERS } from '#contract/relations/users.ts';
import { WEBHOOKS } from '#contract/streams/webhooks.ts';

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
  MEDIA_V1,
  WEBHOOKS,
  NEWS,
  NOTES,
  CATALOG,
  ADS,
  AD_STATISTICS,
  AD_JOBS,
  AD_LOOKUPS,
  DESCRIPTION,
].flatMap((concept): Endpoint[] => Object.values(concept));
