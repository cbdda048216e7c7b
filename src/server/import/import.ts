import type { TableChoice } from '#core/import/table.ts';
import { toError } from '#core/thrown.ts';
import type { Span } from '#core/time/span.ts';
import { CHUNK_POSTS } from '#server/index/chunk.ts';
import type { Machine } from '#server/machine.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import type { ImportedInto, ImportTarget } from '#server/posts/editor/collection-import.ts';
import type { ImportSource } from '#server/posts/store/collections.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import type { ImportWriter } from './import-writer.ts';
import { fileWithoutPosts, openSources, readSource, type ReadBatch } from './reading.ts';
import { ImportTables } from './tables.ts';
import type { ImportedRequest } from '#server/notes/request-table.ts';
import {
  type ImportProgress,
  sumOfRelations,
  type ImportSummary,
  ImportTally,
  ImportError,
} from './import-summary.ts';

/** The files to import, and the store into which they go. */
export interface ImportJob {
  readonly files: readonly string[];
  /** Columns of tables by field, such as `{ id: 'tweet_id' }`; others are guessed. */
  readonly map?: Readonly<Record<string, string>>;
  /** The way to read tables; what is absent is guessed. */
  readonly table?: TableChoice;
  /** Ids of this service's accounts by username, in lower case. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** The SQLite file of the source; created if it does not exist. */
  readonly store: string;
  /** The collection of the Posts; in no collection if absent. */
  readonly collection?: ImportSource;
  /** As `ImportTarget.covers`. */
  readonly covers?: Span | undefined;
}

export interface ImportDeps extends Pick<Machine, 'now' | 'random'> {
  /** Stops the import; what was read until then is committed. */
  readonly signal: AbortSignal;
  /** Called about five times a second. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called with requests for notes on Posts, once the Posts are in the store; none are kept if it is absent. */
  readonly onRequests?: (requests: readonly ImportedRequest[]) => void;
  /** Reads the Posts; by default on this thread. */
  readonly read?: (job: ImportJob, now: number, signal: AbortSignal) => AsyncIterable<ReadBatch>;
  /** Opens what the Posts are put into; by default the file of the job. */
  readonly open?: (into?: ImportTarget) => ImportWriter | Promise<ImportWriter>;
}

/**
 * Opens the files of a job and reads them in sequence.
 *
 * @throws {@link FeedError} like `openSources` and `readSource`; `no-posts`, after all files were read,
 *   for one without a single row, which is probably the wrong file.
 */
export async function* readFiles(
  job: ImportJob,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<ReadBatch> {
  const tables = new ImportTables(job.table ?? {}, job.map ?? {}, now);
  const sources = await openSources(job.files, tables, job.accounts);
  const bytesTotal = sources.reduce((sum, { feed }) => sum + feed.bytes, 0);
  let before = 0;
  const empty = new Set(job.files);
  for (const source of sources) {
    for await (const batch of readSource(source, now, signal)) {
      const { posts, figures, refused } = batch;
      if (posts.length + sumOfRelations(figures) + refused.length > 0) empty.delete(source.path);
      yield { ...batch, bytesRead: before + batch.bytesRead, bytesTotal };
    }
    before += source.feed.bytes;
  }
  const [path] = empty;
  if (path === undefined || signal.aborted) return;
  const kinds = sources.filter((source) => source.path === path).map(({ feed }) => feed.kind);
  throw fileWithoutPosts(path, kinds);
}

/** Maximum number of characters waiting for a commit: three times those of a chunk of usual Posts. */
const MAX_PENDING = 48 * 1024 * 1024;

/** Tracks what the writer has not committed yet; it commits by itself when a chunk is full. */
class Pending {
  characters = 0;
  #posts = 0;

  count(posts: readonly NewPost[], added: number): void {
    this.#posts += added;
    for (const { text, rest, facts } of posts) {
      this.characters += text.length + (rest?.length ?? 0) + (facts?.length ?? 0);
    }
    if (this.#posts < CHUNK_POSTS) return;
    this.#posts -= CHUNK_POSTS;
    this.characters = 0;
  }

  clear(): void {
    this.#posts = 0;
    this.characters = 0;
  }
}

/** Maximum number of requests for notes, and of characters in them, that wait for the commit of their Posts. */
const MAX_REQUESTS = 65_536;
const MAX_REQUEST_CHARACTERS = 8 * 1024 * 1024;
/** Requests that are passed on at once. */
const REQUESTS_AT_ONCE = 1000;

/** Requests for notes that wait until their Posts are in the store. */
class WaitingRequests {
  #requests: ImportedRequest[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.#requests.length > MAX_REQUESTS || this.#characters > MAX_REQUEST_CHARACTERS;
  }

  add(requests: readonly ImportedRequest[]): void {
    for (const request of requests) {
      this.#requests.push(request);
      for (const { url } of request.links) this.#characters += url.length;
    }
  }

  /** Passes all of them on. */
  release(to: ImportDeps['onRequests']): void {
    const requests = this.#requests;
    this.#requests = [];
    this.#characters = 0;
    for (let at = 0; at < requests.length; at += REQUESTS_AT_ONCE) {
      to?.(requests.slice(at, at + REQUESTS_AT_ONCE));
    }
  }
}

/**
 * Imports files of Posts into a store: every Post once by its id; bad rows are counted and the first
 * ones listed. All files are opened before the first is read.
 *
 * @returns The figures, also if the signal stopped it.
 * @throws {@link ImportError} if a file cannot be read to its end (what was read before is committed),
 *   or the store cannot be written.
 */
export async function importFiles(job: ImportJob, deps: ImportDeps): Promise<ImportSummary> {
  const { signal, now, random, onProgress, onRequests } = deps;
  const tally = new ImportTally(now);
  const readings = (deps.read ?? readFiles)(job, now(), signal)[Symbol.asyncIterator]();
  const pending = new Pending();
  const waiting = new WaitingRequests();
  let writer: ImportWriter | null = null;
  const open = deps.open ?? ((into?: ImportTarget) => openWriter(job.store, { random }, into));
  let into: ImportedInto | null = null;
  const kinds = new Set<string>();
  const target = job.collection && { ...job.collection, covers: job.covers, now };
  let fault: unknown = null;
  try {
    while (!signal.aborted) {
      const next = await readings.next().catch((error: unknown) => {
        fault = error;
        return { done: true as const, value: undefined };
      });
      if (next.done) break;
      const { posts, objects, relations } = next.value;
      writer ??= await open(target);
      if (posts.length > 0) kinds.add(next.value.kind);
      if (objects.length > 0) await writer.putObjects(objects);
      if (relations.length > 0) await writer.putRelations(relations);
      const done = await writer.add(posts, next.value.file);
      tally.take(next.value, done);
      pending.count(posts, done.added);
      waiting.add(next.value.requests);
      if (pending.characters > MAX_PENDING || waiting.isFull) {
        await writer.finish();
        pending.clear();
        waiting.release(onRequests);
      }
      const progress = tally.progress(next.value);
      if (progress) onProgress?.(progress);
    }
    const isWhole = fault === null && !signal.aborted;
    into = (await writer?.finish({ read: tally.read, kinds, isWhole })) ?? null;
    waiting.release(onRequests);
    tally.overtaken(writer?.overtaken ?? 0);
  } catch (error) {
    throw importError(error, null);
  } finally {
    await writer?.close();
    await readings.return?.();
  }
  const summary = { ...tally.summary(signal.aborted), ...(into && { collection: into }) };
  if (fault !== null && !signal.aborted) throw importError(fault, summary);
  return summary;
}

function importError(error: unknown, summary: ImportSummary | null): ImportError {
  const cause = toError(error);
  return new ImportError(cause.name, cause.message, summary, { cause });
}
