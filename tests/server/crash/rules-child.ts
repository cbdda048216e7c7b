import { randomBytes as random } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openService } from '#server/auth/store.ts';
import type { NewRule } from '#server/streams/rules/rule-table.ts';
import { killer, type KillStep } from './kill-step.ts';

/** Start data of {@link file://./rules-child.ts}, as JSON. */
export interface RulesJob {
  readonly file: string;
  readonly add: readonly NewRule[];
  readonly remove: readonly string[];
  readonly kill: KillStep | null;
}

const { file, add, remove, kill } = JSON.parse(process.argv[2]!) as RulesJob;
const service = openService(file, { random }, { onStep: killer(kill) });
const of = { stream: 'posts', app: '1' } as const;
service.rules.change(of, { add, remove }, { firstId: 1n, now: 0 });
writeSync(1, 'done');
service.close();
