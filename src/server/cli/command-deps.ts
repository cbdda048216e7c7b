import type { ClusterAddress } from '#server/cluster/address.ts';
import type { Machine } from '#server/machine.ts';
import type { SendingDeps } from '#server/platform/sending.ts';
import type { Timer } from '#server/timer.ts';

/** The relay's dependencies on the process. */
interface PlatformDeps extends Pick<Machine, 'sleep'>, Omit<SendingDeps, 'access'> {
  /** Bearer token and base URL from the environment. */
  readonly token: string | undefined;
  readonly url: string | undefined;
}

/** The parts of the process that webhooks need. */
export interface OutgoingDeps {
  /** All IP addresses of a host name, by the name servers of this machine. */
  readonly publicNames: (name: string) => Promise<readonly string[]>;
  /** The same as other programs of this machine resolve it, also `localhost`. */
  readonly localNames: (name: string) => Promise<readonly string[]>;
  readonly timer: Timer;
}

/** The commands' dependencies on the process. */
export interface CommandDeps extends Pick<Machine, 'now' | 'elapsed' | 'random' | 'host'> {
  /** Version of the program. */
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Reads a secret from stdin: from a terminal a line per prompt, else one line; null for one that is missing. */
  readonly readSecret: (prompts: readonly string[]) => Promise<(string | null)[]>;
  /** Calls the listener at every SIGHUP from then on. @returns Stops. */
  readonly onHangup: (listener: () => void) => () => void;
  /** True if stderr is a terminal. */
  readonly interactive: boolean;
  /** True if stdout is a terminal. */
  readonly terminal: boolean;
  /** Asks on the terminal whether to go on; null where no one can answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | null;
  /** Approximate number of Posts in a sample; the default size if absent. */
  readonly samplePosts?: number;
  /** Opens a file with the system's default program. */
  readonly open: (file: string) => void;
  /** Folder of the built dashboard. */
  readonly assets: string;
  /** Resolves when the dashboard is in its folder: a clone builds it while the service starts. */
  readonly built: Promise<unknown>;
  /** The built program of reports (`contract/counts/report.ts`). */
  readonly reporter: URL;
  /** The cluster that has Your posts instead of the data folder; absent or null if they are in it. */
  readonly clickhouse?: ClusterAddress | null;
  /** Address of the server that sends e-mails, from the environment; absent if none does. */
  readonly smtp?: string | undefined;
  readonly platform: PlatformDeps;
  readonly outgoing: OutgoingDeps;
  /** Aborts when the process receives a signal to end. */
  readonly stopping: AbortSignal;
}

/** Logs a line to stderr. */
export function logOf({ err }: Pick<CommandDeps, 'err'>): (line: string) => void {
  return (line) => err(`${line}\n`);
}
