import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDb, type DbOptions } from '#server/db/driver.ts';
import type { PlatformFault } from '#tests/support/service/platform.ts';
import { closeAfterEach, CLOSED, relayed, outcomeOf } from './relayed.ts';

closeAfterEach();

/** A page with an exact size in the vault, however it compresses. */
const heavy =
  (bytes: number): PlatformFault =>
  async () =>
    new Response(`{"data":[],"pad":"${randomBytes((bytes / 4) * 3).toString('base64')}"}`);

/** A service whose file of pages may grow by that many pages, as on a nearly full disk. */
async function withRoomFor(pages: number) {
  const file: { maxPages: number | undefined } & DbOptions = { maxPages: undefined };
  const relay = await relayed({ relay: { file }, limited: false });
  await relay.ask(CLOSED);
  const db = openDb(join(relay.service.folder, 'platform.sqlite'));
  db.exec('VACUUM');
  file.maxPages = Number(db.prepare('PRAGMA page_count').get()?.[0]) + pages;
  db.close();
  await relay.service.restart();
  return relay;
}

it.each([0, 60, 250])(
  'with space for %i pages on the disk, every paid page is stored, and nothing is sent that could not be stored',
  async (pages) => {
    const { ask, platform, service, settings } = await withRoomFor(pages);
    const before = (await settings()).today.requests;
    const sentBefore = platform.sent.length;
    platform.inject(({ search }) => search.get('granularity') === 'minute', heavy(800_000));
    platform.inject(() => true, heavy(14_000));
    const statuses: number[] = [];
    const paid: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const names = [0, 1, 2, 3].map((i) => `ask-${round}-${i}-0`);
      const answers = await Promise.all(
        names.map((name, i) =>
          ask(
            { ...CLOSED, query: `tea ${name}`, granularity: i === 0 ? 'minute' : 'hour' },
            { ask: name },
          ),
        ),
      );
      for (const [i, answer] of answers.entries()) {
        statuses.push(answer.status);
        if (answer.status === 200) paid.push(names[i] ?? '');
        else {
          expect(answer.status).toBe(507);
          expect((await answer.json()).detail).toMatch(/no space .* nothing was sent or paid/);
        }
      }
    }
    expect(statuses).toContain(507);
    expect(platform.sent.length - sentBefore).toBe(paid.length);
    expect((await settings()).today.requests - before).toBe(paid.length);
    const retained = [];
    for (const name of paid) {
      const granularity = name.split('-')[2] === '0' ? 'minute' : 'hour';
      retained.push(
        outcomeOf(
          await ask({ ...CLOSED, query: `tea ${name}`, granularity }, { ask: name, buy: 'no' }),
        ),
      );
    }
    expect(retained).toEqual(paid.map(() => '200 held 0'));
    expect(service.log).toEqual([]);
  },
);
