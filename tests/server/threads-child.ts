import { parentPort, workerData } from 'node:worker_threads';
import { TASK } from './threads-task.ts';
import { answerCalls } from '#server/answer-calls.ts';
import type { ThreadData } from '#server/thread-task.ts';

answerCalls(TASK, workerData as ThreadData, parentPort!, {
  random: (n) => new Uint8Array(n),
  now: () => 0,
  elapsed: () => 0,
  timer: () => () => {},
});
