import * as v from 'valibot';
import { LIVE, LIVE_SILENCE_MS, LiveLine } from '#contract/counts/live.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { Tabs } from './tabs.ts';

/** A message to the other tabs: a line; `pulse`: the stream is there; `ask`: a tab needs to know where the sources are. */
export type LiveMessage = { readonly line: LiveLine } | 'pulse' | 'ask';

export interface LiveStreamDeps {
  /** `fetch` as the login of the page. */
  readonly send: (path: string, init: RequestInit) => Promise<Response>;
  /** Renews the session. */
  readonly signIn: (signal: AbortSignal) => Promise<void>;
  readonly tabs: Tabs<LiveMessage>;
  /** Holds a place that one tab of the browser has at a time, until the work ends. */
  readonly alone: (signal: AbortSignal, work: () => Promise<void>) => Promise<void>;
  /** Epoch ms; only differences count. */
  readonly now: () => number;
  /** Resolves after some ms, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In `[0, 1)`. */
  readonly random: () => number;
}

/** After this time without a word, a stream is lost, whatever the connection says. */
const LOST_MS = 2 * LIVE_SILENCE_MS + 5 * SECOND_MS;
/** The waits before the first and the last tries to connect again. */
const RETRY_MS = { first: SECOND_MS / 2, last: 30 * SECOND_MS } as const;

const Line = v.pipe(v.string(), v.parseJson(), LiveLine);

/**
 * The service's stream of changes, for all tabs of this browser: the tab that has the place reads it, and tells the others. A
 * lost connection is opened again, after longer and longer waits; its first lines then show what was missed.
 */
export class LiveStream {
  readonly #deps: LiveStreamDeps;
  readonly #onLine: (line: LiveLine) => void;
  /** The last line about each source, while the stream is there. */
  readonly #last = new Map<string, LiveLine>();
  /** The time of the last sign of the stream, this tab's or another's. */
  #heard = -Infinity;
  #stop: (() => void) | null = null;

  constructor(deps: LiveStreamDeps, onLine: (line: LiveLine) => void) {
    this.#deps = deps;
    this.#onLine = onLine;
  }

  /** True if changes of a source arrive without asking. */
  follows(source: string): boolean {
    return this.#last.has(source) && this.#deps.now() - this.#heard < LOST_MS;
  }

  /** Listens from now on, or no longer: a page that nobody sees leaves the stream to others. */
  listen(isWanted: boolean): void {
    if (isWanted === (this.#stop !== null)) return;
    if (!isWanted) {
      this.#stop?.();
      this.#stop = null;
      this.#last.clear();
      return;
    }
    const { tabs, alone } = this.#deps;
    const ending = new AbortController();
    const { signal } = ending;
    let isReader = false;
    const unhear = tabs.listen((message) => {
      if (message === 'ask') {
        if (isReader) for (const line of this.#last.values()) tabs.send({ line: unsure(line) });
      } else if (!isReader) this.#hear(message);
    });
    tabs.send('ask');
    alone(signal, async () => {
      isReader = true;
      await this.#read(signal);
    }).catch(() => undefined);
    this.#stop = () => {
      unhear();
      ending.abort();
    };
  }

  #hear(message: LiveMessage): void {
    this.#heard = this.#deps.now();
    if (typeof message === 'string') return;
    const { line } = message;
    this.#last.set(line.source, line);
    this.#onLine(line);
  }

  /** Reads the stream, again and again until the signal is aborted. */
  async #read(signal: AbortSignal): Promise<void> {
    const { sleep, random } = this.#deps;
    let wait: number = RETRY_MS.first;
    while (!signal.aborted) {
      const began = this.#deps.now();
      await this.#readOnce(signal).catch(() => undefined);
      if (signal.aborted) return;
      this.#last.clear();
      if (this.#deps.now() - began > LIVE_SILENCE_MS) wait = RETRY_MS.first;
      await sleep(wait * (0.5 + random()), signal);
      wait = Math.min(RETRY_MS.last, 2 * wait);
    }
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const { send, signIn, tabs, sleep } = this.#deps;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      const { path } = LIVE.changes;
      const init = { signal: ending.signal, credentials: 'same-origin' } as const;
      let answer = await send(path, init);
      if (answer.status === 401) {
        await signIn(signal);
        answer = await send(path, init);
      }
      if (!answer.ok || !answer.body) return await answer.body?.cancel();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const quiet = new AbortController();
        void sleep(LOST_MS, quiet.signal).then(() => quiet.signal.aborted || end());
        const { done, value = '' } = await reader.read().finally(() => quiet.abort());
        if (done) return;
        const lines = (rest + value).split('\r\n');
        rest = lines.pop() ?? '';
        for (const text of lines) {
          const message = text === '' ? 'pulse' : { line: v.parse(Line, text) };
          tabs.send(message);
          this.#hear(message);
        }
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
}

/** A line for a tab that may have missed those before. */
const unsure = (line: LiveLine): LiveLine => ({ ...line, spans: null });
