/** `failed`: a part could not be fetched. `none`: this window has no service worker. */
type Keeping = 'kept' | 'failed' | 'none';

let attempt: Promise<Keeping> | null = null;

/** Has the service worker keep all parts of the page, unless it does; after a failure the next call tries again. */
export async function registerServiceWorker(): Promise<Keeping> {
  const kept = await (attempt ??= keep());
  if (kept === 'failed') attempt = null;
  return kept;
}

async function keep(): Promise<Keeping> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return 'none';
  const { serviceWorker } = navigator;
  try {
    const { installing } = await serviceWorker.register('/sw.js');
    if (serviceWorker.controller) return 'kept';
    if (!installing) return 'none';
    return await new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', () => resolve('kept'), { once: true });
      installing.addEventListener('statechange', () => {
        if (installing.state === 'redundant') resolve('failed');
      });
    });
  } catch {
    // Offline, or a window that may keep nothing.
    return serviceWorker.controller ? 'kept' : 'none';
  }
}
