import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

const POLL_MS = 100;

/** Does work that only one process of a test run may do at a time. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const run = process.env['GROUNDSWELL_TEST_RUN'];
  if (run === undefined) return await work();
  const lock = join(run, 'chromium.lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await wait(POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    rmdirSync(lock);
  }
}

/**
 * Names the folder of the package's fonts in their settings: the package itself names `/tmp/fonts`, wherever it unpacks them,
 * and without a font Chromium hides texts and crashes.
 */
function placeFonts(): void {
  const folder = join(tmpdir(), 'fonts');
  const file = join(folder, 'fonts.conf');
  const settings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>
`;
  if (readFileSync(file, 'utf8') !== settings) writeFileSync(file, settings);
}

/** The npm package's Chromium; null where it does not run. */
async function bundled(): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  // Makes the package unpack the libraries that a minimal Linux lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  // The package's own arguments suit a cloud function (one process, no web security), not a user's browser.
  // It unpacks itself on first use; without the lock, another process could start a half-unpacked one.
  return await alone(async () => {
    const path = await packaged.executablePath();
    placeFonts();
    return path;
  });
}

/**
 * Finds a Chromium: `CHROME_PATH`, else the npm package's, so that results are the same everywhere; where that does not
 * run, an installed one.
 *
 * @returns Launch options for Playwright.
 * @throws {Error} if there is none; the message says what to install.
 */
export async function chromium(): Promise<{ executablePath: string; args: string[] }> {
  const named = process.env['CHROME_PATH'];
  if (named && !existsSync(named))
    throw new Error(`CHROME_PATH names ${named}, which does not exist.`);
  const executablePath = named || (await bundled()) || INSTALLED.find((path) => existsSync(path));
  if (!executablePath) {
    throw new Error(
      'Browser tests need Chrome or Chromium: install one, or name it in CHROME_PATH.',
    );
  }
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-gpu',
  ];
  return { executablePath, args };
}
