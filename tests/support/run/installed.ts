import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The path of a program; null if this machine has none. @param usual - Its path where it is not found by name. */
export function programPath(name: string, usual: string): string | null {
  const found = spawnSync('which', [name], { encoding: 'utf8' });
  const path = found.stdout?.trim() || usual;
  return existsSync(path) ? path : null;
}

/**
 * True if tests can start a program. Where they cannot, one line says so, and a run in CI fails unless the variable is
 * `none`.
 *
 * @param path - See {@link programPath}.
 * @throws {Error} in CI without the program.
 */
export function isInstalled(path: string | null, missing: string, variable: string): boolean {
  if (path !== null) return true;
  if (process.env['CI'] === 'true' && process.env[variable] !== 'none') throw new Error(missing);
  process.stderr.write(`${missing}\n`);
  return false;
}
