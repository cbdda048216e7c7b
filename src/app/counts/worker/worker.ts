import { Fault } from '#contract/fault.ts';
import { BOARDS_CHANNEL } from '#app/counts/cache/saved-boards-port.ts';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { WorkerDrawings, type SentDrawing } from './curve-transfer.ts';
import { CountsStore } from './counts-store.ts';
import { tabsOver } from '#app/counts/tabs.ts';
import type { FromWorker, Rooms, ToWorker } from './calls.ts';
import { CACHE_NAME } from './calls.ts';

const scope = self as unknown as DedicatedWorkerGlobalScope;

/** Its own tab is told as the others are: this is another context of the same browser. */
const tabs = tabsOver<null>(BOARDS_CHANNEL);

const cache = new CountsCache(new CountsDatabase(CACHE_NAME), {
  onOutdated: () => send({ kind: 'outdated' }),
  onDeleted: () => send({ kind: 'deleted' }),
  onBlocked: (blocked) => send({ kind: 'blocked', blocked }),
  onBoards: () => tabs.tell(null),
});

const keeper = new CountsStore(cache);
let shelf: Promise<Rooms['shelf']> | null = null;
/** The shelf's is fetched when it is first asked: no curve needs it. */
const rooms: { readonly [Room in keyof Rooms]: () => Rooms[Room] | Promise<Rooms[Room]> } = {
  keeper: () => keeper,
  boards: () => cache.boards,
  shelf: () =>
    (shelf ??= import('#app/counts/cache/cache-inventory.ts').then(
      ({ CacheInventory }) => new CacheInventory(cache),
    )),
};

function send(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

const drawings = new WorkerDrawings();

/** Does what was called. */
async function done({ room, method, args }: ToWorker): Promise<[unknown, Transferable[]]> {
  const methods = (await rooms[room]()) as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >;
  if (room !== 'keeper' || method !== 'draw') return [await methods[method]?.(...args), []];
  const [desk, told] = args as [number, SentDrawing];
  const drawing = drawings.drawing(told);
  return drawings.sent(await keeper.draw(desk, drawing), drawing, told.wanted);
}

scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  const { id } = data;
  done(data)
    .then(([value, handed]) => send({ kind: 'done', id, value }, handed))
    // An answer that cannot be sent is told as well: whoever waits for it would wait for ever.
    .catch((error: unknown) => {
      if (error instanceof Fault)
        send({ kind: 'fault', id, status: error.status, body: error.body });
      else
        send({
          kind: 'error',
          id,
          message: error instanceof Error ? error.message : String(error),
        });
    });
});
