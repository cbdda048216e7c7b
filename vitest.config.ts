import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromium } from './tests/support/run/chromium.ts';
import { long } from './tests/support/run/long.ts';
import { LongestFirst } from './tests/support/run/order.ts';

// Tests that name no zone run in this one.
process.env['TZ'] ??= 'UTC';
const plugins = [svelte({ configFile: false })];
const launchOptions = await chromium();

/** Nothing waits for the clock, and a busy machine is no failure: these only end what hangs. */
const LIMITS = {
  expect: { poll: { timeout: 60_000 } },
  testTimeout: long() ? 3_600_000 : 300_000,
  hookTimeout: long() ? 3_600_000 : 600_000,
};

/** Tests of what knows no file, no process and no network. */
const PURE = ['tests/{core,contract,app,server/index,server/readers}/**/*.test.ts'];

/** Runs on a current ClickHouse, which is no dependency. */
const CHDB = ['tests/server/cluster/current-engine.test.ts'];
const hasChdb = long() || process.env['GROUNDSWELL_TEST_CHDB'] !== undefined;

/** Files that only `npm run test:long` runs. */
const LONG = long() ? [] : ['**/*.long.test.ts'];

/** The folder that the runs of `npm test` share. */
const CACHE = process.env['GROUNDSWELL_TEST_CACHE'];

/** Languages of `app/board/range/date-finder.ts`. */
const DATE_LANGUAGES = ['de', 'en', 'es', 'fi', 'fr', 'it', 'ja', 'nl', 'pt', 'ru', 'sv', 'uk'];

/**
 * Seven kinds of test, each under its own name (`npx vitest run --project unit`):
 * pure, zone, unit, crash and flow run in Node, zone in another time zone, crash with processes that are killed, flow with real services and commands; page runs the app's own modules in a real Chromium; browser drives the whole app.
 */
export default defineConfig({
  test: {
    tags: [{ name: 'long', description: 'Left out of `npm test`; `npm run test:long` runs it.' }],
    sequence: { sequencer: LongestFirst },
    // Vitest's runs share transformed modules, by their content: that saves 21 of the 40 s of CPU that the files of
    // `flow` take to import, and in later runs 11 of the 30 s of `pure`.
    experimental: CACHE ? { fsModuleCache: true, fsModuleCachePath: join(CACHE, 'modules') } : {},
    // A page is to come up on a busy machine too. Vitest reads this only here, whatever the project.
    browser: { connectTimeout: 600_000 },
    coverage: {
      provider: 'v8',
      include: ['src/core/**/*.ts', 'src/server/**/*.ts', 'src/app/counts/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
    },
    projects: [
      {
        plugins,
        test: {
          name: 'pure',
          include: PURE,
          exclude: ['**/*.page.test.ts', ...LONG],
          setupFiles: ['tests/support/run/runs.ts'],
          // Modules without state: read once for all files of a worker.
          pool: 'threads',
          isolate: false,
          ...LIMITS,
        },
      },
      {
        plugins,
        test: {
          name: 'zone',
          include: ['tests/core/time/zone.test.ts'],
          env: { TZ: 'America/Los_Angeles' },
          setupFiles: ['tests/support/run/runs.ts'],
          // A thread cannot change the zone.
          pool: 'forks',
          ...LIMITS,
        },
      },
      {
        plugins,
        test: {
          name: 'unit',
          include: ['tests/{server,support,bench,conformance}/**/*.test.ts'],
          exclude: [...PURE, 'tests/server/{cli,crash}/**', ...(hasChdb ? [] : CHDB), ...LONG],
          globalSetup: ['tests/support/run/run-folder.ts', 'tests/support/run/programs.ts'],
          setupFiles: ['tests/support/run/runs.ts'],
          isolate: false,
          ...LIMITS,
        },
      },
      {
        plugins,
        test: {
          name: 'crash',
          include: ['tests/server/crash/**/*.test.ts'],
          exclude: LONG,
          globalSetup: ['tests/support/run/run-folder.ts', 'tests/support/run/programs.ts'],
          // A disk, where all else may lie in memory.
          env: { TMPDIR: process.env['GROUNDSWELL_TEST_DISK'] ?? tmpdir() },
          ...LIMITS,
        },
      },
      {
        plugins,
        test: {
          name: 'flow',
          include: ['tests/{flow,clients,server/cli}/**/*.test.ts'],
          exclude: LONG,
          setupFiles: ['tests/support/run/runs.ts'],
          globalSetup: [
            'tests/support/run/run-folder.ts',
            'tests/support/run/build.ts',
            'tests/support/run/programs.ts',
          ],
          isolate: false,
          // Built for Node, which reads it faster than Vitest transforms it.
          server: { deps: { external: [/\/dist\/report\//] } },
          ...LIMITS,
        },
      },
      {
        plugins,
        // All known before the tests start: a dependency found later is bundled apart, with a second copy of its modules.
        optimizeDeps: {
          include: [
            '@codemirror/autocomplete',
            '@codemirror/commands',
            '@codemirror/lint',
            '@codemirror/state',
            '@codemirror/view',
            '@date-fns/tz/tzOffset',
            '@date-fns/utc/date/mini',
            '@internationalized/date',
            'axe-core',
            'bits-ui',
            ...DATE_LANGUAGES.map((language) => `chrono-node/${language}`),
            'comlink',
            'date-fns/addDays',
            'date-fns/addMonths',
            'date-fns/addQuarters',
            'date-fns/addWeeks',
            'date-fns/addYears',
            'date-fns/differenceInCalendarDays',
            'date-fns/differenceInCalendarMonths',
            'date-fns/startOfDay',
            'date-fns/startOfMonth',
            'date-fns/startOfQuarter',
            'date-fns/startOfYear',
            'dexie',
            'echarts/charts',
            'echarts/components',
            'echarts/core',
            'echarts/lib/chart/bar',
            'echarts/lib/chart/line',
            'echarts/lib/component/gridSimple',
            'echarts/renderers',
            'fast-check',
            'fflate',
            'file-type/core',
            'hucre/xlsx',
            'papaparse',
            'saxes',
            'valibot',
          ],
        },
        test: {
          name: 'page',
          include: ['tests/**/*.page.test.ts'],
          setupFiles: ['tests/support/run/no-databases.ts'],
          // One page for all files: loading the app for each took two thirds of the time.
          isolate: false,
          ...LIMITS,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        plugins,
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          exclude: LONG,
          globalSetup: [
            'tests/support/run/run-folder.ts',
            'tests/support/run/build.ts',
            'tests/support/run/programs.ts',
            'tests/support/run/one-browser.ts',
          ],
          isolate: false,
          ...LIMITS,
        },
      },
    ],
  },
});
