import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';

/** Names files in a folder that is removed after the tests of the calling file. */
export function temporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-store-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

/** Names files in a folder that is new for each test of the calling file, and removed after it. */
export function freshFolder(): (name: string) => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundswell-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}

/** Bytes that differ from call to call, but are the same in every run. */
export function countingBytes(): (n: number) => Uint8Array {
  let calls = 0;
  return (n) => {
    calls++;
    return Uint8Array.from({ length: n }, (_, i) => (i * 31 + calls) & 0xff);
  };
}
