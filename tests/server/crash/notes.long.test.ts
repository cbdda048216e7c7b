import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { killPoints, TIMES } from './kill-points.ts';
import type { NoteAction, NotesJob } from './notes-child.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();

const inProcess = (job: NotesJob) => runChild('notes-child', job);

/** The notes in a file. */
function stateOf(name: string) {
  const service = openService(file(name), { random: (n) => randomBytes(n) });
  try {
    const { notes, noteRequests } = service;
    const posts = noteRequests.page('older', null, 10, null).map(({ post }) => post);
    return {
      requested: posts.length,
      links: [1n, 2n]
        .flatMap((post) => noteRequests.links(post))
        .reduce((sum, { count }) => sum + count, 0),
      notes: notes.page({ writer: '7', test: false }, 'older', null, 10).length,
      written: notes.countSince('7', 0),
      admitted: notes.isAdmitted('7'),
      helpful: notes.last({ writer: '7', test: false }, 1)[0]?.ratings.helpful ?? 0,
    };
  } finally {
    service.close();
  }
}

const ACTIONS: readonly NoteAction[] = [
  'request',
  'import',
  'withdraw',
  'add',
  'rate',
  'ratings',
  'remove',
];
/** The state after so many actions. */
const NOTHING = { requested: 0, links: 0, notes: 0, written: 0, admitted: false, helpful: 0 };
const REQUESTED = { ...NOTHING, requested: 2, links: 2 };
const IMPORTED = { ...REQUESTED, links: 5 };
const WITHDRAWN = { ...NOTHING, requested: 1, links: 1 };
const ADDED = { ...WITHDRAWN, notes: 1, written: 1, admitted: true };
const RATED = { ...ADDED, helpful: 5 };
const RATED_BY_FILE = { ...RATED, helpful: 9 };
const STATES = [
  NOTHING,
  REQUESTED,
  IMPORTED,
  WITHDRAWN,
  ADDED,
  RATED,
  RATED_BY_FILE,
  { ...RATED_BY_FILE, notes: 0 },
];
/** Steps, each with how many actions come before it. An import of ratings has three. */
const STEPS: readonly [string, number][] = [
  ['request-notes', 0],
  ['import-requests', 1],
  ['remove-requests', 2],
  ['add-note', 3],
  ['rate-note', 4],
  ['begin-ratings', 5],
  ['stage-ratings', 5],
  ['import-ratings', 5],
  ['remove-note', 6],
];

it.each(killPoints(STEPS, TIMES).map(([[step, before], at]) => ({ step, at, before })))(
  'a process killed in $step at $at leaves the step whole or undone',
  async ({ step, at, before }) => {
    const name = `${step}-${at}`;
    const isDone = at === 'done' && !/^(?:begin|stage)-/.test(step);
    const job = { file: file(name), actions: ACTIONS, kill: { step, at } };
    expect(await inProcess(job)).toEqual({ signal: 'SIGKILL', done: ACTIONS.slice(0, before) });
    expect(stateOf(name)).toEqual(STATES[isDone ? before + 1 : before]);
    // The rest can be done from there.
    const rest = ACTIONS.slice(isDone ? before + 1 : before);
    const again = await inProcess({ file: file(name), actions: rest, kill: null });
    expect(again).toEqual({ signal: null, done: rest });
    expect(stateOf(name)).toEqual(STATES.at(-1));
  },
);
