import { statisticsJobs } from '#server/api/ads/jobs.ts';
import { scheduledPublishing } from '#server/api/ads/publishing.ts';
import { activityDeliveries } from '#server/api/streams/activity/deliveries.ts';
import { activityFeed, type ActivityFeed } from '#server/api/streams/activity/feed.ts';
import { notInClusters } from '#server/cluster/error.ts';
import { analysisBy } from '#server/api/breakdown/analysis.ts';
import { filteredDeliveries } from '#server/api/streams/filtered/deliveries.ts';
import { ranking } from '#server/api/search/ranking.ts';
import { PostService } from '#server/api/posts/create-post.ts';
import { derivedSecrets } from '#server/auth/secrets.ts';
import type { Logins } from '#server/auth/logins.ts';
import type { Account } from '#server/auth/account-table.ts';
import { openBilling } from '#server/billing/billing.ts';
import { openCredits } from '#server/billing/credits.ts';
import type { Monitor } from '#server/monitoring/monitor.ts';
import type { openParts } from '#server/parts/parts.ts';
import { openedSource, type FindSource } from '#server/http/current-source.ts';
import { evaluation } from '#server/http/evaluate.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import type { NetworkSite } from '#server/http/origin.ts';
import { openHttp } from '#server/http/serve.ts';
import { openBoardLinks } from '#server/links/board-links.ts';
import type { Connection } from '#server/platform/connection.ts';
import type { ChargesOf } from '#server/posts/editor/charges.ts';
import type { Publisher } from '#server/posts/editor/publisher.ts';
import { Slices } from '#server/posts/index/slices.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import { openStreams } from '#server/streams/streams.ts';
import { peopleOf } from '#server/users/people.ts';

/** The parts of a service, and the process that serves them. */
export interface AppDeps extends ReturnType<typeof openParts> {
  /** Percentage of the first sample made so far; null while none is being made. */
  readonly making: () => number | null;
  /** Reports the state of the service, and hears of its requests. */
  readonly monitoring: Monitor;
  /** The port that the service listens on; null if requests come in process. */
  readonly port: () => number | null;
  /** Names of the service, the address at which people open it, and who may sign in; null if only this machine reaches it. */
  readonly network: {
    readonly site: NetworkSite;
    readonly address: () => string;
    readonly logins: Logins;
  } | null;
  /** Folder of the built dashboard. */
  readonly assets: string;
  /** Settles when the dashboard is built; absent if it is. */
  readonly built?: Promise<unknown>;
  readonly connection: Connection;
  /** Jobs for the command line and the secret that authorizes them. */
  readonly control: { readonly secret: string; readonly jobs: Jobs };
}

/** Publishes Posts of advertisers by the rules of Posts. */
function publisherOf({ source, service, editor }: AppDeps, posting: PostService): Publisher {
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
  const { service, editor, now, cluster, media, webhooks, events, log } = deps;
  const source: FindSource = cluster
    ? (id) => (id === 'posts' ? notInClusters() : deps.source(id))
    : deps.source;
  const { bills, limits } = service;
  const charges: ChargesOf = (of, since) => deps.source('posts')?.charges(of, since) ?? [];
  const credits = openCredits({ bills, charges });
  const billing = openBilling({ bills, charges, credits, now });
  const secrets = derivedSecrets(service.secret('apps'));
  const http = openHttp({
    secrets: { auth: deps.auth, control: deps.control.secret },
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

  const streams = openStreams({
    ...deps.streaming,
    rules: { filtered_stream: service.rules, powerstream: service.powerRules },
    finder: (id) => source(id) && deps.publicFinder(id),
    events,
    isAccount: (id) => service.accountOf(id) !== undefined,
    log,
  });
  const feeds = new Map<RuleStream, ActivityFeed>();
  for (const stream of ['posts', 'sample'] as const) {
    const log = events(stream);
    if (!log) continue;
    const table = service.subscriptions;
    const finder = () => streams.finder(stream);
    const { changes } = service;
    const feed = activityFeed({ stream, log, table, finder, changes, now });
    feeds.set(stream, feed);
    webhooks.follow(activityDeliveries(stream, { service, billing, log, feed }));
    const linked = { service, billing, streams, log, originOf: originsOf(deps), now };
    webhooks.follow(filteredDeliveries(stream, linked));
  }
  const posting = new PostService(editor, now, media);
  const publisher = publisherOf(deps, posting);
  const { ads, everySecond } = deps;
  const shared = { ads, now, log };
  everySecond(statisticsJobs({ ...shared, source, slices: pages.slices, random: deps.random }));
  everySecond(scheduledPublishing({ ...shared, publisher, service, billing }));
  return {
    ...deps,
    ...pages,
    source,
    secrets,
    links: openBoardLinks(deps),
    charges,
    credits,
    billing,
    http,
    evaluate,
    analyse: analysisBy(deps.analyst),
    rank: ranking({ source, service, slices: pages.slices, now }),
    streams,
    feed: (id: RuleStream) => feeds.get(id) ?? null,
    posting,
    publisher,
  };
}

/** The parts from which the routes of a concept are made. */
export type ServiceContext = ReturnType<typeof openContext>;
