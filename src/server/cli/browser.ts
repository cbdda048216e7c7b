import { rmSync, writeFileSync } from 'node:fs';
import type { DataFolder } from './data-folder.ts';

/**
 * Opens an address that signs in. The browser is given a page of this user's that leads there: every user of the
 * machine can read the arguments of a program.
 *
 * @param open - opens a file by the program that the system has for it.
 */
export function openAddress(
  folder: DataFolder,
  address: string,
  open: (file: string) => void,
): void {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Groundswell</title>
<meta http-equiv="refresh" content="0;url=${address}">
<p><a href="${address}">Open Groundswell</a></p>
</html>
`;
  rmSync(folder.page, { force: true });
  writeFileSync(folder.page, page, { mode: 0o600, flag: 'wx' });
  open(folder.page);
}
