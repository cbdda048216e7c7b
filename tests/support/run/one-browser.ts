import { chromium as playwright } from 'playwright';
import type { TestProject } from 'vitest/node';
import { chromium } from './chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** WebSocket address of the Chromium that all browser tests share. */
    chromium: string;
  }
}

/**
 * Starts one Chromium for all browser tests; each test opens its own contexts there.
 *
 * @returns The teardown.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await playwright.launchServer(await chromium());
  project.provide('chromium', server.wsEndpoint());
  return () => server.close();
}
