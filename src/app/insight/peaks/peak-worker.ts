import { expose } from 'comlink';
import { searchHours } from '#core/series/peaks.ts';

const api = { searchHours: (...of: Parameters<typeof searchHours>) => searchHours(...of) };

export type PeakWorker = typeof api;

expose(api);
