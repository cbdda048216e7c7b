import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, inject, it } from 'vitest';
import type { AlertJob } from './alert-child.ts';
import { openAlerting } from './alerting.ts';
import { killPoints, TIMES } from './kill-points.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-alerts-'));
/** Messages in the order in which they came: the kind, and the id by which a receiver knows it. */
const received: { kind: string; id: string }[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push(...(JSON.parse(body) as { messages: typeof received }).messages);
    response.end();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  received.length = 0;
});

let files = 0;
/** Judges and sends in another process, which kills itself. */
async function killed(kill: AlertJob['kill']): Promise<{ file: string; signal: string | null }> {
  const job: AlertJob = { file: join(folder, `${(files += 1)}.sqlite`), url, kill };
  const args = [join(inject('programs'), 'alert-child.js'), JSON.stringify(job)];
  const signal = await new Promise<string | null>((resolve) => {
    const child = execFile(process.execPath, args, () => resolve(child.signalCode));
  });
  return { file: job.file, signal };
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
    const { file, signal } = await killed(kill);
    expect(signal).toBe('SIGKILL');
    const alerting = await openAlerting(file, url);
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
