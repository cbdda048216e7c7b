import { command } from '#server/cli/command.ts';
import { noMore, UsageError } from '#server/cli/options.ts';

/** The file of a backup. @throws {@link UsageError} if there is not one. */
export function backupFile([file, extra]: readonly string[], command: string): string {
  noMore(extra, command);
  if (file === undefined || file === '') {
    throw new UsageError(`Name the file of the backup: groundswell ${command} FILE.`);
  }
  return file;
}

export const backupCommand = command({
  name: 'backup',
  summary: 'writes all data to one file, also while the service runs',
  about: `groundswell backup FILE
Writes all that the data folder holds to FILE, a tar archive with checksums: Posts, the sample, accounts, tokens and
secrets, pages bought from the platform, its token with the key, catalogs, ads, deliveries and media. The command also
works while a service is running; the backup has every database as it was at the start. FILE must not exist. It is not
compressed, and only you can read it: protect it like the data folder itself.`,
  options: {},
  read: (words) => ({ file: backupFile(words, 'backup') }),
  run: async (deps, order) => await (await import('#server/cli/backup.ts')).runBackup(deps, order),
});
