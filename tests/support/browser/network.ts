import { run } from '#server/cli/main.ts';
import { depsOf, type CommandOptions } from '#tests/support/service/command.ts';
import { Printed } from '#tests/support/service/process.ts';
import { threadEntry } from '#tests/support/service/threads.ts';

/** A service that other machines reach, in this process. */
export interface Network {
  readonly data: string;
  readonly port: number;
  readonly printed: Printed;
  /** Sends SIGHUP. */
  hangup(): void;
  /** @returns The exit code. */
  stop(): Promise<number>;
}

/**
 * Starts `groundswell serve` for other machines on a data folder.
 *
 * @throws {Error} with its output, if it ends before it serves.
 */
export async function startNetwork(
  data: string,
  name: string,
  args: readonly string[],
): Promise<Network> {
  const stop = new AbortController();
  const printed = new Printed();
  const hangups = new Set<() => void>();
  const options: CommandOptions = {
    host: threadEntry(),
    stopping: stop.signal,
    onHangup: (listener) => {
      hangups.add(listener);
      return () => hangups.delete(listener);
    },
  };
  const print = (line: string): void => printed.add(line);
  const ended = run(['serve', '--data', data, '--port', '0', '--name', name, ...args], {
    ...depsOf(options),
    out: print,
    err: print,
  });
  const address = /Groundswell is at https:\/\/[^:\s]+(?::|.* on port )(\d+)/;
  await printed.until(address, ended);
  return {
    data,
    port: Number(address.exec(printed.text)?.[1]),
    printed,
    hangup: () => {
      for (const hangup of hangups) hangup();
    },
    stop: async () => {
      stop.abort();
      return await ended;
    },
  };
}
