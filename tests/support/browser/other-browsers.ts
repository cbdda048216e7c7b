import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { Printed, temporaryFolder } from '#tests/support/service/process.ts';

/* Firefox and WebKit as a distribution has them, which Playwright cannot drive: Firefox by WebDriver BiDi, WebKitGTK by
 * its program WebKitWebDriver. Both take the same actions.
 */

/** Sources of input with their actions, as in the WebDriver standard. */
type Sources = readonly { readonly type: string; readonly [more: string]: unknown }[];

/** A window of such a browser. */
export interface OtherBrowser {
  open(url: string): Promise<void>;
  /** Sets the size of the page, CSS px. */
  resize(width: number, height: number): Promise<void>;
  /** Calls a function in the page. @throws {Error} if the function throws. */
  call<Args extends unknown[], Result>(
    made: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>;
  act(sources: Sources): Promise<void>;
  /** A picture of the visible page, PNG. */
  picture(): Promise<Buffer>;
  /** Errors and warnings of the console so far. */
  complaints(): readonly string[];
  /** The folder to which it downloads. */
  readonly downloads: string;
  close(): Promise<void>;
}

/** A program with a home folder of its own. */
class Program {
  readonly home = temporaryFolder();
  readonly downloads = join(this.home, 'downloads');
  readonly printed = new Printed();
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(path: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const [HOME, XDG_CONFIG_HOME] = [this.home, join(this.home, 'config')];
    for (const folder of [this.downloads, XDG_CONFIG_HOME]) mkdirSync(folder);
    const folders = 'XDG_DOWNLOAD_DIR="$HOME/downloads"\n';
    writeFileSync(join(XDG_CONFIG_HOME, 'user-dirs.dirs'), folders);
    this.#child = spawn(path, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME, XDG_CONFIG_HOME, TZ: 'UTC', ...environment },
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part: Buffer) => this.printed.add(part.toString()));
    }
  }

  /** Waits until it prints a text. @returns The first group of the pattern. */
  async until(pattern: RegExp): Promise<string> {
    await this.printed.until(pattern, this.#ended);
    return pattern.exec(this.printed.text)?.[1] ?? '';
  }

  async end(): Promise<void> {
    this.#child.kill();
    await this.#ended;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Settings of a Firefox that asks nobody and calls nobody. */
const FIREFOX = {
  'browser.download.folderList': 2,
  'browser.download.alwaysOpenPanel': false,
  'intl.accept_languages': 'en-GB',
  'layout.css.prefers-color-scheme.content-override': 1,
  'ui.prefersReducedMotion': 1,
  'app.update.disabledForTesting': true,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

interface BidiMessage {
  readonly type: 'success' | 'error' | 'event';
  readonly id: number;
  readonly result: never;
  readonly message: string;
  readonly params: { readonly level?: string; readonly text?: string };
}

/**
 * Starts Firefox.
 *
 * @param path - The program.
 */
export async function openFirefox(path: string): Promise<OtherBrowser> {
  const profile = temporaryFolder();
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const program = new Program(path, args);
  const settings = { ...FIREFOX, 'browser.download.dir': program.downloads };
  const lines = Object.entries(settings).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const address = await program.until(/WebDriver BiDi listening on (ws:\S+)/);

  const socket = new WebSocket(`${address}/session`);
  const waiting = new Map<number, (message: BidiMessage) => void>();
  const complaints: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as BidiMessage;
    const { level = '', text = '' } = message.type === 'event' ? message.params : {};
    if (['error', 'warn'].includes(level)) complaints.push(text);
    waiting.get(message.id)?.(message);
  });
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const send = async <Result>(method: string, params: object): Promise<Result> => {
    const id = waiting.size + 1;
    const { type, message, result } = await new Promise<BidiMessage>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (type === 'error') throw new Error(`${method}: ${message}`);
    return result;
  };
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send<{ contexts: { context: string }[] }>(
    'browsingContext.getTree',
    {},
  );
  const { context } = contexts[0] ?? {};
  return {
    open: async (url) =>
      void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    resize: (width, height) =>
      send('browsingContext.setViewport', { context, viewport: { width, height } }),
    call: async (made, ...args) => {
      const answer = await send<{
        result?: { value: string };
        exceptionDetails?: { text: string };
      }>('script.callFunction', {
        functionDeclaration: `async () => JSON.stringify((await (${String(made)})(...${JSON.stringify(args)})) ?? null)`,
        awaitPromise: true,
        target: { context },
      });
      if (!answer.result) throw new Error(answer.exceptionDetails?.text);
      return JSON.parse(answer.result.value);
    },
    act: (actions) => send('input.performActions', { context, actions }),
    picture: async () => {
      const { data } = await send<{ data: string }>('browsingContext.captureScreenshot', {
        context,
      });
      return Buffer.from(data, 'base64');
    },
    complaints: () => complaints,
    downloads: program.downloads,
    close: async () => {
      socket.close();
      await program.end();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The browser of libwebkit2gtk, which WebKitWebDriver starts. */
const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/**
 * Starts WebKitGTK's small browser on a screen of its own.
 *
 * @param path - WebKitWebDriver.
 */
export async function openWebKit(path: string): Promise<OtherBrowser> {
  const args = ['-displayfd', '1', '-nolisten', 'tcp', '-screen', '0', '1920x1200x24'];
  const screen = new Program('Xvfb', args);
  const DISPLAY = `:${await screen.until(/^(\d+)\n/m)}`;
  const port = await freePort();
  const program = new Program(path, [`--port=${port}`], {
    DISPLAY,
    LANG: 'C.UTF-8',
    LANGUAGE: 'en_GB',
  });
  const send = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: Result & { message?: string } };
    if (!answer.ok) throw new Error(`${path}: ${value.message}`);
    return value;
  };
  const start = async (): Promise<string> => {
    const options = {
      binary: MINI_BROWSER,
      args: ['--automation', '--enable-write-console-messages-to-stdout=true'],
    };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    for (;;) {
      try {
        return (await send<{ sessionId: string }>('POST', '', { capabilities })).sessionId;
      } catch (error) {
        // The program does not print when it listens.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  };
  const session = `/${await start()}`;
  const call: OtherBrowser['call'] = async (made, ...args) => {
    const script = `const done = arguments[0];
      (async () => (${String(made)})(...${JSON.stringify(args)}))().then(
        (value) => done({ value }),
        (error) => done({ error: String(error) }),
      );`;
    const { value, error } = await send<{ value: never; error?: string }>(
      'POST',
      `${session}/execute/async`,
      { script, args: [] },
    );
    if (error !== undefined) throw new Error(error);
    return value;
  };
  return {
    open: (url) => send('POST', `${session}/url`, { url }),
    resize: async (width, height) => {
      await send('POST', `${session}/window/rect`, { width, height });
      const [x, y] = await call(() => [innerWidth, innerHeight] as const);
      if (x !== width || y !== height) {
        const rect = { width: 2 * width - x, height: 2 * height - y };
        await send('POST', `${session}/window/rect`, rect);
      }
    },
    call,
    act: (actions) => send('POST', `${session}/actions`, { actions }),
    picture: async () => Buffer.from(await send<string>('GET', `${session}/screenshot`), 'base64'),
    complaints: () => program.printed.text.match(/^.*CONSOLE .*(?:ERROR|WARN).*$/gm) ?? [],
    downloads: program.downloads,
    close: async () => {
      await send('DELETE', session);
      await program.end();
      await screen.end();
    },
  };
}
