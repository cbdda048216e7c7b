import type { HealthAnswer } from '#contract/control/monitoring.ts';
import { ClockError } from '#core/import/id.ts';
import { errorCode } from '#core/thrown.ts';
import { StoreError } from '#server/db/store-error.ts';

/** Parts of the service by name. Each function uses its part a little, and throws if that fails. */
export type ServiceParts = Readonly<Record<string, () => void>>;

/** One word for an error, which reveals nothing else. */
function wordFor(error: unknown): string {
  if (error instanceof StoreError) return error.reason;
  if (error instanceof ClockError) return 'wrong';
  const code = errorCode(error);
  if (code === 'ENOENT') return 'missing';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'full';
  return code === 'EROFS' || code === 'EACCES' ? 'not-writable' : 'failing';
}

/** Tries each part of the service. */
export function healthOf(version: string, isReady: boolean, parts: ServiceParts): HealthAnswer {
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
