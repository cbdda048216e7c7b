import { program } from '#tests/support/service/process.ts';

/** Builds the dashboard and the service if their sources have changed. */
export default async function setup(): Promise<void> {
  const { code, err } = await program(['--version']);
  if (code !== 0) throw new Error(`The build failed: ${err}`);
}
