/** The part of `localStorage` and `sessionStorage` that the page uses. */
export type PageStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The browser's storage for this page; null where the browser does not say. */
export type BrowserStorage = ReturnType<typeof browserStorage>;

/** @param manager - `navigator.storage`; absent in an insecure context. */
export function browserStorage(manager: StorageManager | undefined) {
  return {
    /** Bytes used and available, as the browser estimates. */
    estimate: async () => {
      const estimate = await manager?.estimate?.().catch(() => null);
      if (estimate?.usage === undefined || estimate.quota === undefined) return null;
      return { usage: estimate.usage, quota: estimate.quota };
    },
    /** True if it protects the storage when disk space is low. */
    persisted: async () => (await manager?.persisted?.().catch(() => null)) ?? null,
    /** Asks the browser to protect the storage. @returns Whether it agrees. */
    persist: async () => (await manager?.persist?.().catch(() => false)) ?? false,
  };
}
