import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openService } from '#server/auth/store.ts';
import type { StepAt } from '#server/db/driver.ts';
import type { NewRule } from '#server/streams/rules/rule-table.ts';

/** Start data of {@link file://./rules-child.ts}, as JSON. */
export interface RulesJob {
  readonly file: string;
  readonly add: readonly NewRule[];
  readonly remove: readonly string[];
  /** The place in the step `rules` where the process kills itself; null for nowhere. */
  readonly kill: StepAt | null;
}

const { file, add, remove, kill } = JSON.parse(process.argv[2]!) as RulesJob;
const random = (n: number): Uint8Array => randomBytes(n);
const onStep = (step: string, at: StepAt): void => {
  if (step === 'rules' && at === kill) process.kill(process.pid, 'SIGKILL');
};
const service = openService(file, { random }, { onStep });
const of = { stream: 'posts', app: '1' } as const;
service.rules.change(of, { add, remove }, { firstId: 1n, now: 0 });
writeSync(1, 'done');
service.close();
