import { LINK_WRITE, SUMMONED_WRITE } from '#contract/counts/prices.ts';
import type { Endpoint } from '#contract/endpoint.ts';

/** The names of an operation for a reader and a generated program. */
export interface OperationText {
  /** The name of the platform's own description where it has the operation. */
  readonly id: string;
  readonly summary: string;
  /** A body that the operation accepts; absent where it takes none. */
  readonly body?: unknown;
  /** A sentence that the facts of the endpoint do not tell. */
  readonly note?: string;
}

type Row = readonly [id: string, summary: string, body?: unknown, note?: string];

const POST = '1228393702244134912';
const ACCOUNT = '2244994945';
const LIST = '84839422';
const WEBHOOK = '1146654567674912769';

const CONSENT = { decision: 'allow', proof: 'c2VjcmV0IG9mIHRoZSBwYWdl' };

/** Operations by method and path. Sources of the ids: `operationId` in platform-openapi; others follow their pattern. */
const ROWS: Readonly<Record<string, Row>> = {
  'GET /2/tweets/counts/recent': [
    'getPostsCountsRecent',
    'Counts the Posts of the last 7 days that match a query',
  ],
  'GET /2/tweets/counts/all': [
    'getPostsCountsAll',
    'Counts the Posts of the whole archive that match a query',
  ],
  'GET /2/tweets/search/recent': [
    'searchPostsRecent',
    'Finds the Posts of the last 7 days that match a query',
  ],
  'GET /2/tweets/search/all': [
    'searchPostsAll',
    'Finds the Posts of the whole archive that match a query',
  ],
  'GET /2/tweets': ['getPostsByIds', 'Shows up to 100 Posts'],
  'GET /2/tweets/:id': ['getPostsById', 'Shows a Post'],
  'POST /2/tweets': [
    'createPosts',
    'Creates or edits a Post',
    { text: 'Hello, world' },
    `A Post with a link costs $${LINK_WRITE.amount / 1e6}, a reply to an author who mentioned the account $${SUMMONED_WRITE.amount / 1e6}.`,
  ],
  'DELETE /2/tweets/:id': ['deletePosts', 'Deletes a Post of the account'],
  'GET /2/users': ['getUsersByIds', 'Shows up to 100 accounts by their ids'],
  'GET /2/users/by': ['getUsersByUsernames', 'Shows up to 100 accounts by their usernames'],
  'GET /2/users/by/username/:username': ['getUsersByUsername', 'Shows the account of a username'],
  'GET /2/users/me': ['getUsersMe', 'Shows the account that the token acts for'],
  'GET /2/users/:id': ['getUsersById', 'Shows an account'],
  'GET /2/usage/tweets': ['getUsage', 'Shows how many Posts the app read on each day'],
  'POST /2/activity/subscriptions': [
    'createActivitySubscription',
    'Subscribes to what an account does, or to what is written about it',
    { event_type: 'profile.update.bio', filter: { user_id: ACCOUNT }, tag: 'bio' },
  ],
  'GET /2/activity/subscriptions': ['getActivitySubscriptions', 'Lists the subscriptions'],
  'DELETE /2/activity/subscriptions': [
    'deleteActivitySubscriptionsByIds',
    'Deletes several subscriptions',
  ],
  'PUT /2/activity/subscriptions/:subscription_id': [
    'updateActivitySubscription',
    'Changes the tag or the webhook of a subscription',
    { tag: 'biographies' },
  ],
  'DELETE /2/activity/subscriptions/:subscription_id': [
    'deleteActivitySubscription',
    'Deletes a subscription',
  ],
  'GET /2/activity/stream': ['activityStream', 'Streams the events of the subscriptions'],
  'GET /2/connections': ['getConnectionHistory', 'Lists connections to streams'],
  'DELETE /2/connections': [
    'deleteConnectionsByUuids',
    'Ends several connections to streams',
    { uuids: ['2c8a3a4e-5f0b-4c0e-9a5d-0d3ab8a5a9f1'] },
  ],
  'DELETE /2/connections/all': ['deleteAllConnections', 'Ends all connections to streams'],
  'DELETE /2/connections/:endpoint_id': [
    'deleteConnectionsByEndpoint',
    'Ends all connections to one stream',
  ],
  'GET /2/tweets/search/stream': ['streamPosts', 'Streams new Posts that match a rule'],
  'POST /2/tweets/search/webhooks/:webhook_id': [
    'createWebhooksStreamLink',
    'Sends the matches of the rules to a webhook',
  ],
  'GET /2/tweets/search/webhooks': [
    'getWebhooksStreamLinks',
    'Lists the webhooks that get the matches of the rules',
  ],
  'DELETE /2/tweets/search/webhooks/:webhook_id': [
    'deleteWebhooksStreamLink',
    'Stops sending the matches of the rules to a webhook',
  ],
  'GET /2/communities/:id': ['getCommunitiesById', 'Shows a community'],
  'PUT /2/tweets/:tweet_id/hidden': [
    'hidePostsReply',
    'Hides or shows a reply to a Post of the account',
    { hidden: true },
  ],
  'GET /2/users/:id/bookmarks': ['getUsersBookmarks', 'Lists the bookmarks of the account'],
  'POST /2/users/:id/bookmarks': ['createUsersBookmark', 'Bookmarks a Post', { tweet_id: POST }],
  'DELETE /2/users/:id/bookmarks/:tweet_id': ['deleteUsersBookmark', 'Removes a bookmark'],
  'GET /2/users/:id/followers': ['getUsersFollowers', 'Lists the followers of an account'],
  'GET /2/users/:id/following': ['getUsersFollowing', 'Lists the accounts that an account follows'],
  'POST /2/users/:id/following': [
    'followUser',
    'Follows an account, or asks a protected one',
    { target_user_id: ACCOUNT },
  ],
  'DELETE /2/users/:source_user_id/following/:target_user_id': [
    'unfollowUser',
    'Stops following an account',
  ],
  'GET /2/users/:id/liked_tweets': ['getUsersLikedPosts', 'Lists the Posts that the account likes'],
  'GET /2/tweets/:id/liking_users': ['getPostsLikingUsers', 'Lists the accounts that like a Post'],
  'POST /2/users/:id/likes': ['likePost', 'Likes a Post', { tweet_id: POST }],
  'DELETE /2/users/:id/likes/:tweet_id': ['unlikePost', 'Takes back a like'],
  'GET /2/users/:id/owned_lists': ['getUsersOwnedLists', 'Lists the lists that an account owns'],
  'GET /2/users/:id/followed_lists': [
    'getUsersFollowedLists',
    'Lists the lists that an account follows',
  ],
  'GET /2/users/:id/list_memberships': [
    'getUsersListMemberships',
    'Lists the lists that an account is on',
  ],
  'GET /2/users/:id/pinned_lists': [
    'getUsersPinnedLists',
    'Lists the lists that the account has pinned',
  ],
  'GET /2/lists/:id': ['getListsById', 'Shows a list'],
  'GET /2/lists/:id/members': ['getListsMembers', 'Lists the members of a list'],
  'GET /2/lists/:id/followers': ['getListsFollowers', 'Lists the followers of a list'],
  'GET /2/lists/:id/tweets': ['getListsPosts', 'Lists the Posts of the members of a list'],
  'POST /2/lists': ['createLists', 'Creates a list', { name: 'Roasters', private: false }],
  'PUT /2/lists/:id': ['updateLists', 'Changes a list', { name: 'Roasters of Berlin' }],
  'DELETE /2/lists/:id': ['deleteLists', 'Deletes a list'],
  'POST /2/lists/:id/members': [
    'addListsMember',
    'Adds an account to a list',
    { user_id: ACCOUNT },
  ],
  'DELETE /2/lists/:id/members/:user_id': [
    'removeListsMemberByUserId',
    'Removes an account from a list',
  ],
  'POST /2/users/:id/followed_lists': ['followList', 'Follows a list', { list_id: LIST }],
  'DELETE /2/users/:id/followed_lists/:list_id': ['unfollowList', 'Stops following a list'],
  'POST /2/users/:id/pinned_lists': ['pinList', 'Pins a list', { list_id: LIST }],
  'DELETE /2/users/:id/pinned_lists/:list_id': ['unpinList', 'Unpins a list'],
  'GET /2/users/:id/muting': ['getUsersMuting', 'Lists the accounts that the account mutes'],
  'GET /2/users/:id/blocking': ['getUsersBlocking', 'Lists the accounts that the account blocks'],
  'POST /2/users/:id/muting': ['muteUser', 'Mutes an account', { target_user_id: ACCOUNT }],
  'DELETE /2/users/:source_user_id/muting/:target_user_id': [
    'unmuteUser',
    'Stops muting an account',
  ],
  'GET /2/tweets/:id/retweeted_by': [
    'getPostsRepostedBy',
    'Lists the accounts that reposted a Post',
  ],
  'POST /2/users/:id/retweets': ['repostPost', 'Reposts a Post', { tweet_id: POST }],
  'DELETE /2/users/:id/retweets/:source_tweet_id': ['unrepostPost', 'Takes back a repost'],
  'GET /2/users/:id/tweets': ['getUsersPosts', 'Lists the Posts of an account'],
  'GET /2/users/:id/mentions': ['getUsersMentions', 'Lists the Posts that mention an account'],
  'GET /2/users/:id/timelines/reverse_chronological': [
    'getUsersTimeline',
    'Lists the Posts of an account and of those that it follows',
  ],
  'GET /2/tweets/:id/quote_tweets': ['getPostsQuotedPosts', 'Lists the quotes of a Post'],
  'GET /2/tweets/search/stream/rules': ['getRules', 'Lists the rules of the stream'],
  'POST /2/tweets/search/stream/rules': [
    'updateRules',
    'Adds or deletes rules of the stream',
    { add: [{ value: 'coffee -is:retweet lang:en', tag: 'coffee' }] },
  ],
  'GET /2/tweets/search/stream/rules/counts': [
    'getRuleCounts',
    'Shows how many rules the app has, and may have',
  ],
  'GET /2/powerstream/rules': ['getPowerstreamRules', 'Lists the rules of the Powerstream'],
  'POST /2/powerstream/rules': [
    'createPowerstreamRules',
    'Adds rules to the Powerstream',
    { rules: [{ value: 'coffee', tag: 'coffee' }] },
  ],
  'DELETE /2/powerstream/rules': [
    'deletePowerstreamRules',
    'Deletes rules of the Powerstream',
    { rules: [{ value: 'coffee' }] },
  ],
  'GET /2/powerstream': [
    'streamPowerstream',
    'Streams new Posts that match a rule of the Powerstream',
  ],
  'POST /oauth2/token': [
    'createAppToken',
    'Issues an app-only token for the credentials of an app',
    { grant_type: 'client_credentials' },
  ],
  'POST /oauth2/invalidate_token': [
    'invalidateAppToken',
    'Makes an app-only token invalid',
    { access_token: 'AAAAAAAAAAAAAAAAAAAAAG' },
  ],
  'POST /2/oauth2/token': [
    'createUserToken',
    'Issues a token of OAuth 2.0 for a code or a refresh token',
    { grant_type: 'refresh_token', refresh_token: 'Zm9yIGFuIGV4YW1wbGU', client_id: 'c2FtcGxl' },
  ],
  'POST /2/oauth2/revoke': [
    'revokeUserToken',
    'Makes a token of OAuth 2.0 invalid',
    { token: 'Zm9yIGFuIGV4YW1wbGU', client_id: 'c2FtcGxl' },
  ],
  'GET /i/oauth2/authorize': ['showConsent', 'Asks the user to let an app act (OAuth 2.0)'],
  'POST /i/oauth2/authorize': [
    'decideConsent',
    'Takes the decision of the user (OAuth 2.0)',
    CONSENT,
  ],
  'POST /oauth/request_token': [
    'createRequestToken',
    'Begins the sign-in of an account (OAuth 1.0a)',
    { oauth_callback: 'oob' },
  ],
  'GET /oauth/authorize': ['showAuthorization', 'Asks the user to let an app act (OAuth 1.0a)'],
  'POST /oauth/authorize': [
    'decideAuthorization',
    'Takes the decision of the user (OAuth 1.0a)',
    CONSENT,
  ],
  'GET /oauth/authenticate': [
    'showAuthentication',
    'Signs an account in, and asks only the first time (OAuth 1.0a)',
  ],
  'POST /oauth/authenticate': [
    'decideAuthentication',
    'Takes the decision of the user who signs in (OAuth 1.0a)',
    CONSENT,
  ],
  'POST /oauth/access_token': [
    'createAccessToken',
    'Exchanges a request token for an access token (OAuth 1.0a)',
    { oauth_verifier: '1234567' },
  ],
  'POST /1.1/oauth/invalidate_token': [
    'invalidateAccessToken',
    'Makes the access token that signs the request invalid (OAuth 1.0a)',
  ],
  'POST /2/media/upload': ['mediaUpload', 'Uploads media in one request, or runs a command'],
  'GET /2/media/upload': ['getMediaUploadStatus', 'Shows how far the processing of media is'],
  'POST /2/media/upload/initialize': [
    'initializeMediaUpload',
    'Begins an upload in chunks',
    { media_type: 'video/mp4', media_category: 'tweet_video', total_bytes: 1_048_576 },
  ],
  'POST /2/media/upload/:id/append': ['appendMediaUpload', 'Uploads a chunk'],
  'POST /2/media/upload/:id/finalize': ['finalizeMediaUpload', 'Ends an upload in chunks'],
  'POST /2/media/metadata': [
    'createMediaMetadata',
    'Adds an alternative text and other metadata to media',
    { id: POST, metadata: { alt_text: { text: 'A cup of coffee on a windowsill' } } },
  ],
  'POST /1.1/media/upload.json': [
    'v1MediaUpload',
    'Uploads media by version 1.1 in one request, or runs a command',
  ],
  'GET /1.1/media/upload.json': [
    'getV1MediaUploadStatus',
    'Shows by version 1.1 how far the processing of media is',
  ],
  'POST /1.1/media/metadata/create.json': [
    'createV1MediaMetadata',
    'Adds an alternative text to media by version 1.1',
    { media_id: POST, alt_text: { text: 'A cup of coffee on a windowsill' } },
  ],
  'POST /2/webhooks': [
    'createWebhooks',
    'Registers a webhook, after a challenge',
    { url: 'https://example.com/webhook' },
  ],
  'GET /2/webhooks': ['getWebhooks', 'Lists the webhooks of the app'],
  'PUT /2/webhooks/:webhook_id': ['validateWebhooks', 'Sends a webhook a challenge'],
  'DELETE /2/webhooks/:webhook_id': ['deleteWebhooks', 'Removes a webhook'],
  'POST /2/webhooks/replay': [
    'createWebhookReplayJob',
    'Delivers the events of a time once more',
    { webhook_id: WEBHOOK, from_date: '202611270000', to_date: '202611271200' },
  ],
  'GET /2/news/search': ['searchNews', 'Finds stories that many Posts tell at once'],
  'GET /2/news/:id': ['getNews', 'Shows a story'],
  'GET /2/notes/search/posts_eligible_for_notes': [
    'searchEligiblePosts',
    'Lists Posts for which notes are asked',
  ],
  'GET /2/notes/search/notes_written': [
    'searchCommunityNotesWritten',
    'Lists the notes that the account wrote',
  ],
  'POST /2/evaluate_note': [
    'evaluateCommunityNotes',
    'Scores the draft of a note',
    { post_id: POST, note_text: 'The photo is from 2019: https://example.com/photo' },
  ],
  'POST /2/notes': [
    'createCommunityNotes',
    'Writes a note about a Post',
    {
      test_mode: true,
      post_id: POST,
      info: {
        text: 'The photo is from 2019: https://example.com/photo',
        classification: 'misinformed_or_potentially_misleading',
        misleading_tags: ['missing_important_context'],
        trustworthy_sources: true,
      },
    },
  ],
  'DELETE /2/notes/:id': ['deleteCommunityNotes', 'Deletes a note of the account'],
  'GET /5/product_catalogs/:product_catalog_id/products': [
    'getProducts',
    'Lists the products of a catalog',
  ],
  'PUT /5/product_catalogs/:product_catalog_id/products': [
    'upsertProducts',
    'Adds and changes products in a batch',
    { products: [{ id: 'mug-1', title: 'Mug', price: '12.00 EUR', availability: 'in stock' }] },
  ],
  'DELETE /5/product_catalogs/:product_catalog_id/products': [
    'deleteProducts',
    'Deletes products in a batch',
    { product_keys: ['1146654567674912'] },
  ],
  'POST /5/product_catalogs/:product_catalog_id/product_sets': [
    'createProductSet',
    'Creates a product set of a product catalog',
    {
      name: 'Mugs in stock',
      type: 'FILTERED',
      filters: [{ attribute: 'inventory', operator: 'GREATER_THAN', value: '0' }],
    },
  ],
  'PUT /5/product_catalogs/:product_catalog_id/product_sets/:id': [
    'updateProductSet',
    'Changes a product set of a product catalog',
    { name: 'Mugs' },
  ],
  'GET /5/stats/accounts/:account_id': [
    'getStatistics',
    'Shows the statistics of up to 20 entities',
  ],
  'GET /5/stats/accounts/:account_id/active_entities': [
    'getActiveEntities',
    'Lists the entities whose statistics changed in a time',
  ],
  'GET /5/stats/accounts/:account_id/reach/campaigns': [
    'getCampaignReach',
    'Shows how many accounts campaigns reached',
  ],
  'POST /5/stats/jobs/accounts/:account_id': [
    'createStatisticsJob',
    'Begins to compute statistics of a longer time',
  ],
  'GET /5/stats/jobs/accounts/:account_id': [
    'listStatisticsJobs',
    'Lists the jobs that compute statistics',
  ],
  'GET /5/accounts/:account_id/custom_audiences/:custom_audience_id/permissions': [
    'listCustomAudiencePermissions',
    'Lists the ad accounts that a custom audience is shared with',
  ],
  'GET /5/accounts/:account_id/custom_audiences/:custom_audience_id/targeted': [
    'listCustomAudienceTargeted',
    'Lists the campaigns that target a custom audience',
  ],
  'GET /5/iab_categories': ['listIabCategories', 'Lists the categories of the IAB'],
  'GET /5/targeting_criteria/tv_shows': ['listTvShows', 'Lists the TV shows that can be targeted'],
  'GET /5/targeting_criteria/languages': [
    'listLanguages',
    'Lists the languages that can be targeted',
  ],
  'GET /5/targeting_criteria/locations': [
    'listLocations',
    'Lists the countries that can be targeted',
  ],
  'DELETE /5/stats/jobs/accounts/:account_id/:job_id': [
    'cancelStatisticsJob',
    'Cancels a job that computes statistics',
  ],
  'GET /2/openapi.json': ['getOpenApiSpec', 'Describes every operation'],
};

/** A path or name in the form of a type's name: `product_sets` is `ProductSets`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The name of an entity's list as words: `draft_tweets` are draft Posts. */
function wordsOf(list: string): string {
  return list
    .replaceAll('_', ' ')
    .replace('tweet', 'Post')
    .replace(/^account(?=s?$)/, 'ad account');
}

/** The name of one of a list, as in `criteria` and `campaigns`; that of a library or history has no plural. */
function oneOf(list: string): string {
  if (/(?:media|library|history)$/.test(list)) return `${list}_entry`;
  return list
    .replace(/criteria$/, 'criterion')
    .replace(/ies$/, 'y')
    .replace(/(?<=[^s])s$/, '');
}

function withArticle(words: string): string {
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

const VERBS = {
  GET: ['get', 'Shows'],
  POST: ['create', 'Creates'],
  PUT: ['update', 'Changes'],
  DELETE: ['delete', 'Deletes'],
} as const;

/** The text of an operation on the entities of an advertiser or merchant, from the parts of its path. */
function entityText({ method, path }: Pick<Endpoint, 'method' | 'path'>): OperationText {
  const parts = path.split('/').slice(2);
  const last = parts.findLast((part) => !part.startsWith(':')) ?? '';
  const list = path.includes(`/cards/${last}`) ? `${last}_cards` : last;
  const owner = parts
    .map((part) => /^:(.+)_id$/.exec(part)?.[1])
    .find((name) => name !== undefined);
  const of =
    owner === undefined || owner === oneOf(list) ? '' : ` of ${withArticle(wordsOf(owner))}`;
  if (parts[0] === 'batch') {
    const summary = `Creates, changes and deletes ${wordsOf(list)}${of} in a batch`;
    const body = [{ operation_type: 'Delete', params: { [`${oneOf(list)}_id`]: '8u94t' } }];
    return { id: `batch${pascalCase(list)}`, summary, body };
  }
  if (method === 'GET' && parts.at(-1) === last) {
    return { id: `list${pascalCase(list)}`, summary: `Lists the ${wordsOf(list)}${of}` };
  }
  const [verb, does] = VERBS[method];
  const one = oneOf(list);
  return {
    id: `${verb}${pascalCase(one)}`,
    summary: `${does} ${withArticle(wordsOf(one))}${of}`,
  };
}

/**
 * The text of an operation.
 *
 * @throws {RangeError} for an operation outside `/5` that has no row: each needs one.
 */
export function textOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): OperationText {
  const row = ROWS[`${method} ${path}`];
  if (row) {
    const [id, summary, body, note] = row;
    return {
      id,
      summary,
      ...(body !== undefined && { body }),
      ...(note !== undefined && { note }),
    };
  }
  if (path.startsWith('/5/')) return entityText({ method, path });
  throw new RangeError(`${method} ${path} has no row in the texts of operations.`);
}
