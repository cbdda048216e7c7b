import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdField } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import { adsStage } from './ads-stage.ts';
import { runs } from '#tests/support/run/runs.ts';

const { on, alice, account, add, below, addAccount, pages } = adsStage();
const at = `/5/accounts/${account}`;
const bob = on.signer('bob');

/** The ids of every page of a listing. */
const walk = async (path: string, between?: () => void) =>
  (await pages(path, between)).map((page) => page.map(({ id }) => id));

describe('a listing', () => {
  it('answers an empty page with the request', async () => {
    for (const [name, { path }] of Object.entries(AD_KINDS)) {
      if (name === 'ACCOUNT') continue;
      const { status, body } = await alice.get(`/12/accounts/${account}/${path}?count=10`);
      const request = { params: { account_id: account, count: 10 } };
      expect([status, body]).toEqual([200, { request, next_cursor: null, data: [] }]);
    }
  });

  it.each(Object.entries(AD_KINDS).filter(([name]) => name !== 'ACCOUNT'))(
    '%s: entities have every field, and are read by their ids',
    async (name, { path, key, fields }) => {
      const ids = `${key}s`;
      const [one, two] = add(name as AdKindName, { name: 'A' }, { name: 'B' });
      const { body } = await alice.get(`${at}/${path}?${ids}=${two?.id}`);
      expect(body.request.params).toEqual({ account_id: account, [ids]: [two?.id] });
      expect(body.data).toHaveLength(1);
      const members = Object.keys(body.data[0]);
      const shown = Object.entries<AdField>(fields).filter(([, { hidden }]) => !hidden);
      expect(members).toEqual(expect.arrayContaining(shown.map(([field]) => field)));
      expect(members).toEqual(expect.arrayContaining(['created_at', 'updated_at']));
      const single = await alice.get(`${at}/${path}/${one?.id}`);
      expect(single.body.request.params).toEqual({ account_id: account, [key]: one?.id });
      expect(single.body.data[key in fields ? key : 'id']).toBe(one?.id);
      expect(single.body).not.toHaveProperty('next_cursor');
      for (const entity of [one, two]) if (entity) on.service.ads.remove(entity, on.now);
    },
  );

  it('ends with null when fewer than count are left, and when none are', async () => {
    const [instrument] = add('FUNDING_INSTRUMENT', {});
    const made = below(
      'CAMPAIGN',
      instrument?.id ?? '',
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
      { name: 'd' },
    );
    const ids = made.map(({ id }) => id);
    const listing = `${at}/campaigns?funding_instrument_ids=${instrument?.id}`;
    expect(await walk(`${listing}&count=2`)).toEqual([ids.slice(0, 2), ids.slice(2)]);
    expect(await walk(`${listing}&count=3`)).toEqual([ids.slice(0, 3), ids.slice(3)]);
    expect(await walk(`${listing}&count=4`)).toEqual([ids]);
    const { body } = await alice.get(`${listing}&with_total_count=true&count=1`);
    expect(body.total_count).toBe(4);
  });

  it('sorts, searches names, and hides drafts and deleted entities unless asked', async () => {
    const names = ['Peach', 'apple', 'Pear', 'plum'];
    const [instrument] = add('FUNDING_INSTRUMENT', {});
    const made = below(
      'CAMPAIGN',
      instrument?.id ?? '',
      ...names.map((name, i) => ({
        name,
        daily_budget_amount_local_micro: i === 3 ? null : 9 - i,
        entity_status: i === 2 ? 'DRAFT' : 'ACTIVE',
      })),
    );
    if (made[0]) on.service.ads.remove(made[0], on.now);
    const read = async (more: string): Promise<string[]> => {
      const path = `${at}/campaigns?funding_instrument_ids=${instrument?.id}&${more}`;
      const { body } = await alice.get(path);
      return body.data.map(({ name }: { name: string }) => name);
    };
    expect(await read('count=9')).toEqual(['apple', 'plum']);
    expect(await read('q=PEA')).toEqual([]);
    expect(await read('with_draft=true&q=pea')).toEqual(['Pear']);
    const all = 'with_draft=true&with_deleted=true';
    expect(await read(`${all}&sort_by=name-asc`)).toEqual(['Peach', 'Pear', 'apple', 'plum']);
    expect(await read(`${all}&sort_by=name-desc`)).toEqual(['plum', 'apple', 'Pear', 'Peach']);
    const budget = 'sort_by=daily_budget_amount_local_micro-asc';
    expect(await read(`${all}&${budget}`)).toEqual(['plum', 'Pear', 'apple', 'Peach']);
    expect(await read(`${all}&sort_by=deleted-desc`)).toEqual(['Peach', 'plum', 'Pear', 'apple']);
    const several = 'sort_by=deleted-asc,daily_budget_amount_local_micro-desc';
    expect(await read(`${all}&${several}`)).toEqual(['apple', 'Pear', 'plum', 'Peach']);
  });

  it('filters by what entities belong to', async () => {
    const [instrument, other] = add('FUNDING_INSTRUMENT', {}, {});
    const [campaign] = below('CAMPAIGN', instrument?.id ?? '', { name: 'c' });
    const [item, second] = below('LINE_ITEM', campaign?.id ?? '', {}, {});
    const [promoted] = below('PROMOTED_TWEET', item?.id ?? '', { tweet_id: '1' });
    const [creative] = below('MEDIA_CREATIVE', second?.id ?? '', {});
    const ids = async (path: string): Promise<string[]> => {
      const { status, body } = await alice.get(`${at}/${path}`);
      expect(status).toBe(200);
      return body.data.map(({ id }: { id: string }) => id);
    };
    const items = [item?.id, second?.id];
    expect(await ids(`line_items?campaign_ids=${campaign?.id}`)).toEqual(items);
    expect(await ids(`line_items?funding_instrument_ids=${instrument?.id}`)).toEqual(items);
    expect(await ids(`line_items?funding_instrument_ids=${other?.id}`)).toEqual([]);
    expect(await ids(`promoted_tweets?line_item_ids=${item?.id}`)).toEqual([promoted?.id]);
    expect(await ids(`promoted_tweets?campaign_ids=${campaign?.id}`)).toEqual([promoted?.id]);
    expect(await ids(`media_creatives?campaign_id=${campaign?.id}`)).toEqual([creative?.id]);
    expect(await ids(`media_creatives?line_item_ids=${item?.id}`)).toEqual([]);
    const [banner] = add(
      'ACCOUNT_MEDIA',
      { creative_type: 'BANNER' },
      { creative_type: 'PREROLL' },
    );
    expect(await ids('account_media?creative_types=BANNER')).toEqual([banner?.id]);
    const [list] = add('CUSTOM_AUDIENCE', { name: 'Readers' }, { name: 'Non-readers' });
    expect(await ids('custom_audiences?q=read')).toEqual([list?.id]);
  });

  it('walks by name, however long the names are', async () => {
    const [instrument] = add('FUNDING_INSTRUMENT', {});
    const names = ['𝕏', '"', '\u0001'].map((character) => ({ name: character.repeat(255) }));
    const made = below('CAMPAIGN', instrument?.id ?? '', ...names);
    const path = `${at}/campaigns?funding_instrument_ids=${instrument?.id}&count=1&sort_by=name-asc`;
    const seen = (await walk(path)).flat();
    expect(seen.sort()).toEqual(made.map(({ id }) => id).sort());
  });

  it('a walk returns every entity that stayed exactly once', async () => {
    const some = fc.array(fc.nat(30), { maxLength: 4 });
    const step = fc.record({ create: fc.nat(3), remove: some, rename: some });
    const orders = [
      '',
      '&sort_by=name-asc',
      '&sort_by=created_at-desc',
      '&sort_by=deleted-asc',
      '&sort_by=updated_at-asc',
      '&sort_by=updated_at-desc',
      '&sort_by=name-desc,daily_budget_amount_local_micro-asc',
      '&sort_by=deleted-asc,name-asc,updated_at-desc',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.constantFrom(...orders),
        fc.boolean(),
        fc.integer({ min: 1, max: 5 }),
        async (steps, order, deleted, count) => {
          const [instrument] = add('FUNDING_INSTRUMENT', {});
          const named = (i: number) => ({
            name: `n${(i * 7) % 10}`,
            daily_budget_amount_local_micro: i % 3,
          });
          const parent = instrument?.id ?? '';
          const first = below(
            'CAMPAIGN',
            parent,
            ...Array.from({ length: 16 }, (_, i) => named(i)),
          );
          const gone = new Set<string>();
          let turn = 0;
          const between = (): void => {
            const { create = 0, remove = [], rename = [] } = steps[turn++] ?? {};
            on.now += 1000;
            for (const i of rename) {
              const one = first[i];
              if (one && !gone.has(one.id)) on.service.ads.put(one, named(i + turn), on.now);
            }
            below('CAMPAIGN', parent, ...Array.from({ length: create }, (_, i) => named(i)));
            for (const i of remove) {
              const one = first[i];
              if (!one || gone.has(one.id)) continue;
              gone.add(one.id);
              on.service.ads.remove(one, on.now);
            }
          };
          const filter = `funding_instrument_ids=${parent}&count=${count}&with_deleted=${deleted}${order}`;
          const seen = (await walk(`${at}/campaigns?${filter}`, between)).flat();
          expect(new Set(seen).size).toBe(seen.length);
          const stayed = first.map(({ id }) => id).filter((id) => !gone.has(id));
          expect(seen).toEqual(expect.arrayContaining(stayed));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('errors', () => {
  it.each([
    ['count=0', 'count', '0'],
    ['count=1001', 'count', '1001'],
    ['count=x', 'count', 'x'],
    ['sort_by=odd-asc', 'sort_by', 'odd-asc'],
    ['with_deleted=yes', 'with_deleted', 'yes'],
    ['cursor=c-1', 'cursor', 'c-1'],
    ['odd=1', 'odd', '1'],
    [
      `campaign_ids=${Array.from({ length: 201 }, (_, i) => i).join(',')}`,
      'campaign_ids',
      undefined,
    ],
    ['campaign_ids=a,B', 'campaign_ids', 'a,B'],
  ])('%s is an invalid parameter', async (query, parameter, value) => {
    const { status, body } = await alice.get(`${at}/campaigns?${query}`);
    expect([status, body.errors[0].code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.errors[0].parameter).toBe(parameter);
    if (value !== undefined) expect(body.errors[0].value).toBe(value);
    expect(body.request.params.account_id).toBe(account);
  });

  it('a cursor is of one listing, with its filters', async () => {
    add('CAMPAIGN', { name: 'x' }, { name: 'y' }, { name: 'z' });
    const { body } = await alice.get(`${at}/campaigns?count=1`);
    const cursor = String(body.next_cursor);
    const status = async (path: string): Promise<number> => (await alice.get(path)).status;
    expect(await status(`${at}/campaigns?count=2&cursor=${cursor}`)).toBe(200);
    expect(await status(`${at}/campaigns?count=1&q=x&cursor=${cursor}`)).toBe(400);
    expect(await status(`${at}/campaigns?sort_by=name-asc&cursor=${cursor}`)).toBe(400);
    expect(await status(`${at}/line_items?cursor=${cursor}`)).toBe(400);
    const changed = cursor.replace(/.$/, (end) => (end === '0' ? 'g' : '0'));
    expect(await status(`${at}/campaigns?count=1&cursor=${changed}`)).toBe(400);
    const both = await alice.get(`${at}/campaigns?with_total_count=true&cursor=${cursor}`);
    const codes = both.body.errors.map(({ code }: { code: string }) => code);
    expect([both.status, codes]).toEqual([400, ['EXCLUSIVE_PARAMETERS', 'EXCLUSIVE_PARAMETERS']]);
  });

  it("answers 403 for another user's account, and for none", async () => {
    for (const path of [
      at,
      `${at}/campaigns`,
      '/5/accounts/none',
      '/5/accounts/none/line_items/1',
    ]) {
      const { status, body } = await bob.get(path);
      expect([status, body.errors[0].code]).toEqual([403, 'ACCOUNT_NOT_FOUND']);
    }
    const own = await bob.get('/5/accounts');
    expect(own.body.data).toEqual([]);
    const listed = await alice.get('/5/accounts');
    expect(listed.body.data).toMatchObject([{ id: account, name: 'Shop', deleted: false }]);
  });

  it.each(Object.values(AD_KINDS).slice(1))(
    '$path: 404 $missing for an unknown or deleted entity',
    async ({ path, missing, key }) => {
      const { status, body } = await alice.get(`${at}/${path}/zzzzz`);
      expect([status, body.errors]).toEqual([
        404,
        [{ code: missing, message: expect.any(String), parameter: key, value: 'zzzzz' }],
      ]);
    },
  );

  it('finds a deleted entity with with_deleted alone', async () => {
    const [one] = add('CAMPAIGN', { name: 'gone' });
    if (one) on.service.ads.remove(one, on.now);
    expect((await alice.get(`${at}/campaigns/${one?.id}`)).status).toBe(404);
    const { body } = await alice.get(`${at}/campaigns/${one?.id}?with_deleted=true`);
    expect(body.data).toMatchObject({
      deleted: true,
      effective_status: 'DELETED',
      servable: false,
      reasons_not_servable: ['DELETED'],
    });
  });

  it('allows fewer requests that count all', async () => {
    const limited = on.signer('carol', { access: 'enterprise', limited: true });
    const path = `/5/accounts/${addAccount(limited.id).id}/targeting_criteria`;
    const { headers } = await limited.get(path);
    expect(headers.get('x-account-rate-limit-limit')).toBe('400');
    const totals = await limited.get(`${path}?with_total_count=true`);
    expect(totals.headers.get('x-account-rate-limit-limit')).toBe('200');
    expect(totals.headers.get('x-account-rate-limit-remaining')).toBe('199');
  });
});
