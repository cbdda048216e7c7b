import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import { openSource } from '#server/posts/index/source.ts';
import { makeFull, openQuickly, random } from '#tests/server/crash/files.ts';
import { proveCounts, proveWhole } from '#tests/server/crash/proof.ts';
import { idsFrom, postOf } from '#tests/server/crash/script.ts';
import { long } from '#tests/support/run/long.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { serveProcess, temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const KILLS = long() ? 12 : 1;

const folder = temporaryFolder();
const inFolder = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Checks a file of Posts and all its counts. @returns The ids of its Posts. */
function prove(file: string): Set<bigint> {
  const db = openQuickly(file);
  const source = openSource(file, { random });
  proveWhole(db);
  const rows = proveCounts(db, source);
  for (const _ of compactIndex(db));
  proveCounts(db, source);
  source.close();
  db.close();
  return new Set(rows.map(({ id }) => id));
}

/** Counts the Posts of a file that others may be writing; creates it if it is absent. */
function postsOf(file: string): number {
  const db = openQuickly(file);
  const posts = Number(db.prepare('SELECT count(*) FROM post').get()?.[0]);
  db.close();
  return posts;
}

describe('import', () => {
  it('keeps what it committed before it was killed, and adds only the rest when it runs again', async () => {
    const POSTS = long() ? 80_000 : 12_000;
    const [data, csv] = [inFolder('import'), inFolder('posts.csv')];
    const file = join(data, 'posts.sqlite');
    const rows = idsFrom(1, POSTS).map((id) => {
      const { createdAt, username, text, lang } = postOf(id);
      return `${id},${new Date(createdAt).toISOString()},${username},"${text}",${lang}\n`;
    });
    writeFileSync(csv, `id,created_at,author,text,lang\n${rows.join('')}`);
    mkdirSync(data);
    let posts = postsOf(file);
    const pick = new Random(KILLS);
    for (let i = 0; i < KILLS; i++) {
      const args = ['bin/groundswell.js', 'import', csv, '--data', data];
      const child = spawn(process.execPath, args, { stdio: 'ignore' });
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      // Kills the first after its first commit, and later ones at any time.
      const committed = async (): Promise<boolean> => {
        await wait(50);
        return child.exitCode !== null || postsOf(file) > 0;
      };
      while (!(await committed()));
      await wait(pick.below(i === 0 ? 500 : 2000));
      posts = postsOf(file);
      child.kill('SIGKILL');
      await gone;
      expect(prove(file).size).toBeGreaterThanOrEqual(posts);
    }
    expect(posts).toBeGreaterThan(0);
    const { code, out } = await groundswell('import', csv, '--data', data);
    const [, read, added, already] = /read (\d+), added (\d+), already there (\d+)/.exec(out)!;
    expect([code, Number(read), Number(added) + Number(already)]).toEqual([0, POSTS, POSTS]);
    expect(Number(already)).toBeGreaterThanOrEqual(posts);
    expect(prove(file)).toEqual(new Set(idsFrom(1, POSTS).map(BigInt)));
  });
});

// In the short form, "killed-bills" kills a service that writes Posts, with their charges.
describe('serve', () => {
  it(
    'has every Post that it confirmed, even if it is killed while it writes Posts and compacts its index',
    { tags: 'long' },
    async () => {
      const data = inFolder('served');
      mkdirSync(data);
      const file = join(data, 'posts.sqlite');
      const there = makeFull(file);
      giveTinySample(data);
      const made = await groundswell(
        'token',
        'user',
        '--name',
        'alice',
        '--limits',
        'off',
        '--data',
        data,
      );
      expect(made.code).toBe(0);
      const headers = {
        authorization: `Bearer ${made.out.trim()}`,
        'content-type': 'application/json',
      };
      const pick = new Random(7);
      const held = new Set<string>();
      let texts = 0;
      const begin = Date.now();
      for (let i = 0; i < KILLS; i++) {
        const service = await serveProcess(data);
        const gone = new Promise<void>((resolve) => service.process.once('exit', () => resolve()));
        let remaining = 10 + pick.below(150);
        const change = async (): Promise<void> => {
          if (held.size > 20 && pick.chance(0.2)) {
            const id = [...held][pick.below(held.size)]!;
            held.delete(id);
            const answer = await fetch(`${service.url}/2/tweets/${id}`, {
              method: 'DELETE',
              headers,
            });
            expect([answer.status, await answer.json()]).toEqual([
              200,
              { data: { deleted: true } },
            ]);
            return;
          }
          const body = JSON.stringify({ text: `tea ${texts++}` });
          const answer = await fetch(`${service.url}/2/tweets`, { method: 'POST', headers, body });
          expect(answer.status).toBe(201);
          held.add((await answer.json()).data.id);
        };
        const client = async (): Promise<void> => {
          try {
            for (;;) {
              await change();
              if (--remaining === 0) service.process.kill('SIGKILL');
            }
          } catch (error) {
            // `fetch` reports a closed connection as a TypeError.
            if (!(error instanceof TypeError)) throw error;
          }
        };
        await Promise.all([client(), client(), client(), client()]);
        await gone;
      }
      const last = await serveProcess(data);
      for (const id of [...held].slice(0, 5)) {
        const answer = await fetch(`${last.url}/2/tweets/${id}`, { method: 'DELETE', headers });
        expect(answer.status).toBe(200);
        held.delete(id);
      }
      await last.stop();

      const ids = prove(file);
      const confirmed = [...held, ...there.posts, ...there.edited];
      expect(confirmed.filter((id) => !ids.has(BigInt(id)))).toEqual([]);
      // Each of the four requests running at a kill may have created its Post.
      const rest = ids.size - there.posts.size - there.edited.size - held.size;
      expect(rest).toBeGreaterThanOrEqual(0);
      expect(rest).toBeLessThanOrEqual(4 * KILLS);
      const source = openSource(file, { random });
      const span = {
        start: Math.floor(begin / DAY_MS) * DAY_MS,
        end: (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS,
      };
      const tea = source.index.histogram({ kind: 'term', term: 'tea' }, span, 'day');
      expect([...tea].reduce((sum, n) => sum + n, 0)).toBe(held.size + rest);
      source.close();
    },
  );
});
