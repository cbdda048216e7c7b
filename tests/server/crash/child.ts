import { writeSync } from 'node:fs';
import type { Db, StepAt } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { Actor, type Action } from './script.ts';

/** The place where a process kills itself: at the n-th time, from 1, that a write transaction of a name gets there. */
export interface KillPoint {
  readonly step: string;
  /** `within`: after that many of its statements. */
  readonly at: StepAt | 'within';
  readonly n: number;
  readonly statements?: number;
}

/** Start data of {@link file://./child.ts}, as JSON. */
export interface Job {
  readonly file: string;
  readonly script: readonly Action[];
  readonly kill: KillPoint | null;
}

/** A line that the child prints as JSON, at once, so that what it reported is true if it is killed next. */
export type Line =
  /** The file is opened next. */
  | { readonly type: 'ready' }
  /** This action of the script is done, and the file has this revision. */
  | { readonly type: 'done'; readonly action: number; readonly revision: number }
  /** The script is done. For each name its write transactions in order: the number of statements of each. */
  | { readonly type: 'end'; readonly steps: Readonly<Record<string, readonly number[]>> };

const job = JSON.parse(process.argv[2]!) as Job;
const tell = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const steps: Record<string, number[]> = {};
/** Number of statements of the running transaction; null outside of one. */
let under: number[] | null = null;
let name = '';

function dieAt(at: KillPoint['at']): void {
  const { kill } = job;
  if (kill?.step !== name || kill.at !== at || kill.n !== steps[name]!.length) return;
  if (at !== 'within' || kill.statements === under?.at(-1)) process.kill(process.pid, 'SIGKILL');
}

function onStep(step: string, at: StepAt): void {
  if (at === 'begin') {
    name = step;
    under = steps[step] ??= [];
    under.push(0);
  }
  dieAt(at);
  if (at === 'done') under = null;
}

/** A connection whose statements are counted during write transactions. */
function watched(db: Db): Db {
  return {
    ...db,
    prepare: (sql, exact) => {
      const statement = db.prepare(sql, exact);
      return {
        ...statement,
        run: (values) => {
          const changed = statement.run(values);
          if (under) {
            under[under.length - 1]! += 1;
            dieAt('within');
          }
          return changed;
        },
      };
    },
  };
}

let stores = 0;
const random = (n: number): Uint8Array => new Uint8Array(n).fill(++stores);
tell({ type: 'ready' });
const actor = new Actor(() =>
  watched(openPosts(job.file, { random }, { onStep, unindexed: true })),
);
const reader = openPosts(job.file, { random }, { unindexed: true });
const revision = reader.prepare(`SELECT value FROM meta WHERE key = 'revision'`);
for (const [action, each] of job.script.entries()) {
  actor.act(each);
  tell({ type: 'done', action, revision: Number(revision.get()?.[0]) });
}
tell({ type: 'end', steps });
reader.close();
actor.close();
