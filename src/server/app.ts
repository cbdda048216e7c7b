import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { SIGN_IN_PATH } from '#contract/accounts/login-names.ts';
import { ADVERTISER_BASE, toBaseVersion } from '#contract/ads/advertising.ts';
import { advertiserBody } from '#server/ads/envelope.ts';
import { scheduledPublishing } from '#server/api/ads/publishing.ts';
import { ads } from '#server/api/ads/routes.ts';
import type { AdsStore } from '#server/ads/store.ts';
import { activityDeliveries } from '#server/api/streams/activity/deliveries.ts';
import { activityFeed, type ActivityFeed } from '#server/api/streams/activity/feed.ts';
import { activity } from '#server/api/streams/activity/routes.ts';
import { notInClusters } from '#server/cluster/error.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { feedSettings } from '#server/api/catalog/feed-settings.ts';
import { catalog } from '#server/api/catalog/routes.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { collections } from '#server/api/collections/routes.ts';
import { communities } from '#server/api/communities/routes.ts';
import type { Analyst } from '#server/api/breakdown/analyst-thread.ts';
import { boards } from '#server/api/boards/routes.ts';
import { breakdown } from '#server/api/breakdown/routes.ts';
import { bookmarks } from '#server/api/bookmarks/routes.ts';
import { filteredDeliveries } from '#server/api/streams/filtered/deliveries.ts';
import { streamLinks } from '#server/api/streams/filtered/links.ts';
import { filteredStream } from '#server/api/streams/filtered/routes.ts';
import { follows } from '#server/api/follows/routes.ts';
import { likes } from '#server/api/likes/routes.ts';
import { lists } from '#server/api/lists/routes.ts';
import { mutes } from '#server/api/mutes/routes.ts';
import { reposts } from '#server/api/reposts/routes.ts';
import { timelines } from '#server/api/timelines/routes.ts';
import { connectionRoutes } from '#server/api/streams/connections/routes.ts';
import { control } from '#server/api/control/routes.ts';
import { counts } from '#server/api/counts/routes.ts';
import { dashboard } from '#server/api/dashboard/routes.ts';
import { description } from '#server/api/description/routes.ts';
import { manage } from '#server/api/manage/routes.ts';
import { mediaFile } from '#server/api/media/file.ts';
import { media as mediaRoutes } from '#server/api/media/routes.ts';
import { importFiles, type ImportService } from '#server/api/import/routes.ts';
import type { News } from '#server/api/news/news.ts';
import { monitoring, type Monitoring } from '#server/api/monitoring/routes.ts';
import { news } from '#server/api/news/routes.ts';
import { notes } from '#server/api/notes/routes.ts';
import { oauth } from '#server/api/oauth/routes.ts';
import { platform } from '#server/api/platform/routes.ts';
import { PostService } from '#server/api/posts/create-post.ts';
import { posts } from '#server/api/posts/routes.ts';
import { powerstream } from '#server/api/streams/powerstream/routes.ts';
import { search } from '#server/api/search/routes.ts';
import { session } from '#server/api/session/routes.ts';
import { signInPages } from '#server/api/sign-in/routes.ts';
import { sources } from '#server/api/sources/routes.ts';
import { streamRules } from '#server/api/streams/rules/routes.ts';
import { streamsRoutes } from '#server/api/streams/settings/routes.ts';
import { usage } from '#server/api/usage/routes.ts';
import { users } from '#server/api/users/routes.ts';
import { webhooks as webhookRoutes } from '#server/api/webhooks/routes.ts';
import { derivedSecrets } from '#server/auth/secrets.ts';
import type { Logins } from '#server/auth/logins.ts';
import type { SignIns } from '#server/auth/sign-ins.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openBilling } from '#server/billing/billing.ts';
import { openCredits } from '#server/billing/credits.ts';
import { openedSource, type FindSource } from '#server/http/current-source.ts';
import { evaluation } from '#server/http/evaluate.ts';
import { errorHandler, methodNotAllowed, nothingAt } from '#server/http/errors.ts';
import { guardHeaders } from '#server/http/headers.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { checkAddress, type NetworkSite, type Site } from '#server/http/origin.ts';
import { mount, openHttp } from '#server/http/serve.ts';
import { watchRequests } from '#server/http/watch.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import { PLATFORM_CONNECTION } from '#contract/counts/platform-connection.ts';
import { notConnected, type Connection } from '#server/platform/connection.ts';
import type { ChargesOf } from '#server/posts/editor/charges.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { Publisher } from '#server/posts/editor/publisher.ts';
import type { EventLog } from '#server/streams/log.ts';
import { Slices } from '#server/posts/index/slices.ts';
import type { Connections } from '#server/streams/connections.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import type { RuleMatcher } from '#server/streams/rules/matcher-thread.ts';
import { openStreams } from '#server/streams/streams.ts';
import type { Webhooks } from '#server/webhooks/webhooks.ts';
import { peopleOf } from '#server/users/people.ts';
import { storeFault } from './store-fault.ts';

export interface AppDeps {
  readonly service: Service;
  /** Finds an open source. */
  readonly source: FindSource;
  /** Where Your posts are instead of the file of their source; absent if they are in it. */
  readonly cluster?: ClusterPosts;
  /** The log of what happens in a source; null if it has none. */
  readonly events: (id: SourceId) => EventLog | null;
  /** Creates and deletes Posts in Your posts; null where that is not done. */
  readonly editor: PostEditor | null;
  /** Breaks down Posts; absent if the service does not. */
  readonly analyst?: Analyst;
  /** Finds stories; absent if the service does not. */
  readonly news?: News;
  /** Catalogs of products; absent if the service has none. */
  readonly catalogs?: Catalogs;
  /** Takes and serves media; absent if the service does neither. */
  readonly media?: MediaUploads;
  /** Open connections to streams, and what matches Posts for them; absent if the service has no streams. */
  readonly streaming?: { readonly connections: Connections; readonly matcher: RuleMatcher };
  /** The entities of advertisers, and what calls a task every second or so; absent if the service has none. */
  readonly advertising?: {
    readonly ads: AdsStore;
    readonly every: (run: () => Promise<void>) => void;
  };
  /** Delivers to external receivers; absent if the service does not. */
  readonly webhooks?: Webhooks;
  /** Reports the state of the service, and hears of its requests; absent if nothing does. */
  readonly monitoring?: Monitoring;
  readonly random: (n: number) => Uint8Array;
  /** One-time secrets that sign browsers in. */
  readonly signIns: SignIns;
  /** Epoch ms. */
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** The port that the service listens on; null if requests come in process. */
  readonly port: () => number | null;
  /** Names of the service, and who may sign in; absent if only this machine reaches it. */
  readonly network?: { readonly site: NetworkSite; readonly logins: Logins };
  /** Folder of the built dashboard. */
  readonly assets: string;
  /** Imports files that the dashboard uploads; absent if the service does not import. */
  readonly imports?: ImportService;
  /** Absent or null if the platform is not connected. */
  readonly connection?: Connection | null;
  /** Jobs for the command line and the secret that authorizes them; null if the service takes no orders. */
  readonly control: { readonly secret: string; readonly jobs: Jobs } | null;
  /** Logs a line about an internal error. Lines never contain a token or a part of one. */
  readonly log: (line: string) => void;
}

/** The answer of every path of version 1.1 (recorded, platform-facts-additions 1.7). */
const RETIRED = {
  errors: [
    {
      message:
        'You currently have access to a subset of X API V2 endpoints and limited v1.1 endpoints (e.g. media post, oauth) only. If you need access to this endpoint, you may need a different access level. You can learn more here: https://developer.x.com/en/portal/product',
      code: 453,
    },
  ],
};

/** Publishes Posts of advertisers by the rules of Posts; null where no Posts are created. */
function publisherOf(
  { source, service, editor }: AppDeps,
  posting: PostService | null,
): Publisher | null {
  if (!posting || !editor) return null;
  const finder = (user: Account) =>
    peopleOf('posts', service, user)(openedSource(source, 'posts').posts);
  return {
    check: (by, request) => posting.check(by, request, finder(by.user)),
    reserve: () => posting.reserve(),
    find: (id) => editor.find(id),
    publish: async (by, request, id, charges) => {
      await posting.create(by, request, finder(by.user), charges, id);
    },
  };
}

/** Origin in addresses of media, by the host of the request that asked for them. */
function originsOf({ network, port }: AppDeps): (host: string) => string {
  return (host) => {
    if (host.startsWith('https://')) return host;
    // Requested while only this machine reached the service.
    if (network) return `https://${network.site.names[0]}`;
    const number = port();
    return `http://${host}${number === null || number === 80 ? '' : `:${number}`}`;
  };
}

/** Creates the service's HTTP interface. It does not listen: tests call `app.request()` in process. */
export function createApp(deps: AppDeps): Hono {
  const { service, editor, now, random, signIns, connection = null, imports = null } = deps;
  const { cluster = null } = deps;
  const source: FindSource = cluster
    ? (id) => (id === 'posts' ? notInClusters() : deps.source(id))
    : deps.source;
  const { media = null, webhooks = null, streaming, events } = deps;
  const { network = null } = deps;
  const site: Site = network?.site ?? { kind: 'loopback', port: deps.port };
  const auth = openAuth(service, { now, random, ...(network && { logins: network.logins }) });
  const { bills, limits } = service;
  const charges: ChargesOf = (of, since) => deps.source('posts')?.charges(of, since) ?? [];
  const credits = openCredits({ bills, charges });
  const billing = openBilling({ bills, credits, now });
  const secrets = derivedSecrets(service.secret('apps'));
  const http = openHttp({
    secrets: { auth, control: deps.control?.secret ?? null },
    billing,
    limits,
    now,
  });
  const pages = { slices: new Slices(deps.elapsed), pageKey: service.secret('pages') };
  const evaluate = evaluation(source, cluster, service, pages.slices);

  const streams =
    streaming &&
    openStreams({
      ...streaming,
      rules: { filtered_stream: service.rules, powerstream: service.powerRules },
      finder: (id) => {
        const posts = source(id)?.posts;
        return posts ? peopleOf(id, service, null)(posts) : null;
      },
      events,
      isAccount: (id) => service.accountOf(id) !== undefined,
      log: deps.log,
    });
  const feeds = new Map<RuleStream, ActivityFeed>();
  for (const stream of ['posts', 'sample'] as const) {
    const log = events(stream);
    if (!streams || !log) continue;
    const table = service.subscriptions;
    const finder = () => streams.finder(stream);
    const { changes } = service;
    const feed = activityFeed({ stream, log, table, finder, changes, now });
    feeds.set(stream, feed);
    webhooks?.follow(activityDeliveries(stream, { service, billing, log, feed }));
    const linked = { service, billing, streams, log, originOf: originsOf(deps), now };
    webhooks?.follow(filteredDeliveries(stream, linked));
  }
  const posting = editor && new PostService(editor, now, media);
  const publisher = publisherOf(deps, posting);
  const { advertising } = deps;
  if (advertising && publisher) {
    const { ads: store, every } = advertising;
    every(scheduledPublishing({ ads: store, publisher, service, billing, now, log: deps.log }));
  }
  const relations = { http, source, service, editor, now, ...pages };

  const app = new Hono({ getPath: (request) => toBaseVersion(getPath(request)) });
  if (deps.monitoring) app.use(watchRequests({ ...deps.monitoring, elapsed: deps.elapsed }));
  app.use(guardHeaders(network !== null));
  app.use(async (c, next) => {
    await next();
    const { headers } = c.res;
    if (!headers.has('date')) headers.set('date', new Date(now()).toUTCString());
  });
  app.use(async (c, next) => {
    checkAddress(c, site);
    await next();
  });
  app.use('/platform/*', async (c, next) => {
    if (!connection?.relay && !c.req.path.startsWith(PLATFORM_CONNECTION.info.path)) {
      throw notConnected();
    }
    await next();
  });
  app.onError(errorHandler(storeFault, deps.log, advertiserBody));
  mount(app, [
    ...counts({ http, evaluate, now, ...pages }),
    ...search({ http, source, evaluate, service, now, ...pages }),
    ...sources({
      http,
      source,
      cluster,
      service,
      editor,
      relay: () => connection?.relay ?? null,
      log: deps.log,
    }),
    ...collections({ http, source, service, editor, slices: pages.slices, now }),
    ...(deps.analyst ? breakdown({ http, source, service, analyst: deps.analyst }) : []),
    ...posts({ http, source, cluster, service, posting, now }),
    ...mediaRoutes({ http, media }),
    ...description({ http }),
    ...communities({ http, source }),
    ...users({ http, source, service, slices: pages.slices }),
    ...(streams
      ? [
          ...connectionRoutes({ http, streams, table: service.connections, ...pages }),
          ...filteredStream({ http, billing, streams, now }),
          ...(webhooks ? streamLinks({ http, service, streams, webhooks, now, random }) : []),
          ...powerstream({ http, service, billing, streams, now }),
          ...streamsRoutes({ http, service, streams }),
          ...activity({
            http,
            service,
            billing,
            streams,
            feed: (id) => feeds.get(id) ?? null,
            now,
            ...pages,
          }),
        ]
      : []),
    ...usage({ http, service, charges, credits, now }),
    ...oauth({ http, auth, service, secrets, now, random }),
    ...timelines(relations),
    ...follows(relations),
    ...mutes(relations),
    ...likes(relations),
    ...bookmarks(relations),
    ...reposts(relations),
    ...lists(relations),
    ...(advertising
      ? ads({ http, ads: advertising.ads, source, media, publisher, now, ...pages })
      : []),
    ...(deps.news ? news({ http, news: deps.news, now }) : []),
    ...(webhooks ? notes({ ...relations, fetcher: webhooks.fetcher, random, log: deps.log }) : []),
    ...(deps.catalogs
      ? [
          ...catalog({ http, service, catalogs: deps.catalogs, now, ...pages }),
          ...feedSettings({ http, service, catalogs: deps.catalogs, now }),
        ]
      : []),
    ...streamRules(relations),
    ...(webhooks ? webhookRoutes({ http, webhooks, service, now, random }) : []),
    ...(deps.monitoring ? monitoring({ http, auth, monitoring: deps.monitoring }) : []),
    ...session({ http, auth, signIns: network ? null : signIns }),
    ...(network ? boards({ http, table: service.boards, random }) : []),
    ...manage({ http, auth, service, editor }),
    ...importFiles({ http, imports }),
    ...control({ http, jobs: deps.control?.jobs ?? null }),
    ...(connection
      ? platform({ http, connection, ...(network && { logins: network.logins }) })
      : []),
  ]);
  app.all('/1.1/*', (c) => c.json(RETIRED, 403));
  for (const path of [
    '/2/*',
    '/oauth/*',
    '/oauth2/*',
    '/i/oauth2/*',
    '/i/oauth/*',
    '/sample/*',
    '/platform/*',
    '/control/*',
    `${ADVERTISER_BASE}/*`,
  ]) {
    app.all(path, (c) => {
      throw nothingAt(c);
    });
  }
  if (network) {
    const { guard, show, submit } = signInPages({ auth, logins: network.logins, now });
    app.get(SIGN_IN_PATH, show);
    app.post('*', submit);
    app.use(guard);
  }
  if (media) app.get('/media/:file', mediaFile(media.files));
  app.get('*', dashboard(deps.assets));
  app.all('*', () => {
    throw methodNotAllowed('GET, HEAD');
  });
  return app;
}
