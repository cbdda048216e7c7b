import { handlesText } from '#server/users/handles.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Defer } from '#server/closings.ts';
import { accountInfo } from '#server/users/accounts.ts';
import { approveRest } from '#server/users/follow-requests.ts';
import { ANYWHERE, PUBLIC_ONLY } from '#server/fetcher/target.ts';
import type { Every } from '#server/timer.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { logOf, type CommandDeps } from './command-deps.ts';
import { mailOf } from './mail-server.ts';
import { openParts } from '#server/parts/parts.ts';
import { feedsInThreads } from '#server/jobs/folder-catalogs.ts';
import type { openStores, PartsDeps } from '#server/parts/parts-deps.ts';
import type { ServeOrder } from './serve-greeting.ts';

const machineEvery: Every = (ms, task) => {
  const timer = setInterval(task, ms);
  return () => clearInterval(timer);
};

/** Opens the parts of a service, and what they send to other machines with. */
export async function openServing(
  deps: CommandDeps,
  folder: DataFolder,
  { allowPrivate, logSize, listen }: ServeOrder,
  {
    service,
    ads,
    ...given
  }: ReturnType<typeof openStores> & Pick<PartsDeps, 'cluster' | 'relay' | 'site'>,
  defer: Defer,
) {
  // Its HTTP client takes a while to load, and other commands do not need it.
  const { openFetcher } = await import('#server/fetcher/fetcher.ts');
  const { publicNames, localNames, timer } = deps.outgoing;
  const fetcher = openFetcher({
    ...deps.platform,
    resolve: allowPrivate ? localNames : publicNames,
    rules: allowPrivate ? ANYWHERE : PUBLIC_ONLY,
  });
  defer(() => fetcher.close());
  const mail = await mailOf(deps, defer);
  const log = logOf(deps);
  const parts = openParts(
    folder,
    {
      ...deps,
      ...given,
      service,
      ads,
      timer,
      every: machineEvery,
      log,
      fetcher,
      sleep: deps.platform.sleep,
      mail,
      work: () => feedsInThreads(deps, folder, allowPrivate),
      logSize,
      isNetwork: listen.network !== null,
    },
    defer,
  );
  const relations = given.cluster ? null : parts.source('posts')?.posts.relations;
  if (relations) {
    const accounts = service.accounts().map(accountInfo);
    await approveRest({ accounts, editor: parts.editor }, relations).catch((error: unknown) =>
      log(errorMessage(error)),
    );
  }
  // An order that was killed between the files, or a file from a backup.
  await parts.editor
    .write({ what: 'noteHandles', of: [handlesText(service)] })
    .catch((error: unknown) => log(errorMessage(error)));
  return parts;
}
