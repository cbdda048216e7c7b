/** Stores the shell of the dashboard, so that the page opens without the service: the page itself and its files, never
 * an answer about counts.
 */
/** The used part of a service worker's global scope, which TypeScript types as a window's. */
interface WorkerScope {
  /** Written by the build: the files of the shell, and a version that changes with any of them. */
  readonly shell: { readonly version: string; readonly files: readonly string[] };
  readonly caches: CacheStorage;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
  addEventListener(
    kind: 'install' | 'activate',
    listen: (event: { waitUntil(work: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(
    kind: 'fetch',
    listen: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void,
  ): void;
  skipWaiting(): Promise<void>;
}

const scope = globalThis as unknown as WorkerScope;
const PREFIX = 'groundswell-shell-';
const NAME = PREFIX + scope.shell.version;
/** Versions to store: an open page may still fetch parts of the previous one. */
const MOST_VERSIONS = 2;

async function install(): Promise<void> {
  const cache = await scope.caches.open(NAME);
  await cache.addAll(['/', ...scope.shell.files]);
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  const shells = (await scope.caches.keys()).filter((name) => name.startsWith(PREFIX));
  const others = shells.filter((name) => name !== NAME);
  await Promise.all(
    others
      .slice(0, Math.max(0, shells.length - MOST_VERSIONS))
      .map((name) => scope.caches.delete(name)),
  );
  await scope.clients.claim();
}

/** The page: from the service if it answers, so that a new version shows at once; otherwise the stored one. */
async function page(request: Request): Promise<Response> {
  const stored = async (): Promise<Response | undefined> =>
    (await scope.caches.open(NAME)).match('/');
  try {
    const answer = await fetch(request);
    // 401 is the form to sign in.
    return answer.ok || answer.status === 401 ? answer : ((await stored()) ?? answer);
  } catch (error) {
    const page = await stored();
    if (page) return page;
    throw error;
  }
}

/** A part of the page: its name changes with its content, so a stored one never expires. */
async function part(request: Request): Promise<Response> {
  const stored = await scope.caches.match(request);
  if (stored) return stored;
  const answer = await fetch(request);
  if (answer.ok) await (await scope.caches.open(NAME)).put(request, answer.clone());
  return answer;
}

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== scope.location.origin || request.method !== 'GET') return;
  // The page for developers is the same document. Its path is DEVELOPERS_PATH, which is no file of this worker.
  if (pathname === '/' || pathname === '/developers') event.respondWith(page(request));
  else if (pathname.startsWith('/assets/') || scope.shell.files.includes(pathname)) {
    event.respondWith(part(request));
  }
});
