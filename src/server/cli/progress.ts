import type { ControlEvent } from '#contract/control/control.ts';
import { grouped } from '#core/format/number-text.ts';
import type { CommandDeps } from './command-deps.ts';

/** Interval of progress lines if stderr is not a terminal. */
const QUIET_LINE_MS = 5000;

/** A line on stderr, rewritten in place on a terminal. */
export function progressLine(deps: Pick<CommandDeps, 'err' | 'interactive' | 'now'>) {
  let shown = false;
  let saidAt = deps.now();
  const clear = (): void => {
    if (shown) deps.err('\r\u001b[K');
    shown = false;
  };
  return {
    show: (text: string): void => {
      if (deps.interactive) {
        clear();
        deps.err(text);
        shown = true;
      } else if (deps.now() - saidAt >= QUIET_LINE_MS) {
        saidAt = deps.now();
        deps.err(`${text}\n`);
      }
    },
    /** Clears the line, so that others can follow. */
    clear,
  };
}

/** Formats a remaining time. */
export function lasting(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 90 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

/** Shorter than this, the pace so far says little of the rest, seconds. */
const PACE_SECONDS = 1;

/** Formats progress in Posts, with the remaining time at the pace so far. */
export function postsLine(what: string, done: number, total: number, seconds: number): string {
  const part = total === 0 ? 100 : Math.floor((100 * done) / total);
  const isPaceKnown = done > 0 && seconds >= PACE_SECONDS;
  const left =
    !isPaceKnown || done >= total ? '' : `, ${lasting((seconds * (total - done)) / done)} left`;
  return `${what}: ${part} %, ${grouped(done)} of ${grouped(total)} Posts${left}`;
}

/** Shows the progress of a rebuild. */
export function reindexProgress(deps: CommandDeps): (event: ControlEvent) => void {
  const line = progressLine(deps);
  let began = { source: '', at: 0 };
  return (event) => {
    if (event.type !== 'reindexing') return line.clear();
    const { source, done, total } = event;
    if (began.source !== source) began = { source, at: deps.now() };
    const what = source === 'sample' ? 'Reindexing the sample' : 'Reindexing';
    line.show(postsLine(what, done, total, (deps.now() - began.at) / 1000));
  };
}

/**
 * Shows the progress of a new sample on one line, rewritten in place on a terminal.
 *
 * @returns A listener for events; the outcome clears the line.
 */
export function sampleProgress(deps: CommandDeps): (event: ControlEvent) => void {
  let begun = false;
  return (event) => {
    if (event.type === 'making') {
      if (deps.interactive) deps.err(`\rMaking the sample: ${event.done} %`);
      else if (!begun) deps.err('Making the sample…\n');
      begun = true;
    } else if (begun && deps.interactive) deps.err('\r\u001b[K');
  };
}
