import type { ControlEvent } from '#contract/control/control.ts';
import { openAddress } from './browser.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import type { ListenOptions, NetworkOptions } from './listeners.ts';

/** The answer to `groundswell link` where people sign in by name and password. */
export function noLink([address]: readonly string[]): ControlEvent {
  const message = `Other machines reach this service, so people sign in at ${address} with a name and a password. Add someone with: groundswell login add NAME`;
  return { type: 'fault', message, summary: null };
}

/** The addresses at which people of other machines open the service, which listens on a port. */
export function addressesOf({ names, proxies }: NetworkOptions, port: number): string[] {
  return names.map((name) => `https://${name}${proxies || port === 443 ? '' : `:${port}`}`);
}

/** Prints where the service is, and how someone signs in. */
export function greetNetwork(
  { out }: CommandDeps,
  folder: DataFolder,
  addresses: readonly string[],
  { proxied, port, logins }: { proxied: boolean; port: number; logins: number },
): void {
  const way = proxied ? ` through its reverse proxy, on port ${port}` : '';
  out(`Groundswell is at ${addresses.join(', ')}${way} (data in ${folder.path})\n`);
  if (logins > 0) return;
  out('Nobody can sign in yet. Add yourself: groundswell login add NAME --role administrator\n');
}

/** The options of `groundswell serve`. */
export interface ServeOrder {
  readonly data: string;
  readonly port: number;
  readonly open: boolean;
  readonly allowPrivate: boolean;
  readonly logSize: number;
  /** The form of the service's reports: in words, or as lines of JSON with its requests. */
  readonly log: 'text' | 'json';
  readonly listen: ListenOptions;
}

/** Prints where the service is, and the address that signs a browser in, which it opens if the order says so. */
export function greetMachine(
  deps: CommandDeps,
  folder: DataFolder,
  { log, open }: Pick<ServeOrder, 'log' | 'open'>,
  origin: string,
  address: string,
): void {
  // A log is no place for an address that signs a browser in.
  const isLog = log === 'json';
  deps.out(`Groundswell is at ${isLog ? origin : address} (data in ${folder.path})\n`);
  deps.out(
    isLog
      ? 'To sign in a browser, run: groundswell link\n'
      : `This address signs in one browser, once, within an hour. After that, open ${origin}. To sign in another browser, run: groundswell link\n`,
  );
  if (open) openAddress(folder, address, deps.open);
}
