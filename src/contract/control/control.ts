import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import { Username, AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import { AlertOrder, AlertOutcome } from '#contract/alerts/alerts.ts';
import { AppName, AppOrder, AppsAnswer } from '#contract/accounts/apps.ts';
import { AppBill, BillOrder } from '#contract/accounts/usage.ts';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { CollectionInfo, CollectionOrder } from '#contract/posts/collections.ts';
import { CommunityInfo, CommunityOrder } from './community-orders.ts';
import { EmitOrder } from '#contract/streams/emitted-events.ts';
import { MerchantOrder, FeedOrder } from '#contract/catalog/feeds.ts';
import { LoginInfo, LoginOrder } from '#contract/accounts/logins.ts';
import { NoteOrder, NoteOutcome } from './note-orders.ts';
import { PlatformOrder, PlatformResult } from './platform-orders.ts';
import { RequestInfo, RequestOrder } from '#contract/relations/follow-requests.ts';
import { endpoint } from '#contract/endpoint.ts';
import { CoveredTime, TableOrder } from '#contract/posts/import.ts';
import { SCOPES } from '#contract/accounts/scopes.ts';
import { FeedProgress, FeedRunInfo, MerchantCatalog } from '#contract/catalog/feed-answers.ts';

/** The sender's name for an order; a stop names the order to stop. */
export const WORK_HEADER = 'x-work';

export const ImportOrder = v.strictObject({
  /** Absolute paths. */
  files: v.pipe(v.array(v.string()), v.minLength(1)),
  /** Column names by field. */
  map: v.record(v.string(), v.string()),
  /** The way to read tables; what is absent is guessed. */
  table: v.exactOptional(TableOrder),
  /** Name of the collection; that of the files by default. */
  name: v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  /** Names of the files that users know, where they differ from the paths. */
  source: v.exactOptional(v.pipe(v.string(), v.maxLength(500))),
  /** The time that the files cover, epoch ms; by default each from its first to its last Post. */
  covers: v.exactOptional(CoveredTime),
  /** Replays the Posts this many times faster than they were written, with events. */
  speed: v.exactOptional(v.pipe(v.number(), v.finite(), v.gtValue(0))),
});
export type ImportOrder = v.InferOutput<typeof ImportOrder>;

/** `limited`: whether the platform's rate limits apply to the token. */
export const TokenOrder = v.variant('kind', [
  v.strictObject({
    kind: v.literal('app'),
    access: v.picklist(ACCESS_LEVELS),
    limited: v.boolean(),
  }),
  v.strictObject({
    kind: v.literal('user'),
    /** Username of a local account, created if it does not exist. */
    name: Username,
    /** Name of the app; the dedicated one by default. */
    app: v.exactOptional(AppName),
    /** All scopes by default. */
    scopes: v.exactOptional(v.array(v.picklist(SCOPES))),
    /** True to issue an OAuth 1.0a access token, which has no scopes. */
    oauth1: v.exactOptional(v.boolean()),
    limited: v.boolean(),
  }),
]);
export type TokenOrder = v.InferOutput<typeof TokenOrder>;

/** An order of work that has no settings. */
const PlainOrder = v.strictObject({});

/** Relations that the imported archives contain, whether new or already there. */
const RelationFigures = v.object({
  followers: Whole,
  following: Whole,
  likes: Whole,
  blocks: Whole,
  mutes: Whole,
  lists: Whole,
});
export type RelationFigures = v.InferOutput<typeof RelationFigures>;

const ImportReport = v.object({
  /** Rows of Posts. */
  read: Whole,
  added: Whole,
  already: Whole,
  refused: Whole,
  relations: RelationFigures,
  /** Posts of the files that notes were requested for, whether before or not. */
  noteRequests: Whole,
  reasons: v.pipe(
    v.array(v.object({ file: v.string(), line: Whole, reason: v.string() })),
    v.readonly(),
  ),
  seconds: v.number(),
  /** The collection that the Posts are in; absent if there is none. */
  collection: v.exactOptional(v.object({ id: Whole, name: v.string() })),
  stopped: v.boolean(),
});

export type ImportReport = v.InferOutput<typeof ImportReport>;

/** The work that a data folder takes, by name: what an order says, and the event that ends its answer unless it fails. */
export const JOBS = {
  import: {
    order: ImportOrder,
    outcome: v.object({ type: v.literal('imported'), summary: ImportReport }),
  },
  token: {
    order: TokenOrder,
    outcome: v.object({
      type: v.literal('token'),
      token: v.string(),
      /** Absent for an app-only token. */
      account: v.optional(v.object({ id: v.string(), username: v.string() })),
      /** The credentials that sign requests with an OAuth 1.0a token; the secret only of the dedicated app. */
      signing: v.optional(
        v.object({
          api_key: v.string(),
          api_key_secret: v.optional(v.string()),
          access_token_secret: v.string(),
        }),
      ),
    }),
  },
  user: {
    order: UserOrder,
    outcome: v.object({ type: v.literal('accounts'), accounts: v.array(AccountInfo) }),
  },
  login: {
    order: LoginOrder,
    outcome: v.object({ type: v.literal('logins'), logins: v.array(LoginInfo) }),
  },
  alert: {
    order: AlertOrder,
    outcome: v.object({ type: v.literal('alerted'), outcome: AlertOutcome }),
  },
  app: { order: AppOrder, outcome: v.object({ type: v.literal('apps'), ...AppsAnswer.entries }) },
  bill: { order: BillOrder, outcome: v.object({ type: v.literal('bill'), bill: AppBill }) },
  collections: {
    order: CollectionOrder,
    outcome: v.object({ type: v.literal('collections'), collections: v.array(CollectionInfo) }),
  },
  community: {
    order: CommunityOrder,
    outcome: v.object({ type: v.literal('communities'), communities: v.array(CommunityInfo) }),
  },
  emit: { order: EmitOrder, outcome: v.object({ type: v.literal('emitted') }) },
  requests: {
    order: RequestOrder,
    outcome: v.object({ type: v.literal('requests'), requests: v.array(RequestInfo) }),
  },
  note: {
    order: NoteOrder,
    outcome: v.object({ type: v.literal('noted'), outcome: NoteOutcome }),
  },
  /** The outcome has the run as it ended. */
  feed: { order: FeedOrder, outcome: v.object({ type: v.literal('fed'), run: FeedRunInfo }) },
  catalog: {
    order: MerchantOrder,
    outcome: v.object({ type: v.literal('catalog'), catalog: MerchantCatalog }),
  },
  platform: {
    order: PlatformOrder,
    outcome: v.object({ type: v.literal('platform'), result: PlatformResult }),
  },
  sample: {
    order: PlainOrder,
    outcome: v.object({ type: v.literal('sampled'), posts: Whole }),
  },
  /** The outcome has the Posts in the new indexes; null if the source has no file. */
  reindex: {
    order: PlainOrder,
    outcome: v.object({
      type: v.literal('reindexed'),
      posts: v.nullable(Whole),
      sample: v.nullable(Whole),
    }),
  },
  /** The outcome has a one-time sign-in address. */
  link: { order: PlainOrder, outcome: v.object({ type: v.literal('link'), address: v.string() }) },
} as const;

export type JobName = keyof typeof JOBS;
export type JobOrder<K extends JobName> = v.InferOutput<(typeof JOBS)[K]['order']>;
export type JobOutcome<K extends JobName> = v.InferOutput<(typeof JOBS)[K]['outcome']>;

/** Progress, which another event follows. */
const ProgressEvent = v.variant('type', [
  v.object({
    type: v.literal('reading'),
    file: v.string(),
    bytesRead: Whole,
    bytesTotal: Whole,
    rows: Whole,
    rate: v.number(),
    secondsLeft: v.nullable(v.number()),
  }),
  /** Progress of a replay in Posts; `at` is the time of the newest one, epoch ms. */
  v.object({ type: v.literal('replaying'), done: Whole, total: Whole, at: v.number() }),
  v.object({ type: v.literal('making'), done: Whole, total: Whole }),
  /** Progress in Posts of one source. */
  v.object({
    type: v.literal('reindexing'),
    source: v.picklist(['posts', 'sample']),
    done: Whole,
    total: Whole,
  }),
  /** Progress of the run of a feed. */
  v.object({ type: v.literal('feeding'), ...FeedProgress.entries }),
]);

/** One line of the answer to an order. The last is the outcome of a job, or `fault`. */
export const ControlEvent = v.variant('type', [
  ProgressEvent,
  ...Object.values(JOBS).map(({ outcome }) => outcome),
  v.object({
    type: v.literal('fault'),
    message: v.string(),
    /** The result of an import before it failed; null if that is unknown or nothing. */
    summary: v.nullable(ImportReport),
  }),
]);
export type ControlEvent = v.InferOutput<typeof ControlEvent>;

/** True if an event is the outcome of a job. */
export function isOutcome<K extends JobName>(kind: K, event: ControlEvent): event is JobOutcome<K> {
  return event.type === JOBS[kind].outcome.entries.type.literal;
}

/** True if another event must follow an event. */
export function isProgress({ type }: ControlEvent): boolean {
  return ProgressEvent.options.some(({ entries }) => entries.type.literal === type);
}

/** Reads one line of an answer; null if it is not an event, because another program answered. */
export function readEvent(line: string): ControlEvent | null {
  try {
    const read = v.safeParse(ControlEvent, JSON.parse(line));
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}

/**
 * The endpoint by which the command line delegates work to the service running on its data folder. The answer is one
 * {@link ControlEvent} per line.
 */
export function orderEndpoint<K extends JobName>(kind: K) {
  const body = JOBS[kind].order as v.GenericSchema<unknown, JobOrder<K>>;
  const path: string = `/control/${kind}`;
  return endpoint('POST', path, { authentication: ['control'], body });
}

/** Stops the order named in {@link WORK_HEADER}, whose own answer then ends with what it did. */
export const STOP = endpoint('POST', '/control/stop', { authentication: ['control'] });

/** Written to the data folder by a running service, so that commands find it. */
export const ServeNote = v.object({
  process: v.number(),
  /** The address at which it takes orders. */
  host: v.optional(v.picklist(['127.0.0.1', '[::1]']), '127.0.0.1'),
  /** Null until it listens. */
  port: v.nullable(v.number()),
  /** The addresses at which people open it. */
  addresses: v.optional(v.array(v.string()), []),
  secret: v.string(),
});
export type ServeNote = v.InferOutput<typeof ServeNote>;
