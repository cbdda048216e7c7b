import { afterAll, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import type { AlertJob } from './alert-child.ts';
import { openAlerting } from './alerting.ts';
import { killPoints, TIMES } from './kill-points.ts';
import { openReceiver } from './receiver.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();
/** Messages in the order in which they came: the kind, and the id by which a receiver knows it. */
const received: { kind: string; id: string }[] = [];
const { url, close } = await openReceiver((body) => {
  received.push(...(JSON.parse(body) as { messages: typeof received }).messages);
  return true;
});
afterAll(close);
beforeEach(() => {
  received.length = 0;
});

let files = 0;
/** Judges and sends in another process, which kills itself. */
async function killed(kill: AlertJob['kill']): Promise<{ name: string; signal: string | null }> {
  const name = file(`${(files += 1)}.sqlite`);
  const job: AlertJob = { file: name, url, kill };
  return { name, signal: (await runChild('alert-child', job)).signal };
}

it('without a kill, a rise and its end arrive once', async () => {
  const { signal } = await killed(null);
  expect(signal).toBeNull();
  expect(received.map(({ kind }) => kind)).toEqual(['rise', 'over']);
});

/** Writes of the life of an alert: the alert, the state with its message, that it was sent, states alone, and the end. */
const WRITES = [
  ['add-alert', 1],
  ['step-alerts', 1],
  ['settle-deliveries', 1],
  ['step-alerts', 2],
  ['step-alerts', 5],
  ['step-alerts', 8],
  ['settle-deliveries', 2],
] as const;

it.each(killPoints(WRITES, TIMES).map(([[step, n], at]) => ({ step, n, at })))(
  'killed in write $n of $step at $at, no message is lost, and none exists twice',
  async (kill) => {
    const { name, signal } = await killed(kill);
    expect(signal).toBe('SIGKILL');
    const alerting = await openAlerting(name, url);
    await alerting.run();
    expect(alerting.kinds().sort()).toEqual(['over', 'rise']);
    await alerting.close();
    const ids = new Set(received.map(({ id }) => id));
    expect(ids.size).toBe(2);
    // Sent, and killed before that was stored: it is sent again, under the same id.
    const unrecorded = kill.step === 'settle-deliveries' && kill.at !== 'done';
    expect(received).toHaveLength(unrecorded ? 3 : 2);
  },
);
