import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { SERVER_OPTIONS } from '#server/cli/listeners.ts';
import type { Hono } from 'hono';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { createApp } from '#server/app.ts';
import type { AppDeps } from '#server/context.ts';
import { MOST_FEED } from '#server/catalog/feed/download.ts';
import { workOver } from '#server/catalog/feed/feed-work.ts';
import { openCatalogService } from '#server/catalog/catalogs.ts';
import { openAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import { openFinder } from '#server/api/news/finder-thread.ts';
import { openAds, type AdsStore } from '#server/ads/store.ts';
import { openNews } from '#server/api/news/news.ts';
import { startReporting, type Reporting } from '#server/api/news/reporting.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { RequestTable } from '#server/notes/request-table.ts';
import { Slices } from '#server/posts/index/slices.ts';
import type { ImportService } from '#server/api/import/routes.ts';
import { openAuth, type Auth } from '#server/auth/tokens.ts';
import { openFetcher, type FetcherDeps } from '#server/fetcher/fetcher.ts';
import { localNames } from '#server/fetcher/resolve.ts';
import { ANYWHERE } from '#server/fetcher/target.ts';
import { importedIds } from '#server/users/imported-id.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { editorOver, type PostEditor } from '#server/posts/editor/editor.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { SignIns } from '#server/auth/sign-ins.ts';
import { platformAddress } from '#server/platform/access.ts';
import { openConnection } from '#server/platform/connection.ts';
import { storedToken } from '#server/platform/stored-token.ts';
import type { RelayDeps } from '#server/platform/relay.ts';
import type { DbOptions } from '#server/db/driver.ts';
import { openPlatform } from '#server/platform/store.ts';
import { MediaFiles } from '#server/media/media-files.ts';
import { MediaUploads } from '#server/media/media-uploads.ts';
import { usedMediaFiles } from '#server/posts/store/media-use.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { openService } from '#server/auth/store.ts';
import { openSource } from '#server/posts/index/source.ts';
import { openConnections, type Connections } from '#server/streams/connections.ts';
import { startMoving } from '#server/streams/outbox.ts';
import { openLog, type OpenLog } from '#server/streams/log.ts';
import { openMatcher } from '#server/streams/rules/matcher-thread.ts';
import { onThisThread } from '#server/threads.ts';
import type { Timer } from '#server/timer.ts';
import { openWebhooks, type Webhooks } from '#server/webhooks/webhooks.ts';
import { openLogins, type Logins } from '#server/auth/logins.ts';
import { openPasswords, type HashCost } from '#server/auth/passwords.ts';
import type { NetworkSite } from '#server/http/origin.ts';
import { giveEmptyStore } from './empty-stores.ts';
import { differenceOf } from './shapes.ts';
import { machineTimer } from './timers.ts';

/** A Post of a test, with only the fields that counting reads. */
export interface TestPost extends Omit<IndexablePost, 'text'> {
  readonly id: bigint | string;
  /** ISO text or epoch ms. */
  readonly createdAt: string | number;
  readonly text?: string;
  /** Further fields of v2. */
  readonly fields?: object;
}

export interface ServiceOptions {
  /** Your posts. */
  readonly posts?: readonly TestPost[];
  readonly sample?: readonly TestPost[];
  /** Whether Your posts receives new Posts, so that it covers the present; else it covers only the given Posts. */
  readonly posted?: boolean;
  /** Whether to copy the files of Posts, with their store ids, from an earlier service with the same list; that is faster. */
  readonly copied?: boolean;
  /** Epoch ms; by default the machine's clock. */
  readonly now?: () => number;
  /** A monotonic clock, ms; by default the machine's. */
  readonly elapsed?: () => number;
  /** Folder of the built dashboard. */
  readonly assets?: string;
  /** Makes the service that imports files from the dashboard; by default there is none. */
  readonly imports?: (folder: string, auth: Auth, requests: RequestTable) => ImportService;
  /** The platform to relay to; by default there is none. */
  readonly platform?: PlatformOptions;
  /** When new stories of Your posts are sought; by default they are not. */
  readonly reporting?: Timer;
  /** When feeds are read; by default none is by its schedule. */
  readonly schedules?: Timer;
  /** How requests to webhooks are sent; by default as with `--allow-private`. */
  readonly outgoing?: Partial<FetcherDeps> & { readonly timer?: Timer };
  /** How other machines reach the service; by default only this one does. */
  readonly network?: NetworkSite;
}

/** A platform to relay to; `fetch`, `sleep` and `timeout` are the machine's by default. */
export interface PlatformOptions extends Partial<Pick<RelayDeps, 'fetch' | 'sleep' | 'timeout'>> {
  /** Options of the file of pages; read at every start. */
  readonly file?: DbOptions;
  readonly url: string;
  /** Of the environment; null for none. */
  readonly token: string | null;
}

/** The real service in this process on its own data folder. */
export interface TestService {
  readonly app: Hono;
  readonly auth: Auth;
  readonly media: MediaUploads;
  readonly ads: AdsStore;
  readonly connections: Connections;
  /** The logs of the sources. */
  readonly events: Readonly<Record<'posts' | 'sample', OpenLog>>;
  readonly webhooks: Webhooks;
  /** What reports new stories. */
  readonly reporting: Reporting | undefined;
  /** Secrets for signing browsers in. */
  readonly signIns: SignIns;
  /** Who may sign in where other machines reach the service. */
  readonly logins: Logins;
  /** The data folder. */
  readonly folder: string;
  /** Value of a `cookie` header of a new session, for {@link TestService.request}. */
  readonly cookie: string;
  /** Lines that the service logged. */
  readonly log: readonly string[];
  /** Sends a request in process, signed in unless the headers have a cookie (`cookie: ''`). */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Adds Posts as an import does: the revision rises. */
  add(source: 'posts' | 'sample', posts: readonly TestPost[]): void;
  /** Lets the file of Your posts grow by at most `pages` pages, as on a nearly full disk. */
  room(pages: number): void;
  /** Does what the service does every second. */
  tick(): void;
  /** Publishes the scheduled Posts of advertisers that are due. */
  publish(): Promise<void>;
  /** Listens on a free port of 127.0.0.1. @returns The address. */
  listen(): Promise<string>;
  /** Closes the app and opens it again on the same folder. @param between - Called while it is closed. */
  restart(between?: () => void): void;
  close(): Promise<void>;
}

function openRelay(
  folder: string,
  options: PlatformOptions,
  deps: Pick<RelayDeps, 'now' | 'random' | 'log'>,
) {
  return openConnection({
    fetch,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    timeout: (ms) => AbortSignal.timeout(ms),
    agent: 'groundswell/test',
    ...options,
    ...deps,
    address: platformAddress(options.url),
    token: options.token,
    stored: storedToken(
      { token: join(folder, 'token.json'), key: join(folder, 'token.key') },
      deps.random,
    ),
    openStore: () => openPlatform(join(folder, 'platform.sqlite'), options.file),
  });
}

const random = (n: number): Uint8Array => randomBytes(n);

/** Passwords of tests are hashed within a millisecond. */
export const CHEAP: HashCost = { log2: 4, block: 8, lanes: 1 };

export function newPost({ id, createdAt, text = '', fields, ...facts }: TestPost): NewPost {
  const post: IndexablePost = { text, ...facts };
  const { authorId = null, username = null, lang = null } = post;
  const rest = fields ? JSON.stringify(fields) : null;
  const columns = { authorId, username, text, lang, rest };
  return {
    id: BigInt(id),
    createdAt: typeof createdAt === 'number' ? createdAt : Date.parse(createdAt),
    ...columns,
    facts: factsOf(post, columns),
    terms: termsOf(post),
  };
}

/** Adds Posts to the file of a source. */
export function writePosts(file: string, posts: readonly TestPost[]): void {
  const writer = openWriter(file, { random });
  writer.add(posts.map(newPost));
  writer.finish();
  writer.close();
}

const NONE: readonly TestPost[] = [];

/** Contents of the files that {@link copyPosts} made, by their list of Posts. */
const made = { posts: new Map<object, Buffer>(), sample: new Map<object, Buffer>() };

/** Makes the file of a source, as a copy if one was made before from the same list of Posts. */
function copyPosts(source: 'posts' | 'sample', file: string, posts: readonly TestPost[]): void {
  const before = made[source].get(posts);
  if (before) return writeFileSync(file, before, { mode: 0o600 });
  writePosts(file, posts);
  // In one chunk, as after a compaction: every copy opens faster than with each Post in the open set.
  const db = openPosts(file, { random });
  for (const _ of reindex(db));
  db.close();
  made[source].set(posts, readFileSync(file));
}

/** Puts a sample of one Post into a data folder, so that `serve` does not generate the full sample. */
export function giveTinySample(data: string): void {
  writePosts(join(data, 'sample.sqlite'), [{ id: 1n, createdAt: 0, text: 'sample' }]);
}

/** Creates the app; adds to `differences` where its answers have another shape than the platform's, or than it says. */
function compared(differences: string[], deps: AppDeps): Hono {
  const app = createApp(deps);
  const { fetch } = app;
  app.fetch = async (request, ...rest) => {
    const answer = await fetch(request, ...rest);
    const difference = await differenceOf(request, answer);
    if (difference !== null) differences.push(difference);
    return answer;
  };
  return app;
}

/** Starts the real service in this process, on a temporary folder with the given Posts. */
export function startService(options: ServiceOptions = {}): TestService {
  const { now = Date.now, assets } = options;
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-service-'));
  const file = { posts: join(folder, 'posts.sqlite'), sample: join(folder, 'sample.sqlite') };
  for (const source of ['posts', 'sample'] as const) {
    const posts = options[source] ?? NONE;
    if (options.copied) copyPosts(source, file[source], posts);
    else {
      giveEmptyStore('posts', file[source], random);
      if (posts.length > 0) writePosts(file[source], posts);
    }
  }
  for (const kind of ['service', 'ads', 'catalog', 'deliveries'] as const) {
    giveEmptyStore(kind, join(folder, `${kind}.sqlite`), random);
  }
  if (options.platform?.token && !options.platform.file) {
    giveEmptyStore('platform', join(folder, 'platform.sqlite'), random);
  }
  if (options.posted && options.posts?.length) {
    const db = openPosts(file.posts, { random });
    const times = options.posts.map(({ createdAt }) => Number(createdAt));
    const createdAt = times.reduce((least, at) => Math.min(least, at));
    db.write('posted', () => coverageTable(db).created([NO_COLLECTION], { id: 0n, createdAt }));
    db.close();
  }
  let port: number | null = null;
  const signIns = new SignIns({ now, random });
  const log: string[] = [];
  const differences: string[] = [];
  const elapsed = options.elapsed ?? (() => performance.now());
  const ticking = new Set<() => void>();

  let publish = (): Promise<void> => Promise.resolve();
  const open = () => {
    const service = openService(join(folder, 'service.sqlite'), { random });
    const sources = {
      posts: { id: 'posts' as const, ...openSource(file.posts, { random }) },
      sample: { id: 'sample' as const, ...openSource(file.sample, { random }) },
    };
    const changed = openPosts(file.posts, { random });
    const events = {
      posts: openLog(() => openPosts(file.posts, { random })),
      sample: openLog(() => openPosts(file.sample, { random })),
    };
    const editing = editorOver(changed, now);
    const editor: PostEditor = {
      ...editing,
      write: async (...changes) => {
        const results = await editing.write(...changes);
        events.posts.wake();
        return results;
      },
    };
    const logLine = (line: string): void => void log.push(line);
    const { timer = machineTimer, ...outgoing } = options.outgoing ?? {};
    const moving = startMoving({
      outbox: service.outbox,
      moveIn: (events) => editor.write({ what: 'moveIn', of: [events] }),
      log: logLine,
      timer,
    });
    const platform =
      options.platform && openRelay(folder, options.platform, { now, random, log: logLine });
    const userId = importedIds(file.posts, { random });
    const passwords = openPasswords(random, CHEAP);
    const logins = openLogins({ table: service.logins, passwords, now, random });
    const auth = openAuth(service, { now, random, userId });
    const media = new MediaUploads({
      table: service.media,
      files: new MediaFiles(join(folder, 'media'), random),
      use: {
        key: (key) => sources.posts.posts.object('media', key) !== null,
        files: () => usedMediaFiles(file.posts, { random }),
      },
      now,
      random,
      log: logLine,
    });
    media.start();
    const connections = openConnections({
      log: logLine,
      table: service.connections,
      random,
      now,
      elapsed,
      every: (_, run) => {
        ticking.add(run);
        return () => ticking.delete(run);
      },
    });
    const host = onThisThread({ random, now, elapsed, timer });
    const matcher = openMatcher({
      host,
      files: file,
      rules: [service.rules, service.powerRules],
    });
    const fetcher = openFetcher({
      resolve: localNames,
      timeout: (ms) => AbortSignal.timeout(ms),
      agent: 'groundswell/test',
      rules: ANYWHERE,
      ...outgoing,
    });
    const webhooks = openWebhooks({
      service,
      file: join(folder, 'deliveries.sqlite'),
      fetcher,
      now,
      elapsed: options.elapsed ?? (() => performance.now()),
      random,
      timer,
      log: logLine,
    });
    webhooks.start();
    const ads = openAds(join(folder, 'ads.sqlite'));
    const newsFinder = openFinder(host, file);
    const analyst = openAnalyst(host, file);
    const source: FindSource = (id) => (id === 'platform' ? null : sources[id]);
    const slices = new Slices(elapsed);
    const feedFetcher = openFetcher({
      resolve: localNames,
      timeout: (ms) => AbortSignal.timeout(ms),
      agent: 'groundswell/test',
      rules: ANYWHERE,
    });
    const { stream } = feedFetcher;
    const catalogs = openCatalogService({
      file: join(folder, 'catalog.sqlite'),
      folder: join(folder, 'feeds'),
      work: (store) => workOver({ store, stream, now, timer: machineTimer, limit: MOST_FEED }),
      isAccount: (id) => service.accountOf(id) !== undefined,
      now,
      timer: options.schedules ?? machineTimer,
      random,
      log: logLine,
    });
    if (options.schedules) catalogs.start();
    const news = openNews({ source, service, finder: newsFinder, slices });
    const reporting =
      options.reporting &&
      startReporting({
        id: 'posts',
        source,
        news,
        events: events.posts,
        write: editor.write,
        now,
        timer: options.reporting,
        log: logLine,
      });
    const app = compared(differences, {
      service,
      streaming: { connections, matcher },
      signIns,
      source,
      news,
      analyst,
      catalogs,
      events: (id) => (id === 'platform' ? null : events[id]),
      editor,
      media,
      webhooks,
      advertising: {
        ads,
        every: (run) => {
          publish = run;
        },
      },
      connection: platform ?? null,
      now,
      random,
      elapsed,
      port: () => port,
      ...(options.network && { network: { site: options.network, logins } }),
      assets: assets ?? join(folder, 'no-assets'),
      control: null,
      ...(options.imports && { imports: options.imports(folder, auth, service.noteRequests) }),
      log: logLine,
    });
    const close = async (): Promise<void> => {
      connections.close();
      void matcher.close();
      void reporting?.close();
      void newsFinder.close();
      void analyst.close();
      const stopped = catalogs.close().then(() => feedFetcher.close());
      void moving.close();
      void media.close();
      const ended = webhooks.close().then(() => fetcher.close());
      platform?.closeStore();
      changed.close();
      sources.posts.close();
      sources.sample.close();
      events.posts.close();
      events.sample.close();
      service.close();
      ads.close();
      await Promise.all([ended, stopped]);
    };
    return {
      app,
      auth,
      logins,
      ads,
      media,
      connections,
      changed,
      events,
      webhooks,
      reporting,
      close,
    };
  };

  let opened = open();
  const server = createAdaptorServer({
    serverOptions: SERVER_OPTIONS,
    fetch: (request, bindings) => opened.app.fetch(request, bindings),
  });
  return {
    get app() {
      return opened.app;
    },
    get auth() {
      return opened.auth;
    },
    get logins() {
      return opened.logins;
    },
    get media() {
      return opened.media;
    },
    get ads() {
      return opened.ads;
    },
    get connections() {
      return opened.connections;
    },
    publish: () => publish(),
    tick: () => {
      for (const run of ticking) run();
    },
    get events() {
      return opened.events;
    },
    get webhooks() {
      return opened.webhooks;
    },
    get reporting() {
      return opened.reporting;
    },
    signIns,
    folder,
    get cookie() {
      return `groundswell-${port ?? 80}=${opened.auth.openSession()}`;
    },
    log,
    async request(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('cookie')) headers.set('cookie', this.cookie);
      if (port !== null && !headers.has('host')) headers.set('host', `127.0.0.1:${port}`);
      return await opened.app.request(path, { ...init, headers });
    },
    add: (source, posts) => writePosts(file[source], posts),
    room: (pages) => {
      const { changed } = opened;
      const there = Number(changed.prepare('PRAGMA page_count').get()?.[0]);
      changed.exec(`PRAGMA max_page_count = ${Math.min(there + pages, 2 ** 30)}`);
    },
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', () => {
          port = (server.address() as AddressInfo).port;
          resolve(`http://127.0.0.1:${port}`);
        });
      }),
    restart: (between) => {
      void opened.close();
      between?.();
      opened = open();
    },
    close: async () => {
      if (server.listening) {
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
          if ('closeAllConnections' in server) server.closeAllConnections();
        });
      }
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
      // Every answer has the platform's shape, and the described one.
      if (differences.length > 0) throw new Error(differences.join('\n'));
    },
  };
}
