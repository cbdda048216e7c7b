// Read when it is used: in a page of no origin, that throws.
const worker = (): ServiceWorkerContainer | null => globalThis.navigator?.serviceWorker ?? null;

/** True if the service worker has stored the page, so that all its parts can load without the service. */
export const isStored = (): boolean => Boolean(worker()?.controller);

/** Makes the service worker store all parts of the page; without it, this window needs the service. */
export function storePage(): void {
  // Fails in a window that may not store anything; while the service is away, the next visit tries again.
  if (import.meta.env.PROD)
    worker()
      ?.register('/sw.js')
      .catch(() => {});
}
