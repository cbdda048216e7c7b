import type { RequestReport } from '#server/http/watch.ts';
import type { CommandDeps } from './command-deps.ts';

/** Writes what a service reports as lines of JSON. */
export interface JsonLog extends Pick<CommandDeps, 'out' | 'err' | 'interactive'> {
  readonly onRequest: (report: RequestReport) => void;
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

/** @param deps - `out` receives requests and messages, `err` receives what needs attention. */
export function jsonLog({ out, err, now }: Pick<CommandDeps, 'out' | 'err' | 'now'>): JsonLog {
  const time = (): string => new Date(now()).toISOString();
  const messages = (
    level: 'info' | 'warning',
    write: (text: string) => void,
    text: string,
  ): void => {
    const message = text.trim();
    if (message !== '') write(`${JSON.stringify({ time: time(), level, message })}\n`);
  };
  return {
    out: (text) => messages('info', out, text),
    err: (text) => messages('warning', err, text),
    interactive: false,
    onRequest: ({ method, route, status, ms, bytes, id }) =>
      out(
        `${JSON.stringify({ time: time(), level: 'info', method, route, status, ms: tenths(ms), bytes, id })}\n`,
      ),
  };
}
