import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { SAMPLE } from '#server/cli/sample-worker.ts';
import { FEED } from '#server/catalog/feed/feed-thread.ts';
import { MATCHER } from '#server/streams/rules/matcher-thread.ts';
import { ANALYST } from '#server/api/breakdown/analyst-thread.ts';
import { FINDER } from '#server/api/news/finder-thread.ts';
import { EDITOR } from '#server/posts/editor/editor-thread.ts';
import { IMPORT_READER, IMPORT_WRITER } from '#server/import/worker.ts';
import { COMPACTION } from '#server/maintenance/compact-thread.ts';
import { answerCalls, type ThreadData } from '#server/threads.ts';
import type { Timer } from '#server/timer.ts';

const TASKS = [
  ANALYST,
  COMPACTION,
  EDITOR,
  FEED,
  FINDER,
  IMPORT_READER,
  IMPORT_WRITER,
  MATCHER,
  SAMPLE,
];

/** Runs the task of a thread of this process. */
export function runThread(data: ThreadData, port: MessagePort, timer: Timer): void {
  answerCalls(TASKS, data, port, {
    random: (n) => randomBytes(n),
    now: Date.now,
    elapsed: () => performance.now(),
    timer,
  });
}
