import { platformAddress, platformToken, TOKEN_VARIABLE } from '#server/platform/access.ts';
import {
  openConnection,
  type Connection,
  type ConnectionDeps,
} from '#server/platform/connection.ts';
import { openPlatform } from '#server/platform/store.ts';
import { storedToken } from '#server/platform/stored-token.ts';
import type { CommandDeps } from './command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { CommandError } from '#server/command-error.ts';

/** The platform's address, and the token if the environment has one. */
type Access = Pick<ConnectionDeps, 'address' | 'token'>;

/** @throws {@link CommandError} if the environment's address or token is none. */
export function accessOf({ platform: { token, url } }: Pick<CommandDeps, 'platform'>): Access {
  try {
    return { address: platformAddress(url), token: platformToken(token, TOKEN_VARIABLE) };
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(error.message);
    throw error;
  }
}

/** Opens the connection of a data folder that this process has locked. */
export function connectionOf(
  deps: CommandDeps,
  folder: DataFolder,
  access: Access,
  log: (line: string) => void,
): Connection {
  return openConnection({
    ...deps,
    ...deps.platform,
    ...access,
    stored: storedToken({ token: folder.platformToken, key: folder.platformKey }, deps.random),
    openStore: () => openPlatform(folder.platform),
    log,
  });
}
