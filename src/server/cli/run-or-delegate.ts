import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROL, readEvent, WORK_HEADER } from '#contract/control.ts';
import type {
  ControlEvent,
  ImportOrder,
  ImportReport,
  ServeNote,
  TokenOrder,
} from '#contract/control.ts';
import type { Emit } from '#server/http/job-stream.ts';
import { needsCompaction } from '#server/maintenance/compact.ts';
import { openPosts } from '#server/posts/post-table.ts';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import type { CommandDeps } from './command-deps.ts';
import { CommandError, DataFolder } from './data-folder.ts';
import { ensureIndex } from './ensure-index.ts';
import { compactorOf, openJobs } from './jobs.ts';

export type Work =
  | { readonly kind: 'import'; readonly order: ImportOrder }
  | { readonly kind: 'token'; readonly order: TokenOrder }
  | { readonly kind: 'sample' | 'reindex' | 'link'; readonly order: Record<string, never> };

/** Events after which another one is to come. */
const UNFINISHED: ReadonlySet<ControlEvent['type']> = new Set(['reading', 'making', 'reindexing']);

/** How long a service that is starting is waited for. */
const STARTING_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/**
 * Does a piece of work on a data folder: in this process, or by the service that runs on it.
 *
 * @throws {@link CommandError} where the folder is in use by neither, or the service goes away meanwhile.
 * @throws {@link StoreError} where a file of the folder cannot be used.
 */
export async function perform(
  deps: CommandDeps,
  folder: DataFolder,
  work: Work,
  tell: Emit,
): Promise<void> {
  const until = deps.now() + STARTING_MS;
  for (;;) {
    const lock = folder.take();
    if (lock) {
      try {
        await performHere(deps, folder, work, tell);
      } finally {
        lock.release();
      }
      return;
    }
    const note = folder.readNote();
    if (note && note.port !== null) {
      if (await delegate(deps, note, work, tell)) return;
    }
    // A note without a port is of a service that is about to listen.
    if (!note || note.port !== null || deps.now() > until) {
      throw new CommandError(
        `The data folder ${folder.path} is in use by another groundswell command; try again when it has finished.`,
      );
    }
    await sleep(LOOK_AGAIN_MS, undefined, { signal: deps.stopping });
  }
}

/** Of an import that was stopped before it began. */
const NOTHING_IMPORTED: ImportReport = {
  read: 0,
  added: 0,
  already: 0,
  refused: 0,
  reasons: [],
  seconds: 0,
  stopped: true,
};

async function performHere(
  deps: CommandDeps,
  folder: DataFolder,
  work: Work,
  tell: Emit,
): Promise<void> {
  if (work.kind === 'link') {
    throw new CommandError(
      `No service runs on ${folder.path}. Start it with groundswell serve: it prints the address to open.`,
    );
  }
  const service = openService(folder.service, deps);
  try {
    const jobs = openJobs(folder, { ...deps, auth: openAuth(service, deps) });
    if (work.kind === 'import') {
      if (!(await ensureIndex(deps, folder, ['posts']))) {
        return tell({ type: 'imported', summary: NOTHING_IMPORTED });
      }
      await jobs.import(work.order, tell, deps.stopping);
      await keepInShape(deps, folder);
    } else if (work.kind === 'token') await jobs.token(work.order, tell);
    else if (work.kind === 'reindex') await jobs.reindex(tell, deps.stopping);
    else await jobs.sample(tell, deps.stopping);
  } finally {
    service.close();
  }
}

function wantsUpkeep(deps: CommandDeps, folder: DataFolder): boolean {
  const db = openPosts(folder.posts, deps);
  try {
    return needsCompaction(db);
  } finally {
    db.close();
  }
}

/** What a service would do beside its answers: nobody else may, once the folder is let go of. */
async function keepInShape(deps: CommandDeps, folder: DataFolder): Promise<void> {
  if (!existsSync(folder.posts) || !wantsUpkeep(deps, folder)) return;
  const compactor = compactorOf(folder, deps);
  const stop = (): void => void compactor.close();
  deps.stopping.addEventListener('abort', stop, { once: true });
  if (!deps.stopping.aborted) compactor.wake();
  await compactor.rest();
  deps.stopping.removeEventListener('abort', stop);
}

/** Lines of a stream of text. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** @throws {@link CommandError} where the line is no event. */
function eventOf(line: string): ControlEvent {
  const event = readEvent(line);
  if (event) return event;
  throw new CommandError(
    'What listens on the service’s port answered as no Groundswell service of this version does; end it and run the command again.',
  );
}

/** Gives work to the service; false where none answers to the note. */
async function delegate(
  deps: CommandDeps,
  note: ServeNote,
  { kind, order }: Work,
  tell: Emit,
): Promise<boolean> {
  const service = `http://127.0.0.1:${note.port}`;
  const headers = {
    authorization: `Bearer ${note.secret}`,
    [WORK_HEADER]: Buffer.from(deps.random(16)).toString('hex'),
  };
  let answer: Response;
  try {
    answer = await fetch(service + CONTROL[kind].path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
  if (answer.status === 401 || answer.status === 404) return false;
  if (answer.status !== 200 || !answer.body) {
    throw new CommandError(
      `The running service did not take the order: it answered with status ${answer.status}.`,
    );
  }
  // The service then ends the work and tells what was done; without its answer the connection just ends.
  const stop = (): void => {
    void fetch(service + CONTROL.stop.path, { method: 'POST', headers }).catch(() => {});
  };
  deps.stopping.addEventListener('abort', stop, { once: true });
  if (deps.stopping.aborted) stop();
  let last: ControlEvent['type'] | null = null;
  try {
    for await (const line of linesOf(answer.body)) {
      const event = eventOf(line);
      last = event.type;
      tell(event);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  } finally {
    deps.stopping.removeEventListener('abort', stop);
  }
  if (last === null || UNFINISHED.has(last)) {
    throw new CommandError('The running service ended before the work did; run the command again.');
  }
  return true;
}
