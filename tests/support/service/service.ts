import { randomBytes as random } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { SERVER_OPTIONS } from '#server/cli/listeners.ts';
import type { Hono } from 'hono';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { DataFolder } from '#server/data-folder.ts';
import { platformJob } from '#server/jobs/platform-job.ts';
import { openMonitor } from '#server/monitoring/monitor.ts';
import { openParts } from '#server/parts/parts.ts';
import { openClosings } from '#server/closings.ts';
import type { UploadsDeps } from '#server/import/uploads.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { EDITOR } from '#server/posts/editor/editor-thread.ts';
import { serviceApp } from '#server/app.ts';
import type { AppDeps } from '#server/context.ts';
import { workOver } from '#server/catalog/feed/feed-work.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Reporting } from '#server/api/news/reporting.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { openFetcher, type FetcherDeps } from '#server/fetcher/fetcher.ts';
import { localNames } from '#server/fetcher/resolve.ts';
import { ANYWHERE } from '#server/fetcher/target.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import type { SignIns } from '#server/auth/sign-ins.ts';
import { platformAddress } from '#server/platform/access.ts';
import { openConnection } from '#server/platform/connection.ts';
import { storedToken } from '#server/platform/stored-token.ts';
import type { RelayDeps } from '#server/platform/relay.ts';
import type { DbOptions } from '#server/db/driver.ts';
import { openPlatform } from '#server/platform/store.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import type { Connections } from '#server/streams/connections.ts';
import type { OpenLog } from '#server/streams/log.ts';
import { onThisThread } from '#server/threads.ts';
import type { Every, Timer } from '#server/timer.ts';
import type { Webhooks } from '#server/webhooks/webhooks.ts';
import type { Logins } from '#server/auth/logins.ts';
import type { HashCost } from '#server/auth/passwords.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import type { NetworkSite } from '#server/http/origin.ts';
import { giveEmptyStore } from './empty-stores.ts';
import { differenceOf } from './shapes.ts';
import { machineTimer } from '#tests/support/timers.ts';
import { openStores } from '#server/parts/parts-deps.ts';
import { MOST_FEED } from '#server/catalog/feed/download-state.ts';

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
  /** True if Your posts receives new Posts, so that it covers the present; else it covers only the given Posts. */
  readonly posted?: boolean;
  /** True to copy the files of Posts, with their store ids, from an earlier service with the same list; that is faster. */
  readonly copied?: boolean;
  /** Epoch ms; by default the machine's clock. */
  readonly now?: () => number;
  /** A monotonic clock, ms; by default the machine's. */
  readonly elapsed?: () => number;
  /** Folder of the built dashboard. */
  readonly assets?: string;
  /** Percentage of the sample made so far; null, as by default, while none is being made. */
  readonly making?: () => number | null;
  /** Options of the import of files from the dashboard; by default there is none. */
  readonly imports?: Partial<UploadsDeps>;
  /** The platform to relay to; by default there is none. */
  readonly platform?: PlatformOptions;
  /** The timer by which new stories of Your posts are sought; by default they are not. */
  readonly reporting?: Timer;
  /** The way requests to webhooks are sent; by default as with `--allow-private`. */
  readonly outgoing?: Partial<FetcherDeps> & { readonly timer?: Timer };
  /** The network in which other machines reach the service; by default only this one does. */
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
  /** The parts that {@link app} serves, from which a test can make another one. */
  readonly deps: AppDeps;
  readonly auth: Auth;
  readonly media: MediaUploads;
  readonly ads: AdsStore;
  readonly connections: Connections;
  /** The logs of the sources. */
  readonly events: Readonly<Record<'posts' | 'sample', OpenLog>>;
  readonly webhooks: Webhooks;
  /** The reporter of new stories. */
  readonly reporting: Reporting | null;
  /** Secrets for signing browsers in. */
  readonly signIns: SignIns;
  /** The people who may sign in where other machines reach the service. */
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
  tick(): Promise<void>;
  /** Listens on a free port of 127.0.0.1. @returns The address. */
  listen(): Promise<string>;
  /** Closes the app and opens it again on the same folder. @param between - Called while it is closed. */
  restart(between?: () => void): Promise<void>;
  close(): Promise<void>;
}

function openRelay(
  folder: DataFolder,
  options: PlatformOptions = { url: 'https://platform.test', token: null },
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
    stored: storedToken({ token: folder.platformToken, key: folder.platformKey }, deps.random),
    openStore: () => openPlatform(folder.platform, options.file),
  });
}

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

const LOG_SIZE = 2 ** 28;

/** The time for which requests share a session, because opening one takes as long as a short request, ms. */
const SESSION_MS = 60_000;

/** Authorizes orders of the command line. */
export const SECRET = 'the secret';

/** The address at which people open the service. */
const site = (): string => 'https://site.test';

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
  const app = serviceApp(deps);
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
  const data = new DataFolder(folder);
  const file = { posts: data.posts, sample: data.sample };
  for (const source of ['posts', 'sample'] as const) {
    const posts = options[source] ?? NONE;
    if (options.copied) copyPosts(source, file[source], posts);
    else {
      giveEmptyStore('posts', file[source], random);
      if (posts.length > 0) writePosts(file[source], posts);
    }
  }
  for (const kind of ['service', 'ads', 'catalog', 'deliveries'] as const) {
    giveEmptyStore(kind, data[kind], random);
  }
  if (options.platform?.token && !options.platform.file) {
    giveEmptyStore('platform', data.platform, random);
  }
  if (options.posted && options.posts?.length) {
    const db = openPosts(file.posts, { random });
    const times = options.posts.map(({ createdAt }) => Number(createdAt));
    const createdAt = times.reduce((least, at) => Math.min(least, at));
    db.write('posted', () => coverageTable(db).created([NO_COLLECTION], { id: 0n, createdAt }));
    db.close();
  }
  let port: number | null = null;
  const log: string[] = [];
  const differences: string[] = [];
  const elapsed = options.elapsed ?? (() => performance.now());
  const logLine = (line: string): void => void log.push(line);
  const { timer = options.reporting ?? machineTimer, ...outgoing } = options.outgoing ?? {};
  const ticking = new Set<() => unknown>();
  const every: Every = (ms, run) => {
    if (ms > SECOND_MS) return () => {};
    ticking.add(run);
    return () => ticking.delete(run);
  };
  const here = onThisThread({ random, now, elapsed, timer });

  const open = () => {
    const { defer, close } = openClosings();
    const changed = openPosts(file.posts, { random });
    defer(() => changed.close());
    const stores = openStores(data, { random }, defer);
    const connection = openRelay(data, options.platform, { now, random, log: logLine });
    defer(() => connection.closeStore());
    const machine = {
      timeout: (ms: number) => AbortSignal.timeout(ms),
      resolve: localNames,
      agent: 'groundswell/test',
      rules: ANYWHERE,
    };
    const [fetcher, feeds] = [openFetcher({ ...machine, ...outgoing }), openFetcher(machine)];
    defer(() => Promise.all([fetcher.close(), feeds.close()]));
    const { stream } = feeds;
    const parts = openParts(
      data,
      {
        ...stores,
        now,
        elapsed,
        random,
        timer,
        every,
        // Changes Your posts at once, over a connection that {@link TestService.room} limits.
        host: (task, of) =>
          task.name === EDITOR.name && of === file.posts
            ? (editorOver(changed, now) as never)
            : here(task, of),
        reporter: pathToFileURL(resolve('dist/report/main.js')),
        log: logLine,
        fetcher,
        relay: () => connection.relay,
        sleep: options.platform?.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal })),
        mail: null,
        site,
        work: (store) => workOver({ store, stream, now, timer: machineTimer, limit: MOST_FEED }),
        hashCost: CHEAP,
        logSize: LOG_SIZE,
        ...(options.imports && { uploads: options.imports }),
        cluster: null,
        isNetwork: options.network !== undefined,
      },
      defer,
    );
    const { webhooks, logins, jobs, report } = parts;
    webhooks.start();
    if (options.reporting) report('posts');
    const isReady = (): boolean => true;
    const monitored = { ...parts, version: 'test', folder: data, connection, isReady, log: null };
    const monitoring = openMonitor(monitored);
    defer(() => monitoring.close());
    const link: Jobs['link'] = () => Promise.reject(new RangeError('expected no order of a link'));
    const deps: AppDeps = {
      ...parts,
      connection,
      monitoring,
      port: () => port,
      network: options.network ? { site: options.network, address: site, logins } : null,
      assets: assets ?? join(folder, 'no-assets'),
      making: options.making ?? (() => null),
      control: { secret: SECRET, jobs: { ...jobs, ...platformJob(connection), link } },
    };
    return { ...parts, deps, app: compared(differences, deps), changed, close };
  };

  let opened = open();
  /** The last session that {@link TestService.request} opened, and when, epoch ms. */
  let session = { cookie: '', at: -Infinity };
  const server = createAdaptorServer({
    serverOptions: SERVER_OPTIONS,
    fetch: (request, bindings) => opened.app.fetch(request, bindings),
  });
  return {
    get app() {
      return opened.app;
    },
    get deps() {
      return opened.deps;
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
      return opened.streaming.connections;
    },
    tick: async () => void (await Promise.all([...ticking].map((run) => run()))),
    get events() {
      return opened.logs;
    },
    get webhooks() {
      return opened.webhooks;
    },
    get reporting() {
      return opened.reporting.posts;
    },
    get signIns() {
      return opened.signIns;
    },
    folder,
    get cookie() {
      return `groundswell-${port ?? 80}=${opened.auth.openSession()}`;
    },
    log,
    async request(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('cookie')) {
        if (Math.abs(now() - session.at) > SESSION_MS) session = { cookie: this.cookie, at: now() };
        headers.set('cookie', session.cookie);
      }
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
          session.at = -Infinity;
          resolve(`http://127.0.0.1:${port}`);
        });
      }),
    restart: async (between) => {
      await opened.close();
      between?.();
      opened = open();
      session.at = -Infinity;
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
