/** `failed`: a part of the page could not be fetched. `none`: this window has no service worker. */
type OfflineState = 'stored' | 'failed' | 'none';

let attempt: Promise<OfflineState> | null = null;

/** Makes the service worker store all parts of the page, once; after a failure the next call tries again. */
export async function registerServiceWorker(): Promise<OfflineState> {
  const state = await (attempt ??= install());
  if (state === 'failed') attempt = null;
  return state;
}

async function install(): Promise<OfflineState> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return 'none';
  const { serviceWorker } = navigator;
  try {
    const { installing } = await serviceWorker.register('/sw.js');
    if (serviceWorker.controller) return 'stored';
    if (!installing) return 'none';
    return await new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', () => resolve('stored'), { once: true });
      installing.addEventListener('statechange', () => {
        if (installing.state === 'redundant') resolve('failed');
      });
    });
  } catch {
    // Offline, or a window that may not store anything.
    return serviceWorker.controller ? 'stored' : 'none';
  }
}
