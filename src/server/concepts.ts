import { ads } from '#server/api/ads/routes.ts';
import { activity } from '#server/api/streams/activity/routes.ts';
import { feedSettings } from '#server/api/catalog/feed-settings.ts';
import { productSettings } from '#server/api/catalog/product-settings.ts';
import { catalog } from '#server/api/catalog/routes.ts';
import { collections } from '#server/api/collections/routes.ts';
import { communities } from '#server/api/communities/routes.ts';
import { alertRoutes } from '#server/api/alerts/routes.ts';
import { calendarRoutes } from '#server/api/calendars/routes.ts';
import { linkRoutes } from '#server/api/links/routes.ts';
import { boards } from '#server/api/boards/routes.ts';
import { breakdown } from '#server/api/breakdown/routes.ts';
import { bookmarks } from '#server/api/bookmarks/routes.ts';
import { streamLinks } from '#server/api/streams/filtered/links.ts';
import { filteredStream } from '#server/api/streams/filtered/routes.ts';
import { follows } from '#server/api/follows/routes.ts';
import { likes } from '#server/api/likes/routes.ts';
import { lists } from '#server/api/lists/routes.ts';
import { live } from '#server/api/live/routes.ts';
import { mutes } from '#server/api/mutes/routes.ts';
import { reposts } from '#server/api/reposts/routes.ts';
import { timelines } from '#server/api/timelines/routes.ts';
import { connectionRoutes } from '#server/api/streams/connections/routes.ts';
import { control } from '#server/api/control/routes.ts';
import { counts } from '#server/api/counts/routes.ts';
import { description } from '#server/api/description/routes.ts';
import { manage } from '#server/api/manage/routes.ts';
import { fileImports } from '#server/api/import/routes.ts';
import { monitoring } from '#server/api/monitoring/routes.ts';
import { news } from '#server/api/news/routes.ts';
import { notes } from '#server/api/notes/routes.ts';
import { oauth } from '#server/api/oauth/routes.ts';
import { platform } from '#server/api/platform/routes.ts';
import { posts } from '#server/api/posts/routes.ts';
import { powerstream } from '#server/api/streams/powerstream/routes.ts';
import { search } from '#server/api/search/routes.ts';
import { session } from '#server/api/session/routes.ts';
import { sources } from '#server/api/sources/routes.ts';
import { streamRules } from '#server/api/streams/rules/routes.ts';
import { streamsRoutes } from '#server/api/streams/settings/routes.ts';
import { usage } from '#server/api/usage/routes.ts';
import { users } from '#server/api/users/routes.ts';
import { media } from '#server/api/media/routes.ts';
import { webhooks } from '#server/api/webhooks/routes.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from './context.ts';

/** Adds the routes of a concept. */
type Concept = (context: ServiceContext) => readonly Route[];

/** The concepts of the interface. */
export const CONCEPTS: readonly Concept[] = [
  counts,
  search,
  sources,
  collections,
  breakdown,
  posts,
  media,
  description,
  communities,
  users,
  connectionRoutes,
  filteredStream,
  streamLinks,
  powerstream,
  streamsRoutes,
  activity,
  live,
  usage,
  oauth,
  timelines,
  follows,
  mutes,
  likes,
  bookmarks,
  reposts,
  lists,
  ads,
  news,
  notes,
  catalog,
  feedSettings,
  productSettings,
  streamRules,
  webhooks,
  monitoring,
  session,
  boards,
  linkRoutes,
  alertRoutes,
  calendarRoutes,
  manage,
  fileImports,
  control,
  platform,
];
