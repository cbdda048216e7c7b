import { Fault } from '#contract/fault.ts';
import type { ServeNote } from '#contract/control/control.ts';
import type { PlatformOrder, PlatformResult } from '#contract/control/platform-orders.ts';
import { relayPages, type PlatformPages } from '#server/counting/platform-pages.ts';
import type { CommandDeps } from './command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { accessOf, connectionOf } from './platform-access.ts';
import { CommandError } from '#server/command-error.ts';
import { delegate } from '#server/cli/perform/delegate.ts';
import { hereOrThere } from '#server/cli/perform/here-or-there.ts';

/** The time that requests to the platform may take after an interruption: they are billed even if they are cut off. */
const FINISH_MS = 15_000;

export const UNCONNECTED =
  'The platform is not connected: enter its bearer token in the settings of the dashboard, or set GROUNDSWELL_PLATFORM_TOKEN.';

type Answered<W extends PlatformResult['what']> = Extract<PlatformResult, { what: W }>;

/** Asks the running service. @returns Null if none answers to the note. */
async function asked<W extends PlatformOrder['what']>(
  deps: CommandDeps,
  note: ServeNote,
  order: Extract<PlatformOrder, { what: W }>,
): Promise<Answered<W> | null> {
  let result: PlatformResult | null = null;
  const there = await delegate(deps, note, { kind: 'platform', order }, (event) => {
    if (event.type === 'fault') throw new CommandError(event.message);
    if (event.type === 'platform') ({ result } = event);
  });
  if (!there) return null;
  // Set by the callback, which the compiler does not see.
  const given = result as PlatformResult | null;
  if (given?.what === 'unconnected') throw new CommandError(UNCONNECTED);
  if (given?.what === 'refused') throw new Fault(given.status, given.body, given.headers);
  if (given?.what === order.what) return given as Answered<W>;
  throw new CommandError('The running service is of another version: restart it.');
}

/** The platform through a running service, which keeps the budget and the vault. */
function servicePages(deps: CommandDeps, note: ServeNote): PlatformPages {
  const ask = async <W extends PlatformOrder['what']>(
    order: Extract<PlatformOrder, { what: W }>,
  ): Promise<Answered<W>> => {
    const answer = await asked(deps, note, order);
    if (answer) return answer;
    throw new CommandError('The running service ended. Run the command again.');
  };
  return {
    settings: async () => (await ask<'settings'>({ what: 'settings' })).answer,
    held: async (query, granularity) => {
      const { pages } = await ask<'held'>({ what: 'held', query, granularity });
      return pages.map(({ endpoint, start, end, at }) => ({
        endpoint,
        start: Date.parse(start),
        end: Date.parse(end),
        at: Date.parse(at),
      }));
    },
    page: async (request) => {
      const { page } = await ask<'page'>({ what: 'page', ...request });
      return page && { ...page, body: Buffer.from(page.body) };
    },
  };
}

/**
 * Works with the platform as the data folder is connected to it: in this process, or through the service that is
 * running on the folder. Either way one process keeps the budget and the vault.
 *
 * @param work - Its argument is null where no token connects the platform.
 * @throws {@link CommandError} if another command is using the folder, the service ends meanwhile, or the
 *   environment's address is none; {@link StoreError} if the file of the platform cannot be used.
 */
export async function withPlatform<T>(
  deps: CommandDeps,
  folder: DataFolder,
  work: (pages: PlatformPages | null) => Promise<T>,
): Promise<T> {
  const access = accessOf(deps);
  let done: { readonly value: T } | null = null;
  await hereOrThere(
    deps,
    folder,
    async () => {
      const log = (line: string): void => deps.err(`${line}\n`);
      const connection = connectionOf(deps, folder, access, log);
      try {
        done = { value: await work(connection.relay && relayPages(connection.relay)) };
      } finally {
        await connection.close(FINISH_MS);
        connection.closeStore();
      }
    },
    async (note) => {
      const connected = await asked(deps, note, { what: 'settings' }).catch((error: unknown) => {
        if (error instanceof CommandError && error.message === UNCONNECTED) return 'not' as const;
        throw error;
      });
      if (connected === null) return false;
      done = { value: await work(connected === 'not' ? null : servicePages(deps, note)) };
      return true;
    },
  );
  const given = done as { readonly value: T } | null;
  if (given) return given.value;
  throw new RangeError('expected work that was done here or there');
}
