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
import { NETWORK, signedIn } from '#tests/support/browser/board-browsers.ts';
import { startService } from '#tests/support/service/service.ts';

const service = startService({ network: NETWORK });
afterAll(() => service.close());

type Send = Awaited<ReturnType<typeof signedIn>>;

const FILE = { removed: false as const, name: 'Tea', at: 5, file: 'UEsDBA==' };
const GONE = { removed: true as const, at: 6, was: ['0123abcd'] };
const at = (id: string): string => `/boards/version?${new URLSearchParams({ id })}`;

async function put(send: Send, id: string, version: object, after: string | null = null) {
  const answer = await send(at(id), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ after, version }),
  });
  return { status: answer.status, json: await answer.json() };
}
const read = async (send: Send, path: string) => {
  const answer = await send(path);
  return { status: answer.status, json: await answer.json() };
};

describe('/boards', () => {
  it('stores a version of a board for members, and gives it back as it was', async () => {
    const send = await signedIn(service, 'member');
    const id = 'from a file/#~é';
    const { json } = await put(send, id, FILE);
    expect(await read(send, at(id))).toEqual({
      status: 200,
      json: { revision: json.revision, version: FILE },
    });
    const list = (await read(send, '/boards')).json;
    expect(list).toEqual({ boards: [{ id, revision: json.revision, name: 'Tea', at: 5 }] });
    const gone = await put(send, id, GONE, json.revision);
    expect((await read(send, at(id))).json).toEqual({
      revision: gone.json.revision,
      version: GONE,
    });
    expect((await read(send, '/boards')).json.boards[0].name).toBeNull();
  });

  it('stores nothing over a version that the browser does not know', async () => {
    const send = await signedIn(service, 'two-browsers');
    const first = await put(send, 'a', FILE);
    for (const after of [null, 'AAAAAAAAAAAA']) {
      const { status, json } = await put(send, 'a', GONE, after);
      expect([status, json.type]).toEqual([409, BOARD_CHANGED]);
    }
    expect((await put(send, 'b', FILE, first.json.revision)).status).toBe(409);
    expect((await put(send, 'a', GONE, first.json.revision)).status).toBe(200);
  });

  it('has only the boards of the own login, also for an administrator', async () => {
    const owner = await signedIn(service, 'anna');
    const { json } = await put(owner, 'secret', FILE);
    for (const role of ['member', 'administrator'] as const) {
      const send = await signedIn(service, `other-${role}`, role);
      expect((await read(send, '/boards')).json).toEqual({ boards: [] });
      expect((await read(send, at('secret'))).status).toBe(404);
      expect((await put(send, 'secret', GONE, json.revision)).status).toBe(409);
      expect((await put(send, 'secret', GONE)).status).toBe(200);
    }
    expect((await read(owner, at('secret'))).json.version).toEqual(FILE);
  });

  it('is not for tokens', async () => {
    const send = await signedIn(service, 'anna');
    const bearer = service.auth.issueToken({ access: 'enterprise', limited: false });
    const headers = { authorization: `Bearer ${bearer}` };
    for (const path of ['/boards', at('secret')]) {
      expect((await send(path, { headers })).status).toBe(403);
    }
  });

  it('goes with its login', async () => {
    const send = await signedIn(service, 'leaving');
    await put(send, 'a', FILE);
    service.logins.order({ action: 'remove', name: 'leaving' });
    expect((await send('/boards')).status).toBe(401);
    const again = await signedIn(service, 'leaving');
    expect((await read(again, '/boards')).json).toEqual({ boards: [] });
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
    const send = await signedIn(service, 'wrong');
    expect((await put(send, 'a', version)).status).toBe(400);
    expect((await read(send, '/boards')).json).toEqual({ boards: [] });
  });

  it('refuses a board that is too large', { tags: 'long' }, async () => {
    const send = await signedIn(service, 'large');
    const most = Buffer.alloc(MOST_BOARD_BYTES).toString('base64');
    const logged = service.log.length;
    const { status: first } = await put(send, 'a', { ...FILE, file: most });
    expect([first, service.log.slice(logged)]).toEqual([200, []]);
    const more = Buffer.alloc(MOST_BOARD_BYTES + 1).toString('base64');
    const { status, json } = await put(send, 'a', { ...FILE, file: more });
    expect([status, json.type]).toEqual([413, NO_ROOM_FOR_BOARD]);
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
    const send = await signedIn(service, 'full');
    const bytes = MOST_LOGIN_BYTES / 16;
    const file = Buffer.alloc(bytes).toString('base64');
    stored('full', numbers(16), () => ({ ...FILE, file }));
    const full = await put(send, 'new', FILE);
    expect([full.status, full.json.type]).toEqual([409, NO_ROOM_FOR_BOARD]);
    expect(full.json.detail).toContain('64 MiB');
    expect((await put(send, '0', GONE, 'AAAAAAAAAAAA')).status).toBe(200);
    expect((await put(send, 'new', FILE)).status).toBe(200);
  });

  it('forgets the removals of longest ago when there is no more room', async () => {
    const send = await signedIn(service, 'many');
    stored('many', numbers(MOST_BOARDS), (at) => ({ ...GONE, at }));
    expect((await put(send, 'new', FILE)).status).toBe(200);
    const { boards } = (await read(send, '/boards')).json;
    expect(boards).toHaveLength(MOST_BOARDS);
    const ids = new Set(boards.map(({ id }: { id: string }) => id));
    expect([ids.has('0'), ids.has('1'), ids.has('new')]).toEqual([false, true, true]);
  });
});
