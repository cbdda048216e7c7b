import { long } from './long.ts';
import { program } from '#tests/support/service/process.ts';

/** Builds the dashboard and the service if their sources have changed; in the short form without what only makes files smaller. */
export default async function setup(): Promise<void> {
  const { code, err } = await program(
    ['--version'],
    long() ? {} : { GROUNDSWELL_QUICK_BUILD: '1' },
  );
  if (code !== 0) throw new Error(`The build failed: ${err}`);
}
