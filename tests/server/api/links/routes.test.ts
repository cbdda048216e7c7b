import { afterAll, describe, expect, it } from 'vitest';
import { LINK_DAYS, MAX_LINKS, type LinkInfo } from '#contract/links/links.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { NETWORK, signedIn } from '#tests/support/browser/board-browsers.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { dataLink, storeBoard } from '#tests/support/service/data-links.ts';
import { startService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
let now = NOW;
const service = startService({ network: NETWORK, now: () => now });
afterAll(() => service.close());

type Send = Awaited<ReturnType<typeof signedIn>>;

const listOf = async (send: Send): Promise<LinkInfo[]> =>
  (await (await send('/links')).json()).links;
const post = (send: Send, body: object) => callerOf({ request: send }).post('/links', body);
/** The status of a link's file that no link has: what is checked before is the link. */
const statusOf = async (send: Send, path: string): Promise<number> =>
  (await send(`${path}/nothing`)).status;

describe('/links', () => {
  it('makes a link to a board of the login, whose secret is shown once and stored as a hash', async () => {
    const send = await signedIn(service, 'maker');
    await storeBoard(send, 'tea', {});
    const { id, secret } = await dataLink(send, 'tea', 7);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(160 / 8);
    const links = await listOf(send);
    expect(links).toEqual([
      {
        id,
        kind: 'data',
        name: 'Link to tea',
        board: 'tea',
        login: 'maker',
        created_at: new Date(NOW).toISOString(),
        ends_at: new Date(NOW + 7 * DAY_MS).toISOString(),
        used_at: null,
        visits: 0,
        view: null,
      },
    ]);
    expect(await statusOf(send, `/data/${secret}`)).toBe(404);
    expect(await listOf(send)).toMatchObject([{ visits: 1, used_at: new Date(NOW).toISOString() }]);
  });

  it('refuses another board, too many links, and ends that are none', async () => {
    const send = await signedIn(service, 'limits');
    expect((await post(send, { kind: 'data', board: 'tea', name: 'a', days: 1 })).status).toBe(404);
    await storeBoard(send, 'mine', {});
    const link = { kind: 'data', board: 'mine', name: 'a', days: 1 };
    for (const days of [0, 0.5, LINK_DAYS.max + 1]) {
      expect((await post(send, { ...link, days })).status).toBe(400);
    }
    for (let i = 0; i < MAX_LINKS; i += 1) await dataLink(send, 'mine');
    expect((await post(send, link)).status).toBe(409);
  });

  it('shows each login its own links, and an administrator those of all, which it may end', async () => {
    const [owner, other] = [await signedIn(service, 'owner'), await signedIn(service, 'other')];
    const admin = await signedIn(service, 'admin', 'administrator');
    await storeBoard(owner, 'own', {});
    const { id, path } = await dataLink(owner, 'own');
    const end = async (send: Send): Promise<boolean> =>
      (await (await send(`/links/${id}`, { method: 'DELETE' })).json()).revoked;
    expect(await listOf(other)).toEqual([]);
    expect(await end(other)).toBe(false);
    expect((await listOf(admin)).find((link) => link.id === id)?.login).toBe('owner');
    expect([await statusOf(owner, path), await end(admin), await end(admin)]).toEqual([
      404,
      true,
      false,
    ]);
    expect(await statusOf(owner, path)).toBe(410);
    expect(await listOf(owner)).toEqual([]);
  });

  it('undoes an end for half an hour', async () => {
    const send = await signedIn(service, 'undo');
    await storeBoard(send, 'b', {});
    const { id, path } = await dataLink(send, 'b');
    const restore = async (): Promise<boolean> =>
      (await (await send(`/links/${id}/restore`, { method: 'POST' })).json()).restored;
    await send(`/links/${id}`, { method: 'DELETE' });
    expect([await restore(), await statusOf(send, path)]).toEqual([true, 404]);
    await send(`/links/${id}`, { method: 'DELETE' });
    now += 31 * MINUTE_MS;
    expect([await restore(), await statusOf(send, path)]).toEqual([false, 410]);
  });

  it('answers 410 once a link has ended, or its board or login was removed, also after a restart', async () => {
    const send = await signedIn(service, 'ending');
    const reader = await signedIn(service, 'reader');
    const revision = await storeBoard(send, 'gone', {});
    const short = await dataLink(send, 'gone', 1);
    const long = await dataLink(send, 'gone', 30);
    await storeBoard(send, 'stays', {});
    const third = await dataLink(send, 'stays', 30);
    now += DAY_MS;
    await service.restart();
    expect(await statusOf(reader, short.path)).toBe(410);
    expect(await statusOf(reader, long.path)).toBe(404);
    const version = { removed: true, at: 2, was: [] };
    await callerOf({ request: send }).send('PUT', '/boards/version?id=gone', {
      after: revision,
      version,
    });
    expect(await statusOf(reader, long.path)).toBe(410);
    expect(await statusOf(reader, third.path)).toBe(404);
    service.logins.order({ action: 'remove', name: 'ending' });
    expect(await statusOf(reader, third.path)).toBe(410);
  });
});

describe('/data', () => {
  it('limits wrong secrets by address, and never a right one', async () => {
    const send = await signedIn(service, 'guessed');
    await storeBoard(send, 'b', {});
    const { path } = await dataLink(send, 'b');
    const from = { headers: { 'x-forwarded-for': '198.51.100.7', cookie: '' } };
    const guess = async (i: number): Promise<number> =>
      (await send(`/data/${String(i).padStart(27, 'A')}/wide.csv`, from)).status;
    const statuses = new Set<number>();
    for (let i = 0; i < 40; i += 1) statuses.add(await guess(i));
    expect([...statuses]).toEqual([404, 429]);
    expect((await send(`${path}/nothing`, from)).status).toBe(404);
    expect((await send('/data/other/wide.csv')).status).toBe(404);
    now += 16 * MINUTE_MS;
    expect(await guess(0)).toBe(404);
  });

  it('answers a link sixty times a minute', async () => {
    const send = await signedIn(service, 'busy');
    await storeBoard(send, 'b', {});
    const [one, two] = [await dataLink(send, 'b'), await dataLink(send, 'b')];
    for (let i = 0; i < 60; i += 1) expect(await statusOf(send, one.path)).toBe(404);
    const refused = await send(`${one.path}/wide.csv`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(send, two.path)).toBe(404);
    now += MINUTE_MS;
    expect(await statusOf(send, one.path)).toBe(404);
  });

  it('takes GET and HEAD alone, and says what is wrong with a parameter', async () => {
    const send = await signedIn(service, 'wrong');
    await storeBoard(send, 'b', {});
    const { path } = await dataLink(send, 'b');
    const posted = await send(`${path}/wide.csv`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const [name, value] of [
      ['last', '91d'],
      ['by', 'decade'],
      ['zone', 'Mars/Olympus'],
      ['theme', 'sepia'],
      ['board', 'other'],
    ]) {
      const answer = await send(`${path}/wide.csv?${name}=${encodeURIComponent(value ?? '')}`);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(name);
    }
  });
});
