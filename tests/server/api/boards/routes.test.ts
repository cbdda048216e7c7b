import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  BOARD_CHANGED,
  MOST_BOARD_BYTES,
  MOST_BOARDS,
  MOST_LOGIN_BYTES,
  NO_ROOM_FOR_BOARD,
  type BoardVersion,
} from '#contract/accounts/boards.ts';
import { openService } from '#server/auth/store.ts';
import type { LoginRole } from '#contract/accounts/logins.ts';
import { NETWORK, signedIn } from '#tests/support/browser/board-browsers.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService({ network: NETWORK });
afterAll(() => service.close());

type Browser = Awaited<ReturnType<typeof browserOf>>;
const browserOf = async (name: string, role?: LoginRole) =>
  callerOf({ request: await signedIn(service, name, role) });

const FILE = { removed: false as const, name: 'Tea', at: 5, file: 'UEsDBA==' };
const GONE = { removed: true as const, at: 6, was: ['0123abcd'] };
const at = (id: string): string => `/boards/version?${new URLSearchParams({ id })}`;

const put = (browser: Browser, id: string, version: object, after: string | null = null) =>
  browser.send('PUT', at(id), { after, version });

describe('/boards', () => {
  it('stores a version of a board for members, and gives it back as it was', async () => {
    const browser = await browserOf('member');
    const id = 'from a file/#~é';
    const { body } = await put(browser, id, FILE);
    expect((await browser.get(at(id))).body).toEqual({ revision: body.revision, version: FILE });
    const list = (await browser.get('/boards')).body;
    expect(list).toEqual({ boards: [{ id, revision: body.revision, name: 'Tea', at: 5 }] });
    const gone = await put(browser, id, GONE, body.revision);
    expect((await browser.get(at(id))).body).toEqual({
      revision: gone.body.revision,
      version: GONE,
    });
    expect((await browser.get('/boards')).body.boards[0].name).toBeNull();
  });

  it('stores nothing over a version that the browser does not know', async () => {
    const browser = await browserOf('two-browsers');
    const first = await put(browser, 'a', FILE);
    for (const after of [null, 'AAAAAAAAAAAA']) {
      const { status, body } = await put(browser, 'a', GONE, after);
      expect([status, body.type]).toEqual([409, BOARD_CHANGED]);
    }
    expect((await put(browser, 'b', FILE, first.body.revision)).status).toBe(409);
    expect((await put(browser, 'a', GONE, first.body.revision)).status).toBe(200);
  });

  it('has only the boards of the own login, also for an administrator', async () => {
    const owner = await browserOf('anna');
    const { body } = await put(owner, 'secret', FILE);
    for (const role of ['member', 'administrator'] as const) {
      const browser = await browserOf(`other-${role}`, role);
      expect((await browser.get('/boards')).body).toEqual({ boards: [] });
      expect((await browser.get(at('secret'))).status).toBe(404);
      expect((await put(browser, 'secret', GONE, body.revision)).status).toBe(409);
      expect((await put(browser, 'secret', GONE)).status).toBe(200);
    }
    expect((await owner.get(at('secret'))).body.version).toEqual(FILE);
  });

  it('goes with its login', async () => {
    const browser = await browserOf('leaving');
    await put(browser, 'a', FILE);
    service.logins.order({ action: 'remove', name: 'leaving' });
    expect((await browser.get('/boards')).status).toBe(401);
    const again = await browserOf('leaving');
    expect((await again.get('/boards')).body).toEqual({ boards: [] });
  });

  it.each<[string, object]>([
    ['a board that is no base64', { ...FILE, file: '<script>' }],
    ['a board of padding alone', { ...FILE, file: '==' }],
    ['padding inside a board', { ...FILE, file: 'UE=sDBA=' }],
    ['a board without a name', { ...FILE, name: '' }],
    ['a long name', { ...FILE, name: 'x'.repeat(121) }],
    ['an unknown member', { ...FILE, more: 1 }],
    ['a removed board with a file', { ...GONE, file: 'UEsDBA==' }],
    ['a wrong checksum', { ...GONE, was: ['0123ABCD'] }],
    ['no time', { ...FILE, at: null }],
  ])('refuses %s', async (_, version) => {
    const browser = await browserOf('wrong');
    expect((await put(browser, 'a', version)).status).toBe(400);
    expect((await browser.get('/boards')).body).toEqual({ boards: [] });
  });

  it('refuses a board that is too large', { tags: 'long' }, async () => {
    const browser = await browserOf('large');
    const most = Buffer.alloc(MOST_BOARD_BYTES).toString('base64');
    const logged = service.log.length;
    const { status: first } = await put(browser, 'a', { ...FILE, file: most });
    expect([first, service.log.slice(logged)]).toEqual([200, []]);
    const more = Buffer.alloc(MOST_BOARD_BYTES + 1).toString('base64');
    const { status, body } = await put(browser, 'a', { ...FILE, file: more });
    expect([status, body.type]).toEqual([413, NO_ROOM_FOR_BOARD]);
  });

  /** Stores boards without requests. */
  function stored(name: string, ids: readonly string[], versionOf: (n: number) => BoardVersion) {
    const file = join(service.folder, 'service.sqlite');
    const other = openService(file, { random: (n) => randomBytes(n) });
    const login = other.logins.byName(name)?.id ?? '';
    other.write('boards', () => {
      for (const [n, id] of ids.entries()) {
        const board = { revision: 'AAAAAAAAAAAA', version: versionOf(n) };
        expect(other.boards.store(login, id, board, null, () => true)).toBe('stored');
      }
    });
    other.close();
  }
  const numbers = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i));

  it('refuses more than a login may store, but not to replace or remove what is there', async () => {
    const browser = await browserOf('full');
    const bytes = MOST_LOGIN_BYTES / 16;
    const file = Buffer.alloc(bytes).toString('base64');
    stored('full', numbers(16), () => ({ ...FILE, file }));
    const full = await put(browser, 'new', FILE);
    expect([full.status, full.body.type]).toEqual([409, NO_ROOM_FOR_BOARD]);
    expect(full.body.detail).toContain('64 MiB');
    expect((await put(browser, '0', GONE, 'AAAAAAAAAAAA')).status).toBe(200);
    expect((await put(browser, 'new', FILE)).status).toBe(200);
  });

  it('forgets the removals of longest ago when there is no more room', async () => {
    const browser = await browserOf('many');
    stored('many', numbers(MOST_BOARDS), (at) => ({ ...GONE, at }));
    expect((await put(browser, 'new', FILE)).status).toBe(200);
    const { boards } = (await browser.get('/boards')).body;
    expect(boards).toHaveLength(MOST_BOARDS);
    const ids = new Set(boards.map(({ id }: { id: string }) => id));
    expect([ids.has('0'), ids.has('1'), ids.has('new')]).toEqual([false, true, true]);
  });
});
