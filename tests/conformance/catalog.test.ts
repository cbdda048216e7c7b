import { describe, expect, it, onTestFinished } from 'vitest';
import { setImmediate } from 'node:timers/promises';
import { openHost } from '#tests/support/service/host.ts';
import { stage, type As } from '#tests/support/service/conformance.ts';
import { product } from '#tests/support/data/products.ts';
import type { CatalogsAnswer } from '#contract/catalog/feed-answers.ts';

// Rows of the specification's Catalog endpoints and Limits; platform-facts, section 11.

const on = stage();
const AT = '/12/product_catalogs';
let merchants = 0;

/** A merchant who may use catalogs, with an app of their own. */
function merchant(limited = false): As {
  const name = `merchant${(merchants += 1)}`;
  on.user(name, { merchant_terms: true });
  return on.signer(name, { access: 'enterprise', limited, early_access: true });
}

/** A merchant with a catalog. */
async function shop() {
  const as = merchant();
  const { body } = await as.send('POST', `${AT}?name=Shop`);
  const at = `${AT}/${body.data.id}`;
  const put = async (...products: readonly object[]) =>
    (await as.send('PUT', `${at}/products`, { products })).body.data.products_response;
  return { as, id: String(body.data.id), at, put };
}

const codes = ({ body }: { body: { errors?: { code: string }[] } }) =>
  body.errors?.map(({ code }) => code);

/** The runs of a catalog's feed, once none is running. */
async function endedRuns(id: string): Promise<CatalogsAnswer['catalogs'][number]['runs']> {
  for (;;) {
    const answer = await on.service.request('/catalogs');
    const { catalogs } = (await answer.json()) as CatalogsAnswer;
    const found = catalogs.find((catalog) => catalog.id === id);
    if (found && found.progress === null) return found.runs;
    await setImmediate();
  }
}

describe('Catalog', () => {
  it('one per user, with an id and a name', async () => {
    const { as, id } = await shop();
    const again = await as.send('POST', `${AT}?name=Other`);
    expect([again.status, codes(again)]).toEqual([403, ['ACTION_NOT_ALLOWED']]);
    const { body } = await as.get(AT);
    expect(body).toEqual({
      request: { params: {} },
      next_cursor: null,
      data: [{ id, name: 'Shop' }],
    });
  });

  it('PUT renames it, DELETE is permanent and includes everything in it', async () => {
    const { as, id, at, put } = await shop();
    const renamed = await as.send('PUT', `${at}?name=New`);
    expect(renamed.body).toEqual({
      request: { params: { id, name: 'New' } },
      data: { id, name: 'New' },
    });
    await put(product('a'));
    const gone = await as.send('DELETE', at);
    expect(gone.body.data).toEqual({ id, name: 'New' });
    expect((await as.get(AT)).body.data).toEqual([]);
    const products = await as.get(`${at}/products`);
    expect([products.status, codes(products)]).toEqual([404, ['NOT_FOUND']]);
    const next = await as.send('POST', `${AT}?name=Next`);
    expect((await as.get(`${AT}/${next.body.data.id}/products`)).body.data).toEqual([]);
  });

  it.each(['5', '6', '7', '8', '9', '10', '11', '12'])('version %s', async (version) => {
    const { body } = await merchant().get(`/${version}/product_catalogs`);
    expect(body.data).toEqual([]);
  });

  it('needs early access and accepted merchant terms', async () => {
    on.user('nobody');
    const missing = await on.signer('nobody').get(AT);
    expect([missing.status, codes(missing)]).toEqual([
      403,
      ['UNAUTHORIZED_CLIENT_APPLICATION', 'ACTION_NOT_ALLOWED'],
    ]);
    expect(missing.body.errors[0].message).toMatch(
      /groundswell app set "App \d+" --early-access yes/,
    );
    expect(missing.body.errors[1].message).toMatch(
      /groundswell user set nobody --merchant-terms yes/,
    );
  });

  it("refuses another user's catalog and user_id", async () => {
    const { at } = await shop();
    const other = merchant();
    const products = await other.get(`${at}/products`);
    expect([products.status, codes(products)]).toEqual([404, ['NOT_FOUND']]);
    const named = await other.get(`${AT}?user_id=1`);
    expect([named.status, codes(named)]).toEqual([403, ['USER_NOT_FOUND']]);
    expect((await other.get(`${AT}?user_id=${other.id}`)).status).toBe(200);
  });
});

describe('Products', () => {
  it('are created, updated, unchanged or refused, each with its own result', async () => {
    const { put } = await shop();
    const first = await put(
      product('a'),
      product('b', { price: 'free' }),
      product('c', { colour: 'red' }),
    );
    expect(first).toEqual([
      {
        id: 'a',
        product_key: expect.stringMatching(/^\d+$/),
        status: 'CREATE_SUCCESS',
        warnings: [],
        errors: [],
      },
      {
        id: 'b',
        product_key: null,
        status: 'ERROR',
        warnings: [],
        errors: [
          expect.objectContaining({ code: 'INVALID_PARAMETER', parameter: 'price', value: 'free' }),
        ],
      },
      expect.objectContaining({
        id: 'c',
        status: 'CREATE_SUCCESS',
        warnings: [expect.objectContaining({ parameter: 'colour' })],
      }),
    ]);
    const second = await put(product('a'), product('c', { price: '30.00 USD' }));
    expect(second).toMatchObject([
      { id: 'a', status: 'NO_CHANGE', product_key: first[0].product_key },
      { id: 'c', status: 'UPDATE_SUCCESS', product_key: first[2].product_key },
    ]);
  });

  it('every occurrence of an id that a batch repeats is ignored', async () => {
    const { as, at, put } = await shop();
    const results = await put(product('a'), product('b'), product(' a '));
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      'ERROR',
      'CREATE_SUCCESS',
      'ERROR',
    ]);
    const { body } = await as.get(`${at}/products`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['b']);
  });

  it.each([
    [0, 400],
    [25, 200],
    [26, 400],
  ])('a batch of %i answers %i', async (count, status) => {
    const { as, at } = await shop();
    const products = Array.from({ length: count }, (_, i) => product(`p${i}`));
    expect((await as.send('PUT', `${at}/products`, { products })).status).toBe(status);
  });

  it('are read in pages of 1 to 100 while others come and go, one per group', async () => {
    const { as, at, put } = await shop();
    const grouped = (id: string) => product(id, { item_group_id: 'g' });
    await put(product('a'), grouped('b'), grouped('c'), product('d'), product('e'));
    const answer = await as.get(`${at}/products?count=2`);
    expect(answer.body.data.map(({ id }: { id: string }) => id)).toEqual(['a', 'b']);
    expect(answer.body.request.params).toEqual({
      product_catalog_id: at.split('/').at(-1),
      count: 2,
    });
    await as.send('DELETE', `${at}/products`, { product_keys: [answer.body.data[0].product_key] });
    await put(product('f'));
    const two = await as.get(`${at}/products?count=2&cursor=${answer.body.next_cursor}`);
    expect(two.body.data.map(({ id }: { id: string }) => id)).toEqual(['d', 'e']);
    const three = await as.get(`${at}/products?count=2&cursor=${two.body.next_cursor}`);
    expect([three.body.data[0].id, three.body.next_cursor]).toEqual(['f', null]);
    const key = answer.body.data[1].item_group_key;
    const group = await as.get(`${at}/products?item_group_key=${key}`);
    expect(group.body.data.map(({ id }: { id: string }) => id)).toEqual(['b', 'c']);
    for (const count of ['0', '101', 'x']) {
      const refused = await as.get(`${at}/products?count=${count}`);
      expect([refused.status, codes(refused)]).toEqual([400, ['INVALID_PARAMETER']]);
    }
  });

  it('absent values are null', async () => {
    const { as, at, put } = await shop();
    await put(product('a'));
    const { body } = await as.get(`${at}/products`);
    expect(body.data[0]).toMatchObject({
      id: 'a',
      color: null,
      item_group_key: null,
      inventory: null,
    });
  });

  it('DELETE reports what failed, and echoes the keys', async () => {
    const { as, at, put } = await shop();
    const [{ product_key }] = await put(product('a'));
    const { body } = await as.send('DELETE', `${at}/products`, {
      product_keys: [product_key, '999'],
    });
    expect(body.request.params.product_keys).toEqual([product_key, '999']);
    expect(body.data.delete_products).toEqual([
      { product_key, failed_product_key: null, message: null },
      {
        product_key: null,
        failed_product_key: '999',
        message: 'Product 999 was not found in this catalog',
      },
    ]);
  });
});

describe('Product sets', () => {
  it('a manual set has up to 50 products, in the order given', async () => {
    const { as, at, put } = await shop();
    const made = [...(await put(...Array.from({ length: 25 }, (_, i) => product(`a${i}`))))];
    made.push(...(await put(...Array.from({ length: 25 }, (_, i) => product(`b${i}`)))));
    made.push(...(await put(product('c'))));
    const product_keys = made
      .map((product: { product_key: string }) => product.product_key)
      .reverse();
    const set = { name: 'Best', type: 'MANUAL' };
    const tooMany = await as.send('POST', `${at}/product_sets`, { ...set, product_keys });
    expect([tooMany.status, codes(tooMany)]).toEqual([400, ['INVALID_PARAMETER']]);
    const { body } = await as.send('POST', `${at}/product_sets`, {
      ...set,
      product_keys: product_keys.slice(0, 50),
    });
    expect(body.data).toMatchObject({
      ...set,
      description: null,
      filters: [],
      processing_status: 'DONE',
    });
    expect(body.data.product_ids.slice(0, 2)).toEqual(['c', 'b24']);
    const changed = await as.send('PUT', `${at}/product_sets/${body.data.id}`, {
      description: 'One',
      product_keys: product_keys.slice(0, 1),
    });
    expect(changed.body.data).toMatchObject({
      name: 'Best',
      description: 'One',
      product_ids: ['c'],
    });
    await as.send('DELETE', `${at}/products`, { product_keys: product_keys.slice(0, 1) });
    const read = await as.get(`${at}/product_sets/${body.data.id}`);
    expect(read.body.data.product_ids).toEqual([]);
  });

  it('a filtered set is never stale, and cannot be changed', async () => {
    const { as, at, put } = await shop();
    await put(product('cheap', { price: '5 USD' }), product('dear', { price: '50 USD' }));
    const filters = [{ attribute: 'price', operator: 'LESS_THAN', value: '10.00 USD' }];
    const made = await as.send('POST', `${at}/product_sets`, {
      name: 'Cheap',
      type: 'FILTERED',
      filters,
    });
    expect(made.body.data).toMatchObject({
      filters,
      product_ids: ['cheap'],
      processing_status: 'DONE',
    });
    await put(product('dear', { price: '6 USD' }), product('cheap', { price: '60 USD' }));
    const one = `${at}/product_sets/${made.body.data.id}`;
    expect((await as.get(one)).body.data.product_ids).toEqual(['dear']);
    const refused = await as.send('PUT', one, { name: 'New' });
    expect([refused.status, codes(refused)]).toEqual([403, ['ACTION_NOT_ALLOWED']]);
    expect((await as.send('DELETE', one)).body.data.name).toBe('Cheap');
    const gone = await as.get(one);
    expect([gone.status, codes(gone)]).toEqual([404, ['NOT_FOUND']]);
  });

  it('has up to 30 filters, by the listed attributes and operators', async () => {
    const { as, at } = await shop();
    const filter = { attribute: 'custom_label_0', operator: 'NOT_CONTAINS', value: 'x' };
    const many = (length: number) => Array.from({ length }, () => filter);
    const post = (filters: readonly object[]) =>
      as.send('POST', `${at}/product_sets`, { name: 'S', type: 'FILTERED', filters });
    expect((await post(many(30))).status).toBe(200);
    for (const filters of [
      many(31),
      [],
      [{ ...filter, attribute: 'title' }],
      [{ ...filter, operator: 'LIKE' }],
      [{ attribute: 'price', operator: 'LESS_THAN', value: '10' }],
      [{ attribute: 'price', operator: 'CONTAINS', value: '10 USD' }],
    ]) {
      const refused = await post(filters);
      expect([refused.status, codes(refused)]).toEqual([400, ['INVALID_PARAMETER']]);
    }
  });

  it.each([
    [{ name: 'S', type: 'MANUAL' }, 'MISSING_PARAMETER'],
    [{ name: 'S', type: 'FILTERED' }, 'MISSING_PARAMETER'],
    [{ type: 'MANUAL', product_keys: ['1'] }, 'MISSING_PARAMETER'],
    [{ name: 'S', type: 'MANUAL', product_keys: ['1'], filters: [] }, 'INVALID_PARAMETER'],
    [{ name: 'S', type: 'MANUAL', product_keys: ['1', '1'] }, 'INVALID_PARAMETER'],
    [{ name: 'S', type: 'MANUAL', product_keys: ['999999'] }, 'INVALID_PARAMETER'],
    [{ name: 'S', type: 'OTHER' }, 'INVALID_PARAMETER'],
  ])('refuses %o: %s', async (body, code) => {
    const { as, at } = await shop();
    const refused = await as.send('POST', `${at}/product_sets`, body);
    expect([refused.status, codes(refused)]).toEqual([400, [code]]);
  });

  it('are listed in pages', async () => {
    const { as, at } = await shop();
    const filters = [{ attribute: 'inventory', operator: 'EQUAL_TO', value: 1 }];
    for (const name of ['a', 'b', 'c']) {
      await as.send('POST', `${at}/product_sets`, { name, type: 'FILTERED', filters });
    }
    const answer = await as.get(`${at}/product_sets?count=2`);
    expect(answer.body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const two = await as.get(`${at}/product_sets?count=2&cursor=${answer.body.next_cursor}`);
    expect([two.body.data[0].name, two.body.next_cursor]).toEqual(['c', null]);
  });
});

describe('Cursors', () => {
  it('are sealed, and valid for their listing and its filters alone', async () => {
    const { as, at, put } = await shop();
    await put(product('a'), product('b'), product('c'));
    const filters = [{ attribute: 'inventory', operator: 'LESS_THAN', value: 9 }];
    for (const name of ['x', 'y']) {
      await as.send('POST', `${at}/product_sets`, { name, type: 'FILTERED', filters });
    }
    const { next_cursor: cursor } = (await as.get(`${at}/products?count=1`)).body;
    expect(cursor).toMatch(/^c-[0-9a-v]+$/);
    const second = await as.get(`${at}/products?count=2&cursor=${cursor}`);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(['b', 'c']);
    const changed = `${cursor.slice(0, -1)}${cursor.endsWith('0') ? '1' : '0'}`;
    const key = second.body.data[0].product_key;
    for (const path of [
      `products?cursor=${changed}`,
      `products?cursor=${key}`,
      `products?cursor=${cursor}&item_group_key=1`,
      `product_sets?cursor=${cursor}`,
    ]) {
      const refused = await as.get(`${at}/${path}`);
      expect([path, refused.status, codes(refused)]).toEqual([path, 400, ['INVALID_PARAMETER']]);
    }
    const other = await shop();
    expect((await other.as.get(`${other.at}/products?cursor=${cursor}`)).status).toBe(400);
  });
});

describe('Scheduled feeds', () => {
  const settings = {
    feed_url: 'https://shop.example/feed.csv',
    feed_format: 'CSV',
    frequency: 'HOURLY',
    repeat: '4',
    start_time: '01:30',
    time_zone: 'Europe/Berlin',
  };
  const queryOf = (changes: Partial<typeof settings>) =>
    new URLSearchParams({ ...settings, ...changes }).toString();

  it('one per user, changed and removed', async () => {
    const { as, id, at } = await shop();
    const { body } = await as.send('POST', `${at}/scheduled_feeds?${queryOf({})}`);
    const created_at = new Date(on.now).toISOString();
    expect(body.data).toEqual({
      id: expect.stringMatching(/^\d+$/),
      product_catalog_id: id,
      ...settings,
      created_at,
      updated_at: created_at,
    });
    const again = await as.send('POST', `${at}/scheduled_feeds?${queryOf({})}`);
    expect([again.status, codes(again)]).toEqual([403, ['ACTION_NOT_ALLOWED']]);
    on.now += 1000;
    const one = `${at}/scheduled_feeds/${body.data.id}`;
    const daily = await as.send('PUT', `${one}?frequency=DAILY`);
    expect(daily.body.data).toEqual({
      ...body.data,
      frequency: 'DAILY',
      repeat: null,
      updated_at: new Date(on.now).toISOString(),
    });
    expect((await as.get(`${at}/scheduled_feeds`)).body).toMatchObject({
      next_cursor: null,
      data: [daily.body.data],
    });
    expect((await as.send('DELETE', one)).body.data).toEqual(daily.body.data);
    expect((await as.get(`${at}/scheduled_feeds`)).body.data).toEqual([]);
  });

  it.each([
    { feed_url: 'ftp://shop.example/feed' },
    { feed_url: 'https://user:secret@shop.example/feed' },
    { feed_format: 'JSON' },
    { frequency: 'MONTHLY' },
    { repeat: '5' },
    { repeat: 'MONDAY' },
    { frequency: 'WEEKLY', repeat: '1' },
    { frequency: 'DAILY', repeat: '1' },
    { start_time: '24:00' },
    { start_time: '1:30' },
    { time_zone: 'Mars/Phobos' },
  ])('refuses %o', async (changes) => {
    const { as, at } = await shop();
    const refused = await as.send('POST', `${at}/scheduled_feeds?${queryOf(changes)}`);
    expect([refused.status, codes(refused)]).toEqual([400, ['INVALID_PARAMETER']]);
  });
});

describe('Limits', () => {
  it('counts the requests of a user through all apps', async () => {
    const one = merchant(true);
    const other = on.signer(`merchant${merchants}`, {
      access: 'enterprise',
      early_access: true,
      limited: true,
    });
    for (let i = 0; i < 20; i++) await one.send('POST', AT);
    const refused = await other.send('POST', AT);
    expect([refused.status, codes(refused)]).toEqual([429, ['TOO_MANY_REQUESTS']]);
    expect(refused.headers.get('x-rate-limit-remaining')).toBe('19');
    expect(refused.headers.get('x-account-rate-limit-remaining')).toBe('0');
  });

  it('a feed of more than 8 GB is not downloaded', async () => {
    let asked = 0;
    const { origin, close } = await openHost((_, response) => {
      asked += 1;
      response.writeHead(200, { 'content-length': 8 * 1024 ** 3 + 1 });
      response.write('id');
    });
    onTestFinished(close);
    const { as, id, at } = await shop();
    const query = new URLSearchParams({
      feed_url: `${origin}/feed`,
      feed_format: 'XML',
      frequency: 'DAILY',
      start_time: '00:00',
      time_zone: 'UTC',
    }).toString();
    await as.send('POST', `${at}/scheduled_feeds?${query}`);
    await on.service.request(`/catalogs/${id}/run`, { method: 'POST' });
    const [run] = await endedRuns(id);
    expect([asked, run]).toMatchObject([
      1,
      {
        outcome: 'failed',
        fault: 'The feed is larger than 8 GB, the most that is allowed.',
        bytes: null,
        created: 0,
      },
    ]);
  });
});

describe('Errors', () => {
  it.each([
    ['GET', `${AT}/1/nothing`, 404, 'ROUTE_NOT_FOUND'],
    ['PUT', AT, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', `${AT}/a-b/products`, 404, 'INVALID_ID_ILLEGAL_CHARACTERS'],
    ['GET', `${AT}/1/products`, 404, 'NOT_FOUND'],
    ['POST', AT, 400, 'MISSING_PARAMETER'],
    ['POST', `${AT}?name=`, 400, 'INVALID_PARAMETER'],
    ['GET', `${AT}?odd=1`, 400, 'INVALID_PARAMETER'],
  ] as const)('%s %s: %i %s', async (method, path, status, code) => {
    const as = merchant();
    const refused = await (method === 'GET' ? as.get(path) : as.send(method, path));
    expect([refused.status, codes(refused)]).toEqual([status, [code]]);
    expect(refused.body.request.params).toBeDefined();
  });

  it('an app that may only read is refused', async () => {
    on.user('reader', { merchant_terms: true });
    const as = on.signer('reader', { early_access: true, permission: 'read' });
    expect((await as.get(AT)).status).toBe(200);
    const refused = await as.send('POST', `${AT}?name=a`);
    expect([refused.status, codes(refused)]).toEqual([403, ['READONLY_CLIENT_APPLICATION']]);
  });
});
