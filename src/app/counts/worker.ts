import { Fault } from '#contract/fault.ts';
import { BOARDS_CHANNEL } from './boards-port.ts';
import { openCache } from './cache.ts';
import { Keeper } from './keeper.ts';
import type { Drawing, Drawn } from './keeper-port.ts';
import { tabsOver } from './tabs.ts';
import type { FromWorker, Rooms, ToWorker } from './worker-messages.ts';
import { CACHE_NAME } from './worker-messages.ts';

const scope = self as unknown as DedicatedWorkerGlobalScope;

/** Its own tab is told as the others are: this is another context of the same browser. */
const tabs = tabsOver<null>(BOARDS_CHANNEL);

const cache = openCache(CACHE_NAME, {
  onOutdated: () => send({ kind: 'outdated' }),
  onBlocked: (blocked) => send({ kind: 'blocked', blocked }),
  onBoards: () => tabs.tell(null),
});

const keeper = new Keeper(cache);
let shelf: Promise<Rooms['shelf']> | null = null;
/** The shelf's is fetched when it is first asked: no curve needs it. */
const rooms: { readonly [Room in keyof Rooms]: () => Rooms[Room] | Promise<Rooms[Room]> } = {
  keeper: () => keeper,
  boards: () => cache.boards,
  shelf: () => (shelf ??= import('./shelf.ts').then(({ CacheShelf }) => new CacheShelf(cache))),
};

let edges: Float64Array = new Float64Array();
/** The call with its edges: those of the call before are not sent again. */
function whole({ room, method, args }: ToWorker): unknown[] {
  if (room !== 'keeper' || method !== 'draw') return args;
  const [desk, drawing] = args as [number, Partial<Drawing>];
  edges = drawing.bounds ?? edges;
  return [desk, { ...drawing, bounds: edges }];
}

function send(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** A drawing without its edges where they are those that were asked: whoever asked has them, and so has the next drawing here. */
function toldOf(value: unknown, args: readonly unknown[]): unknown {
  if (!(value instanceof Object && 'pyramid' in value)) return value;
  const drawn = value as Drawn;
  if (drawn.curve.bounds !== (args[1] as Drawing).bounds) return drawn;
  return { ...drawn, curve: { ...drawn.curve, bounds: new Float64Array() } };
}

/** What of an answer is handed over rather than copied: nothing that the keeper goes on using. */
function buffersOf(value: unknown): Transferable[] {
  if (!(value instanceof Object && 'pyramid' in value)) return [];
  const { curve, pyramid } = value as Drawn;
  const arrays = [curve.bounds, curve.counts, curve.states, curve.fetchedAt];
  for (const { min, max } of pyramid.levels) arrays.push(min, max);
  arrays.push(pyramid.values, pyramid.sums);
  return [
    ...new Set(
      [...arrays, pyramid.holes, pyramid.even].map((array) => array.buffer as ArrayBuffer),
    ),
  ];
}

scope.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  const { id, room, method } = data;
  const args = whole(data);
  const work = async (): Promise<unknown> => {
    const methods = (await rooms[room]()) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    return await methods[method]?.(...args);
  };
  work()
    .then((value) => {
      const told = toldOf(value, args);
      send({ kind: 'done', id, value: told }, buffersOf(told));
    })
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
