import { inThread, thread } from '#server/threads.ts';
import type { ImportedRequest } from '#server/notes/request-table.ts';
import { importFiles, readFiles, type ImportJob } from './import.ts';
import { packReading, unpackReading, type PackedReading } from './pack.ts';
import type { ReadBatch } from './reading.ts';
import { transferring } from '#server/answer-calls.ts';
import type { Task, TaskHost } from '#server/thread-task.ts';
import { ImportError, type ImportProgress, type ImportSummary } from './import-summary.ts';

/*
 * An import takes two threads: one unpacks, parses and tokenises, the other writes. The service starts the
 * writer, which starts the reader; both use the same entry.
 */

interface ImportFault extends Pick<ImportError, 'kind' | 'message' | 'summary'> {
  readonly cause?: unknown;
}

interface Writer {
  /** Imports files, see {@link importFiles}; an {@link ImportError} is a result, since it has a summary. */
  write(
    job: ImportJob,
    signal: AbortSignal,
    onProgress: (progress: ImportProgress) => void,
    onRequests: (requests: readonly ImportedRequest[]) => void,
  ): Promise<ImportSummary | ImportFault>;
}

interface Reader {
  /** The next block; null after the last one. */
  next(): Promise<PackedReading | null>;
}

/** Maximum number of blocks in transit from reader to writer; each has some three hundred Posts. */
const MAX_BLOCKS = 16;

const ENDED = 'a thread of the import ended unexpectedly.';

export const IMPORT_WRITER: Task<null, Writer> = {
  name: 'import-write',
  // A chunk of 65,536 Posts and its index.
  limits: { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 32 },
  ended: ENDED,
  open: (_, { host, now, random }) => ({
    write: async (job, signal, onProgress, onRequests) => {
      try {
        return await importFiles(job, {
          signal,
          onProgress,
          onRequests,
          now,
          random,
          read: (job, _now, signal) => readElsewhere(host, job, signal),
        });
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        const { kind, message, summary } = error;
        return { kind, message, summary };
      }
    },
  }),
};

export const IMPORT_READER: Task<ImportJob, Reader> = {
  name: 'import-read',
  // A few blocks and at most one value of 8 million characters.
  limits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 },
  ended: ENDED,
  open: (job, { now }) => {
    const readings = readFiles(job, now(), new AbortController().signal);
    return {
      next: async () => {
        const reading = await readings.next();
        if (reading.done) return null;
        const { packed, transfer } = packReading(reading.value);
        return transferring(packed, transfer);
      },
    };
  },
};

/**
 * Runs an import in separate threads.
 *
 * @returns The figures; if the signal stopped it, those until then, which are committed.
 * @throws {@link ImportError} like `importFiles`.
 */
export async function startImport(
  host: TaskHost,
  job: ImportJob,
  {
    signal,
    onProgress,
    onRequests,
  }: {
    signal?: AbortSignal;
    onProgress?: (progress: ImportProgress) => void;
    /** As of `importFiles`. If it throws, the import stops and rejects with that error. */
    onRequests?: (requests: readonly ImportedRequest[]) => void;
  } = {},
): Promise<ImportSummary> {
  const failed = new AbortController();
  const stop = AbortSignal.any(signal ? [signal, failed.signal] : [failed.signal]);
  const store = (requests: readonly ImportedRequest[]): void => {
    try {
      onRequests?.(requests);
    } catch (error) {
      failed.abort(error);
    }
  };
  const outcome = await inThread(host, IMPORT_WRITER, null, ({ write }) =>
    write(job, stop, (progress) => onProgress?.(progress), store),
  ).catch((cause: Error): ImportFault => {
    const { name, message } = cause;
    return { kind: name, message, summary: null, cause };
  });
  failed.signal.throwIfAborted();
  if (!('kind' in outcome)) return outcome;
  const { kind, message, summary, cause } = outcome;
  throw new ImportError(kind, message, summary, { cause });
}

/** The readings of another thread, in order; at most {@link MAX_BLOCKS} wait. */
export async function* readElsewhere(
  host: TaskHost,
  job: ImportJob,
  signal: AbortSignal,
): AsyncGenerator<ReadBatch> {
  const { methods, terminate } = thread(host, IMPORT_READER, job);
  const requested: Promise<PackedReading | null>[] = [];
  const request = (): void => {
    const reading = methods.next();
    // An earlier one rejects too, and is awaited first.
    reading.catch(() => undefined);
    requested.push(reading);
  };
  const stop = (): void => void terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (let block = 0; block < MAX_BLOCKS; block++) request();
    for (;;) {
      const reading = await requested.shift();
      if (!reading) return;
      request();
      yield unpackReading(reading);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await terminate();
  }
}
