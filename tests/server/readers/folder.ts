import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A new folder for every test of the file, removed after it. */
export function folder(): () => string {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'groundswell-feed-'));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  return () => path;
}
