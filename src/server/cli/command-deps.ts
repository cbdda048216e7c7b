/** What the relay needs of the process. */
export interface PlatformDeps {
  /** Bearer token and base address as the environment has them. */
  readonly token: string | undefined;
  readonly url: string | undefined;
  readonly fetch: typeof fetch;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A signal that aborts after so many ms. */
  readonly timeout: (ms: number) => AbortSignal;
  /** How the program names itself. */
  readonly agent: string;
}

/** What the commands need of the process. */
export interface CommandDeps {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether the error output is a terminal. */
  readonly interactive: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** A clock that never goes back, ms. */
  readonly elapsed: () => number;
  readonly random: (n: number) => Uint8Array;
  /** About how many Posts a sample gets; its own number unless given. */
  readonly samplePosts?: number;
  /** Opens a file by the program that the system has for it. */
  readonly open: (file: string) => void;
  /** The program's module, which worker threads are started from. */
  readonly entry: URL;
  /** Folder of the built dashboard. */
  readonly assets: string;
  readonly platform: PlatformDeps;
  /** Aborted when the process is asked to end. */
  readonly stopping: AbortSignal;
}
