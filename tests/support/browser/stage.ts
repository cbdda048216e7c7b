import { rmSync } from 'node:fs';
import type { Browser } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import { startPaidService, type PaidService } from '#tests/support/service/paid-service.ts';
import { serve, type ServeOptions } from '#tests/support/service/command.ts';
import { giveCorpus, giveSample } from '#tests/support/run/made-data.ts';
import { temporaryFolder, type RunningService } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { threadEntry } from '#tests/support/service/threads.ts';

/** Browser and service that the tests of one block share. */
export interface Stage<Service> {
  readonly browser: Browser;
  readonly service: Service;
}

/** Starts a browser and a service before the tests of a block, and stops them afterwards. */
function staged<Service extends { readonly url: string; readonly cookie: string }>(
  start: () => Promise<Service>,
  end: (service: Service) => Promise<unknown>,
): Stage<Service> {
  let browser: Browser | undefined;
  let service: Service | undefined;
  const within = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('expected a use within a test of the block');
    return one;
  };
  beforeAll(async () => {
    service = await start();
    browser = await openBrowser(service);
  });
  afterAll(async () => {
    await browser?.close();
    if (service !== undefined) await end(service);
  });
  return {
    get browser() {
      return within(browser);
    },
    get service() {
      return within(service);
    },
  };
}

/** `groundswell serve` in this process. */
export interface OwnService extends RunningService {
  /** The data folder. */
  readonly data: string;
}

/**
 * A service on a temporary data folder.
 *
 * @param fill - Puts Posts there before the service starts; by default the sample.
 */
export function ownStage(
  fill: (data: string) => Promise<void> = giveSample,
  options: ServeOptions = {},
): Stage<OwnService> {
  const folder = temporaryFolder();
  return staged(
    async () => {
      await fill(folder);
      return { ...(await serve(folder, { host: threadEntry(), ...options })), data: folder };
    },
    async (service) => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  );
}

/**
 * A service on a corpus of real posts.
 *
 * @param data - The folder of real posts.
 */
export function corpusStage(data: string | null): Stage<OwnService> {
  return ownStage(async (folder) => {
    await giveCorpus(folder, data ?? '', 'ira-');
    giveTinySample(folder);
  });
}

/** A service with a paid platform. */
export const paidStage = (): Stage<PaidService> =>
  staged(startPaidService, (service) => service.close());
