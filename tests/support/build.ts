import { spawnSync } from 'node:child_process';

/** Builds the dashboard and the service once, before the browser journeys start them as a user would. */
export default function setup(): void {
  const { status } = spawnSync(process.execPath, ['bin/groundswell.js', '--version'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The build failed; see the lines above.');
}
