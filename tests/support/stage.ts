import { rmSync } from 'node:fs';
import type { Browser } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import { startPaidService, type PaidService } from './paid-service.ts';
import { serve } from './command.ts';
import { giveCorpus, giveSample } from './made-data.ts';
import { temporaryFolder, type RunningService } from './process.ts';
import { giveTinySample } from './service.ts';

/** What the journeys of one block share. */
export interface Stage<Service> {
  readonly browser: Browser;
  readonly service: Service;
}

/** Starts a browser and a service before the tests of a block, and ends them after. */
function staged<Service extends { readonly url: string; readonly cookie: string }>(
  start: () => Promise<Service>,
  end: (service: Service) => Promise<unknown>,
): Stage<Service> {
  let browser: Browser | undefined;
  let service: Service | undefined;
  const within = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('expected to be asked within a test of its block');
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
  /** The folder that it reads and writes. */
  readonly data: string;
}

/**
 * A service on a data folder that goes when the tests are over.
 *
 * @param fill - Puts Posts there before it starts; the sample unless given.
 */
export function ownStage(fill: (data: string) => Promise<void> = giveSample): Stage<OwnService> {
  const folder = temporaryFolder();
  return staged(
    async () => {
      await fill(folder);
      return { ...(await serve(folder)), data: folder };
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

/** A service with a platform that is paid for. */
export const paidStage = (): Stage<PaidService> =>
  staged(startPaidService, (service) => service.close());
