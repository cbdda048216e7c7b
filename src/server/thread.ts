import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { Timer } from './timer.ts';
import { answerCalls } from './answer-calls.ts';
import type { Task, ThreadData } from './thread-task.ts';

/** The tasks by their names. Each is loaded alone: a thread starts in half the time without the modules of the others. */
const TASKS: Readonly<Record<string, () => Promise<Task<never, object>>>> = {
  analyst: async () => (await import('#server/api/breakdown/analyst-thread.ts')).ANALYST,
  calendars: async () => (await import('#server/calendars/reader-thread.ts')).CALENDAR_READER,
  compaction: async () => (await import('#server/maintenance/compact-thread.ts')).COMPACTION,
  console: async () => (await import('#server/ads/console-thread.ts')).CONSOLE_READER,
  editor: async () => (await import('#server/posts/editor/editor-thread.ts')).EDITOR,
  feed: async () => (await import('#server/catalog/feed/feed-thread.ts')).FEED_READER,
  figures: async () => (await import('#server/links/figures-thread.ts')).FIGURES,
  finder: async () => (await import('#server/api/news/finder-thread.ts')).FINDER,
  'import-read': async () => (await import('#server/import/worker.ts')).IMPORT_READER,
  'import-write': async () => (await import('#server/import/worker.ts')).IMPORT_WRITER,
  matcher: async () => (await import('#server/streams/rules/matcher-thread.ts')).MATCHER,
  sample: async () => (await import('#server/jobs/sample-worker.ts')).SAMPLE_MAKER,
};

/**
 * Runs the task of a thread of this process.
 *
 * @throws {@link TypeError} if there is no such task.
 */
export async function runThread(data: ThreadData, port: MessagePort, timer: Timer): Promise<void> {
  const task = await TASKS[data.task]?.();
  if (!task) throw new TypeError(`expected a task, got ${data.task}`);
  answerCalls(task, data, port, {
    random: (n) => randomBytes(n),
    now: Date.now,
    elapsed: () => performance.now(),
    timer,
  });
}
