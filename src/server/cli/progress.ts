import type { CommandDeps } from './command-deps.ts';

/** Where nobody watches, a line of progress comes so often. */
const QUIET_LINE_MS = 5000;

/** One line of the error output, rewritten where somebody watches. */
export interface ProgressLine {
  show(text: string): void;
  /** Ends it, so that other lines can follow. */
  clear(): void;
}

export function progressLine(deps: Pick<CommandDeps, 'err' | 'interactive' | 'now'>): ProgressLine {
  let shown = false;
  let saidAt = deps.now();
  const clear = (): void => {
    if (shown) deps.err('\r\u001b[K');
    shown = false;
  };
  return {
    show: (text) => {
      if (deps.interactive) {
        clear();
        deps.err(text);
        shown = true;
      } else if (deps.now() - saidAt >= QUIET_LINE_MS) {
        saidAt = deps.now();
        deps.err(`${text}\n`);
      }
    },
    clear,
  };
}

/** A time that is left, in words. */
export function lasting(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 90 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

/** A number with its thousands apart. */
export function grouped(n: number): string {
  return n.toLocaleString('en-US');
}

/** How much of a number of Posts is done, and how long the rest takes at that pace. */
export function postsLine(what: string, done: number, total: number, seconds: number): string {
  const part = total === 0 ? 100 : Math.floor((100 * done) / total);
  const left =
    done === 0 || done >= total ? '' : `, ${lasting((seconds * (total - done)) / done)} left`;
  return `${what}: ${part} %, ${grouped(done)} of ${grouped(total)} Posts${left}`;
}
