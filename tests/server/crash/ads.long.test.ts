import { writeFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { openAds } from '#server/ads/store.ts';
import { openDb } from '#server/db/driver.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { AD_ACTIONS, adActions, consoleRows } from './ads-actions.ts';
import type { AdsJob } from './ads-child.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();
let csv: string;
beforeAll(() => {
  csv = file('export.csv');
  writeFileSync(csv, consoleRows());
});

const inProcess = (job: AdsJob) => runChild('ads-child', job);

/** All that a file has, as text. */
function stateOf(name: string): string {
  const db = openDb(name);
  try {
    const tables = ['entity', 'moved', 'figure', 'activity'];
    return JSON.stringify(tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all()));
  } finally {
    db.close();
  }
}

/** Of each transaction: the action that it belongs to, and the state after it. */
async function undisturbed(): Promise<{ readonly action: number; readonly state: string }[]> {
  const name = file('undisturbed.sqlite');
  const states: { action: number; state: string }[] = [];
  let action = 0;
  const store = openAds(name, {
    onStep: (_, at) => {
      if (at === 'done' && action > 0) states.push({ action, state: stateOf(name) });
    },
  });
  const { act } = adActions(store, csv);
  states.push({ action, state: stateOf(name) });
  for (const each of AD_ACTIONS) {
    action += 1;
    await act[each]();
  }
  store.close();
  return states;
}

it('a process killed in any change of advertisers leaves it whole or undone', async () => {
  const states = await undisturbed();
  const ofImport = states.filter(({ action }) => AD_ACTIONS[action - 1] === 'import');
  expect(ofImport.length).toBeGreaterThan(2);
  expect(states).toHaveLength(AD_ACTIONS.length + ofImport.length);
  // The first transaction of a process creates the file.
  const before = 1;
  for (let write = 1; write < states.length; write++) {
    // Between two transactions, only the import has something half done.
    const isImport = AD_ACTIONS[(states[write]?.action ?? 0) - 1] === 'import';
    for (const at of isImport ? (['commit', 'done'] as const) : (['commit'] as const)) {
      const name = file(`${write}-${at}.sqlite`);
      openAds(name).close();
      const kill = { write, at };
      const killed = await inProcess({ file: name, csv, actions: AD_ACTIONS, kill });
      const { action = 0 } = states[write] ?? {};
      expect(killed).toEqual({ signal: 'SIGKILL', done: AD_ACTIONS.slice(0, action - before) });
      const left = states[at === 'done' ? write : write - 1];
      expect(stateOf(name)).toBe(left?.state);
      // The rest can be done from there; what the import had stored is unchanged.
      const isWhole = at === 'done' && states[write + 1]?.action !== action;
      const rest = AD_ACTIONS.slice(isWhole ? action : action - before);
      const store = openAds(name);
      const { act } = adActions(store, csv);
      for (const each of rest) await act[each]();
      store.close();
      expect(stateOf(name)).toBe(states.at(-1)?.state);
    }
  }
});

it('importing again adds nothing', async () => {
  const store = openAds(file('again.sqlite'));
  const { act, load } = adActions(store, csv);
  await act['set up']();
  expect(await load()).toMatchObject({ read: 1200, created: 4, updated: 1196 });
  const state = stateOf(file('again.sqlite'));
  expect(await load()).toMatchObject({ created: 0, updated: 0, unchanged: 1200 });
  expect(stateOf(file('again.sqlite'))).toBe(state);
  store.close();
});
