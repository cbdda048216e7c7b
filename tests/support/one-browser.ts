import { chromium as playwright } from 'playwright';
import type { TestProject } from 'vitest/node';
import { chromium } from './chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium of all journeys listens. */
    chromium: string;
  }
}

/**
 * Starts one Chromium for all journeys: each opens windows of its own there.
 *
 * @returns What ends it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await playwright.launchServer(await chromium());
  project.provide('chromium', server.wsEndpoint());
  return () => server.close();
}
