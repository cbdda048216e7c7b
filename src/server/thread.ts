import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { isSampleWorkerData, runSampleWorker } from '#server/cli/sample-worker.ts';
import { isFeedData, runFeedThread } from '#server/catalog/feed/feed-thread.ts';
import { isMatcherData, runMatcher } from '#server/streams/rules/matcher-thread.ts';
import { isAnalystData, runAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import { isFinderData, runFinder } from '#server/api/news/finder-thread.ts';
import { isEditorData, runEditor } from '#server/posts/editor/editor-thread.ts';
import { runImportWorker } from '#server/import/worker.ts';
import { isCompactionData, runCompaction } from '#server/maintenance/compact-thread.ts';
import type { Timer } from '#server/timer.ts';

/** Runs the task of a thread of this process. */
export async function runThread(data: unknown, port: MessagePort, timer: Timer): Promise<void> {
  const deps = {
    random: (n: number) => randomBytes(n),
    now: Date.now,
    elapsed: () => performance.now(),
    timer,
  };
  if (isSampleWorkerData(data)) await runSampleWorker(data, port);
  else if (isEditorData(data)) runEditor(data, port, deps);
  else if (isMatcherData(data)) runMatcher(data, port, deps);
  else if (isAnalystData(data)) runAnalyst(data, port, deps);
  else if (isFinderData(data)) runFinder(data, port, deps);
  else if (isFeedData(data)) await runFeedThread(data, port, deps);
  else if (isCompactionData(data)) await runCompaction(data, port, deps);
  else await runImportWorker(data, port);
}
