import { command } from '#server/cli/command.ts';
import { backupFile } from './backup.ts';

export const restoreCommand = command({
  name: 'restore',
  summary: 'makes a data folder from a backup, and checks it',
  about: `groundswell restore FILE [--replace]
Makes a data folder from a backup, and runs groundswell check on it. The folder must be new or empty, and nothing in it
changes if the backup is damaged, incomplete or of a newer version. The exit code is 1 if the check finds a problem.`,
  options: {
    '--replace':
      'moves the data in the folder to the folder replaced-TIME in it; no service may be running',
  },
  read: (words, values) => ({
    file: backupFile(words, 'restore'),
    replace: values.has('replace'),
  }),
  run: async (deps, order) =>
    await (await import('#server/cli/restore.ts')).runRestore(deps, order),
});
