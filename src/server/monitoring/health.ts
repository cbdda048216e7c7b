import type { HealthAnswer } from '#contract/monitoring.ts';
import { StoreError } from '#server/db/driver.ts';

/** Parts of the service by name. Each function reads a little from its part, and throws if that fails. */
export type Parts = Readonly<Record<string, () => void>>;

/** One word for an error, which reveals nothing else. */
function wordFor(error: unknown): string {
  if (error instanceof StoreError) return error.reason;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'missing';
  return code === 'EROFS' || code === 'EACCES' ? 'not-writable' : 'failing';
}

/** Reads from each part of the service. */
export function healthOf(version: string, isReady: boolean, parts: Parts): HealthAnswer {
  const stores: Record<string, string> = {};
  const failing: string[] = [];
  for (const [name, read] of Object.entries(parts)) {
    try {
      read();
      stores[name] = 'ok';
    } catch (error) {
      stores[name] = wordFor(error);
      failing.push(name);
    }
  }
  const status = failing.length > 0 ? 'failing' : isReady ? 'ok' : 'starting';
  return { status, version, stores, failing };
}
