// What the service's entry does in an import's worker, for the tests that start one.
import { parentPort, workerData } from 'node:worker_threads';
import { runImportWorker } from '#server/import/worker.ts';

void runImportWorker(workerData, parentPort);
