import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { SourceId } from '#contract/source.ts';
import { createApp } from '#server/app.ts';
import { MAX_ADDRESS } from '#server/http/origin.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { signInAddress } from '#contract/session.ts';
import { openEditor } from '#server/posts/editor-thread.ts';
import { SignIns } from '#server/auth/sign-ins.ts';
import { MAX_UPLOAD, Uploads } from '#server/import/uploads.ts';
import { platformAccess } from '#server/platform/access.ts';
import type { PlatformAccess } from '#server/platform/access.ts';
import { Relay } from '#server/platform/relay.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { openPlatform } from '#server/platform/store.ts';
import { openService } from '#server/auth/store.ts';
import { openSource } from '#server/posts/source.ts';
import type { Source } from '#server/posts/source.ts';
import { openAddress } from './browser.ts';
import { CommandError, DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { sampleProgress } from './sample.ts';
import { ensureIndex } from './ensure-index.ts';
import { compactorOf, openJobs } from './jobs.ts';

const HOST = '127.0.0.1';

/** Room for the headers beside the longest address. */
const MAX_HEADERS = MAX_ADDRESS + 16 * 1024;

/** Created and deleted Posts after which it is looked whether the index wants upkeep. */
const CHANGES_PER_LOOK = 512;

/**
 * How long a connection without requests is kept. Node's 5 seconds are about what clients take between two
 * requests, and one that is sent while the connection is closed fails.
 */
const KEEP_ALIVE_MS = 65_000;

/** How long a file may take to come from a browser on this machine. Node's five minutes are short of 64 GB. */
const REQUEST_MS = 3_600_000;

/** How long answers under way may take after the service was asked to end. */
const FINISH_MS = 2000;

/** How long requests of the platform may take then: they may be billed, and are paid again if they are cut. */
const PURCHASES_MS = 15_000;

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `Port ${port} is taken: choose another with --port, or stop what listens there.`
          : `Port ${port} cannot be listened on: ${error.message}`;
      reject(new CommandError(why));
    });
    server.listen(port, HOST, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function finish(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearTimeout(cut);
}

/** What is told where requests of the platform are under way when the service is asked to end. */
function finishing(requests: number): string {
  const seconds = PURCHASES_MS / 1000;
  return requests === 1
    ? `1 request of the platform is being finished, for ${seconds} seconds at most: Ctrl-C again leaves it, perhaps to be paid again.`
    : `${requests} requests of the platform are being finished, for ${seconds} seconds at most: Ctrl-C again leaves them, perhaps to be paid again.`;
}

/** The platform as the environment names it; null where it does not. */
function accessOf({ platform: { token, url } }: CommandDeps): PlatformAccess | null {
  try {
    return platformAccess(token, url);
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(error.message);
    throw error;
  }
}

/** The two files of Posts, open for counting. */
function openSources(folder: DataFolder, deps: CommandDeps) {
  const open = new Map<SourceId, Source>();
  const closeAll = (): void => {
    for (const source of open.values()) source.close();
    open.clear();
  };
  try {
    open.set('posts', openSource(folder.posts, deps));
    open.set('sample', openSource(folder.sample, deps));
  } catch (error) {
    closeAll();
    throw error;
  }
  return {
    get: (id: SourceId) => {
      const source = open.get(id);
      return source ? { id, ...source } : null;
    },
    posts: (id: SourceId): number => open.get(id)?.index.posts ?? 0,
    /** Lets go of the sample while `swap` puts another in its place; nothing is answered meanwhile. */
    swapSample: (swap: () => void): void => {
      open.get('sample')?.close();
      open.delete('sample');
      swap();
      open.set('sample', openSource(folder.sample, deps));
    },
    closeAll,
  };
}

/**
 * `groundswell serve`: serves the dashboard and the interface until the process is asked to end.
 *
 * @returns The exit code.
 * @throws {@link CommandError} where the port or the folder cannot be had, or the platform's address is not one; {@link StoreError} where a file
 *   of the folder cannot be used.
 */
export async function runServe(
  deps: CommandDeps,
  { data, port: wanted, open: opens }: { data: string; port: number; open: boolean },
): Promise<number> {
  const access = accessOf(deps);
  const folder = new DataFolder(data);
  const lock = folder.take();
  if (!lock) {
    const note = folder.readNote();
    const where = note?.port ? ` It may be served at http://${HOST}:${note.port} already.` : '';
    throw new CommandError(`The data folder ${folder.path} is in use.${where}`);
  }
  const ends: (() => void)[] = [() => lock.release()];
  try {
    const secret = Buffer.from(deps.random(32)).toString('base64url');
    folder.writeNote({ process: process.pid, port: null, secret });
    ends.push(() => folder.removeNote());
    const service = openService(folder.service, deps);
    ends.push(() => service.close());
    const platform = access && openPlatform(folder.platform);
    ends.push(() => platform?.close());
    const log = (line: string): void => deps.err(`${line}\n`);
    const relay =
      access && platform
        ? new Relay({ ...deps, ...deps.platform, access, store: platform, log })
        : null;
    if (!(await ensureIndex(deps, folder, ['posts', 'sample']))) return 0;
    const sources = openSources(folder, deps);
    ends.push(() => sources.closeAll());

    const compactor = compactorOf(folder, deps);
    let changes = 0;
    const desk = openEditor(deps.entry, folder.posts, () => {
      if (++changes % CHANGES_PER_LOOK === 0) compactor.wake();
    });
    const jobs = openJobs(folder, {
      ...deps,
      auth: openAuth(service, deps),
      compactor,
      onPosts: () => {
        sources.get('posts')?.refresh();
        compactor.wake();
      },
      onSample: sources.swapSample,
    });
    // The signal of the process ends what clients have handed over, so that it is committed and told.
    const stoppable = (signal: AbortSignal): AbortSignal =>
      AbortSignal.any([signal, deps.stopping]);
    const underway = new Set<Promise<void>>();
    const tracked = (work: Promise<void>): Promise<void> => {
      underway.add(work);
      return work.finally(() => underway.delete(work));
    };
    const uploads = new Uploads(folder.uploads, { ...deps, limit: MAX_UPLOAD });
    uploads.clear();
    const importPosts: Jobs['import'] = (order, tell, signal) =>
      tracked(jobs.import(order, tell, stoppable(signal)));
    let port: number | null = null;
    const signIns = new SignIns(deps);
    const signIn = (): string => signInAddress(port ?? wanted, signIns.issue());
    const app = createApp({
      ...deps,
      service,
      signIns,
      source: sources.get,
      relay,
      editor: desk,
      port: () => port,
      intake: { uploads, jobs: { import: importPosts } },
      control: {
        secret,
        jobs: {
          import: importPosts,
          token: jobs.token,
          sample: (tell, signal) => tracked(jobs.sample(tell, stoppable(signal))),
          reindex: (tell, signal) => tracked(jobs.reindex(tell, stoppable(signal))),
          link: async (tell) => tell({ type: 'link', address: signIn() }),
        },
      },
      log,
    });

    let open = (): void => {};
    const ready = new Promise<void>((resolve) => {
      open = resolve;
    });
    // Requests of the first seconds wait until there is something to look at.
    const server = createAdaptorServer({
      fetch: (request, bindings) => ready.then(() => app.fetch(request, bindings)),
      createServer,
      serverOptions: {
        maxHeaderSize: MAX_HEADERS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_MS,
      },
    }) as Server;
    port = await listen(server, wanted);
    try {
      if (sources.posts('sample') === 0) {
        const show = sampleProgress(deps);
        const made = tracked(
          jobs.sample((event) => {
            show(event);
            if (event.type === 'fault') deps.err(`No sample was made: ${event.message}\n`);
          }, deps.stopping),
        );
        // Who has Posts of their own need not wait for made-up ones.
        if (sources.posts('posts') === 0) await made;
      }
      open();
      compactor.wake();
      if (!deps.stopping.aborted) {
        folder.writeNote({ process: process.pid, port, secret });
        const address = signIn();
        deps.out(`Groundswell is at ${address} (data in ${folder.path})\n`);
        deps.out(
          `The address signs one browser in, once, within an hour; from then on http://${HOST}:${port} is enough. For another browser: groundswell link\n`,
        );
        if (opens) openAddress(folder, address, deps.open);
        if (relay) {
          deps.out(
            `The platform at ${relay.host} is connected: its answers cost money, up to the caps you set.\n`,
          );
        }
        await new Promise<void>((resolve) => {
          deps.stopping.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    } finally {
      const left = relay?.purchases ?? 0;
      if (left > 0) log(finishing(left));
      const bought = relay?.close(PURCHASES_MS);
      await Promise.all(underway);
      await Promise.all([finish(server), bought]);
      await Promise.all([desk.close(), compactor.close()]);
    }
    return 0;
  } finally {
    for (const end of ends.reverse()) end();
  }
}
