/** What the browser says and does about the room it gives this page; null where it cannot tell. */
export interface BrowserStorage {
  /** Bytes used and to be had, by the browser's own estimate. */
  estimate(): Promise<{ usage: number; quota: number } | null>;
  /** Whether it keeps what is stored even when it runs short of room. */
  persisted(): Promise<boolean | null>;
  /** Asks it to. @returns Whether it will. */
  persist(): Promise<boolean>;
}

/** @param manager - `navigator.storage`; absent in an insecure context. */
export function browserStorage(manager: StorageManager | undefined): BrowserStorage {
  return {
    estimate: async () => {
      const told = await manager?.estimate?.().catch(() => null);
      if (told?.usage === undefined || told.quota === undefined) return null;
      return { usage: told.usage, quota: told.quota };
    },
    persisted: async () => (await manager?.persisted?.().catch(() => null)) ?? null,
    persist: async () => (await manager?.persist?.().catch(() => false)) ?? false,
  };
}
