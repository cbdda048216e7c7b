import type { Every } from './timer.ts';
import type { ThreadDeps } from './thread-task.ts';

/** The parts of the process and of the machine that a service uses; each of its own parts picks what it needs. */
export interface Machine extends ThreadDeps {
  readonly every: Every;
  /** Waits; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Logs a line, which never contains a token or a part of one. */
  readonly log: (line: string) => void;
}
