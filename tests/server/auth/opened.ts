import { randomBytes as random } from 'node:crypto';
import { afterEach } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { freshFolder } from '#tests/server/db/folder.ts';

/** Opens the tokens of a service, whose file is in a folder of its test and is closed after it. */
export function authOpener() {
  const file = freshFolder();
  const closings = new Map<string, () => void>();
  afterEach(() => {
    for (const close of closings.values()) close();
    closings.clear();
  });
  return {
    file,
    /** Opens a file; a second time as after a restart. */
    open: (now = (): number => 1_700_000_000_000, name = 'service.sqlite') => {
      closings.get(name)?.();
      const service = openService(file(name), { random });
      closings.set(name, service.close);
      return openAuth(service, { now, random });
    },
  };
}
