import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls, type ThreadData } from '#server/threads.ts';
import { TASK } from './threads-task.ts';

answerCalls(TASK, workerData as ThreadData, parentPort!, {
  random: (n) => new Uint8Array(n),
  now: () => 0,
  elapsed: () => 0,
  timer: () => () => {},
});
