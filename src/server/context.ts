import { statisticsJobs } from '#server/api/ads/jobs.ts';
import { scheduledPublishing } from '#server/api/ads/publishing.ts';
import type { ConsoleWork } from '#server/ads/console-thread.ts';
import type { AdsStore } from '#server/ads/store.ts';
import { activityDeliveries } from '#server/api/streams/activity/deliveries.ts';
import { activityFeed, type ActivityFeed } from '#server/api/streams/activity/feed.ts';
import { notInClusters } from '#server/cluster/error.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import type { Alerts } from '#server/alerts/alerts.ts';
import type { Calendars } from '#server/calendars/calendars.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { analysisBy } from '#server/api/breakdown/analysis.ts';
import type { Analyst } from '#server/api/breakdown/analyst-thread.ts';
import { filteredDeliveries } from '#server/api/streams/filtered/deliveries.ts';
import type { ImportService } from '#server/api/import/routes.ts';
import type { News } from '#server/api/news/news.ts';
import type { Monitoring } from '#server/api/monitoring/routes.ts';
import { ranking } from '#server/api/search/ranking.ts';
import { PostService } from '#server/api/posts/create-post.ts';
import { derivedSecrets } from '#server/auth/secrets.ts';
import type { Logins } from '#server/auth/logins.ts';
import type { Passwords } from '#server/auth/passwords.ts';
import type { SignIns } from '#server/auth/sign-ins.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { openBilling } from '#server/billing/billing.ts';
import { openCredits } from '#server/billing/credits.ts';
import { openedSource, type FindSource } from '#server/http/current-source.ts';
import { evaluation } from '#server/http/evaluate.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import type { NetworkSite } from '#server/http/origin.ts';
import { openHttp } from '#server/http/serve.ts';
import { openBoardLinks } from '#server/links/board-links.ts';
import type { Figures } from '#server/links/figures-thread.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import type { Connection } from '#server/platform/connection.ts';
import type { ChargesOf } from '#server/posts/editor/charges.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { Publisher } from '#server/posts/editor/publisher.ts';
import type { ChangeFeed } from '#server/streams/change-feed.ts';
import type { EventLog } from '#server/streams/log.ts';
import { Slices } from '#server/posts/index/slices.ts';
import type { Connections } from '#server/streams/connections.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import type { RuleMatcher } from '#server/streams/rules/matcher-thread.ts';
import { openStreams } from '#server/streams/streams.ts';
import type { Webhooks } from '#server/webhooks/webhooks.ts';
import { peopleOf } from '#server/users/people.ts';

export interface AppDeps {
  readonly service: Service;
  readonly auth: Auth;
  /** Finds an open source. */
  readonly source: FindSource;
  /** The place of Your posts instead of the file of their source; absent if they are in it. */
  readonly cluster?: ClusterPosts;
  /** Percentage of the first sample made so far; null while none is being made. */
  readonly making?: () => number | null;
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
  /** Calendars whose events boards show; absent if the service has none. */
  readonly calendars?: Calendars;
  /** Writes the figures of boards for data links; absent if the service does not. */
  readonly figures?: Figures;
  /** Alerts on topics; absent if the service has none. */
  readonly alerts?: Alerts;
  /** Takes and serves media; absent if the service does neither. */
  readonly media?: MediaUploads;
  /** Open connections to streams, and what matches Posts for them; absent if the service has no streams. */
  readonly streaming?: { readonly connections: Connections; readonly matcher: RuleMatcher };
  /** Streams of changes for open boards; absent if the service has none. */
  readonly changeFeed?: ChangeFeed;
  /** The entities of advertisers, and what calls a task every second or so; absent if the service has none. */
  readonly advertising?: {
    readonly ads: AdsStore;
    /** Reads the exports of advertisers' consoles. */
    readonly console: ConsoleWork;
    readonly every: (run: () => Promise<void>) => void;
  };
  /** Delivers to external receivers; absent if the service does not. */
  readonly webhooks?: Webhooks;
  /** Reports the state of the service, and hears of its requests; absent if nothing does. */
  readonly monitoring?: Monitoring;
  readonly random: (n: number) => Uint8Array;
  /** Hashes and compares the passwords of people and of links. */
  readonly passwords: Passwords;
  /** One-time secrets that sign browsers in. */
  readonly signIns: SignIns;
  /** Epoch ms. */
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** The port that the service listens on; null if requests come in process. */
  readonly port: () => number | null;
  /** Names of the service, the address at which people open it, and who may sign in; absent if only this machine reaches it. */
  readonly network?: {
    readonly site: NetworkSite;
    readonly address: () => string;
    readonly logins: Logins;
  };
  /** Folder of the built dashboard. */
  readonly assets: string;
  /** Settles when the dashboard is built; absent if it is. */
  readonly built?: Promise<unknown>;
  /** Imports files that the dashboard uploads; absent if the service does not import. */
  readonly imports?: ImportService;
  /** Absent or null if the platform is not connected. */
  readonly connection?: Connection | null;
  /** Jobs for the command line and the secret that authorizes them; null if the service takes no orders. */
  readonly control: { readonly secret: string; readonly jobs: Jobs } | null;
  /** Logs a line about an internal error. Lines never contain a token or a part of one. */
  readonly log: (line: string) => void;
}

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
    if (network) return network.address();
    const number = port();
    return `http://${host}${number === null || number === 80 ? '' : `:${number}`}`;
  };
}

/** Opens what several concepts of the interface use, over the parts of a service. */
export function openContext(deps: AppDeps) {
  const { service, editor, now } = deps;
  const { cluster = null } = deps;
  const source: FindSource = cluster
    ? (id) => (id === 'posts' ? notInClusters() : deps.source(id))
    : deps.source;
  const { media = null, webhooks = null, streaming, events } = deps;
  const { network = null, analyst } = deps;
  const { bills, limits } = service;
  const charges: ChargesOf = (of, since) => deps.source('posts')?.charges(of, since) ?? [];
  const credits = openCredits({ bills, charges });
  const billing = openBilling({ bills, charges, credits, now });
  const secrets = derivedSecrets(service.secret('apps'));
  const http = openHttp({
    secrets: { auth: deps.auth, control: deps.control?.secret ?? null },
    billing,
    limits,
    now,
  });
  const pages = {
    /** Divides this thread's time between evaluations. */
    slices: new Slices(deps.elapsed),
    /** Key for page tokens. */
    pageKey: service.secret('pages'),
  };
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
  if (advertising) {
    const { ads, every } = advertising;
    const shared = { ads, now, log: deps.log };
    every(statisticsJobs({ ...shared, source, slices: pages.slices, random: deps.random }));
    if (publisher) every(scheduledPublishing({ ...shared, publisher, service, billing }));
  }
  return {
    ...deps,
    ...pages,
    source,
    cluster,
    media,
    webhooks,
    network,
    secrets,
    links: openBoardLinks(deps),
    charges,
    credits,
    billing,
    http,
    evaluate,
    analyse: analyst && analysisBy(analyst),
    rank: ranking({ source, service, slices: pages.slices, now }),
    streams: streams ?? null,
    feed: (id: RuleStream) => feeds.get(id) ?? null,
    posting,
    publisher,
  };
}

/** The parts from which the routes of a concept are made. */
export type ServiceContext = ReturnType<typeof openContext>;
