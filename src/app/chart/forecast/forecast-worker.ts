import { expose } from 'comlink';
import { forecastOf } from '#core/series/forecast.ts';

const api = { forecastOf: (...of: Parameters<typeof forecastOf>) => forecastOf(...of) };

export type ForecastWorker = typeof api;

expose(api);
