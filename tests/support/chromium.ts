import { existsSync } from 'node:fs';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

/**
 * How to start a Chromium: `CHROME_PATH`, else an installed one, else the one that npm brings for Linux x64.
 *
 * @returns Launch options for Playwright.
 * @throws {Error} where there is none; the message says what to install.
 */
export async function chromium(): Promise<{ executablePath: string; args: string[] }> {
  const quiet = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-gpu',
  ];
  const named = process.env['CHROME_PATH'];
  if (named && !existsSync(named))
    throw new Error(`CHROME_PATH names ${named}, which does not exist.`);
  const installed = named ?? INSTALLED.find((path) => existsSync(path));
  if (installed) return { executablePath: installed, args: quiet };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'Browser tests need Chrome or Chromium: install one, or name it in CHROME_PATH.',
    );
  }
  // Makes the package unpack the libraries that a bare Linux lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  // Its own arguments are for a cloud function (one process, no web security): a browser as users have it does without.
  return { executablePath: await packaged.executablePath(), args: quiet };
}
