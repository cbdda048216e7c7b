import { rmSync, writeFileSync } from 'node:fs';
import type { DataFolder } from '#server/data-folder.ts';

/**
 * Opens a sign-in address in the browser, through a private file that redirects to it, because every user of the
 * machine can read a program's arguments.
 *
 * @param open - Opens a file with the system's default program.
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
