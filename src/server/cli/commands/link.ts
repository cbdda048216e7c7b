import { command } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import { noMore } from '#server/cli/options.ts';

/** Where people sign in by name and password, it prints how instead. */
export const linkCommand = command({
  name: 'link',
  summary: 'prints a one-time address that signs another browser in to the running service',
  about: `groundswell link [--open]
Prints an address, on a line of its own, that signs another browser in to the running service: once, within an
hour.`,
  options: {
    '--open': 'open the address in the browser',
  },
  read: ([extra], values) => {
    noMore(extra, 'link');
    return { open: values.has('open') };
  },
  run: async (deps, { data, open }) => {
    let found: string | null = null;
    const code = await report(deps, data, 'link', {}, ({ address }) => `${(found = address)}\n`);
    if (open && found !== null) {
      const { openAddress } = await import('#server/cli/browser.ts');
      const { DataFolder } = await import('#server/data-folder.ts');
      openAddress(new DataFolder(data), found, deps.open);
    }
    return code;
  },
});
