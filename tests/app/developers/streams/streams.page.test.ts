import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { plainProblem } from '#contract/fault.ts';
import { violationsIn } from '#tests/support/browser/accessibility.ts';
import { MemoryService } from '#tests/app/settings/memory-service.ts';
import { button, openDevelopers, root, rowsIn, text, WAIT } from '../developers-page.ts';
import { connection, subscription } from './examples.ts';

const AT = '2026-11-20T11:30:00.000Z';
const WEBHOOK = {
  id: '1800000000000000001',
  url: 'https://example.com/hook',
  app: 'Radar',
  valid: true,
  created_at: AT,
  checked_at: AT,
  validated_at: AT,
  fault: null,
  filtered_stream: { source: 'posts', since: AT } as const,
  pending: 0,
  pending_since: null,
  delivery_fault: null,
};

const FAILING = {
  ...WEBHOOK,
  id: '1800000000000000002',
  url: `https://example.com/${'long/'.repeat(30)}`,
  valid: false,
  fault: 'The server answered with status 503.',
  pending: 1200,
  pending_since: AT,
  delivery_fault: 'There was no answer within 10 seconds.',
};

/** A service with some of everything; `name` is that of its app. */
function filled(name = 'Radar'): MemoryService {
  const service = new MemoryService();
  const slow = { disconnected_at: AT, reason: 'slow_reader' } as const;
  service.streams = {
    apps: {
      count: 2,
      most: [
        {
          id: '7',
          name,
          access: 'enterprise',
          filtered_stream: { limit: 25_000, posts: 1234, sample: 1 },
          powerstream: { limit: 1000, posts: 1, sample: 0 },
          subscriptions: { limit: 75_000, posts: 103, sample: 1 },
        },
        {
          id: '8',
          name: 'Hooks',
          access: 'pay-per-use',
          filtered_stream: { limit: 1000, posts: 0, sample: 0 },
          powerstream: { limit: 1000, posts: 0, sample: 0 },
          subscriptions: { limit: 1500, posts: 0, sample: 0 },
        },
      ],
    },
    open: { count: 1, newest: [connection(1, { app: name })] },
    past: { count: 500, newest: [connection(2, { ...slow, app: name, client_ip: null })] },
  };
  service.rules = {
    'powerstream posts 7': [{ id: '600', value: 'coffee AND contains:cup', tag: null }],
    'filtered_stream posts 7': Array.from({ length: 101 }, (_, i) => ({
      id: String(i + 1),
      value: `word${i + 1} lang:en`,
      tag: i === 0 ? 'first' : null,
    })),
    'filtered_stream sample 7': [{ id: '500', value: 'W'.repeat(200), tag: null }],
  };
  service.subscriptions = {
    'posts 7': Array.from({ length: 103 }, (_, i) =>
      subscription(i + 1, {
        ...(i === 1 && {
          type: 'follow.follow',
          event_type: 'follow.follow',
          direction: 'outbound',
          tag: 'fans',
          webhook_id: FAILING.id,
        }),
        ...(i === 2 && {
          type: 'news.new',
          event_type: 'news.new',
          account: null,
          keyword: 'tea time',
          webhook_id: '1800000000000000009',
        }),
        ...(i === 3 && { account: { id: '44', username: null } }),
      }),
    ),
    'sample 7': [subscription(500, { tag: 'W'.repeat(200) })],
  };
  service.deliveries = {
    webhooks: [WEBHOOK, FAILING],
    dead_letters: [
      {
        webhook_id: WEBHOOK.id,
        to: WEBHOOK.url,
        subscription: '5',
        event: 'post.create',
        created_at: AT,
        given_up_at: AT,
        fault: 'The server answered with status 500.',
      },
    ],
    replays: [
      {
        job_id: '9',
        webhook_id: WEBHOOK.id,
        from: AT,
        to: AT,
        state: 'complete',
        created_at: AT,
        ended_at: AT,
      },
    ],
  };
  return service;
}

async function open(options: Parameters<typeof openDevelopers>[1] = {}) {
  await page.viewport(1280, 900);
  const service = options.service ?? filled();
  const settings = openDevelopers('streams', { ...options, service });
  await expect.poll(text, WAIT).toMatch(/Webhooks|doesn’t answer|could not do/);
  return { ...settings, service };
}

const rowsOf = (name: string): string[][] =>
  rowsIn(root().querySelector(`table[aria-label="${name}"]`));

describe.each(['light', 'dark'] as const)('streams in the %s theme', (theme) => {
  it.each([
    ['with everything', filled],
    ['empty', () => new MemoryService()],
  ])('break no accessibility rule: %s', async (_, service) => {
    const isFilled = service === filled;
    await open({ theme, service: service() });
    if (isFilled) {
      await button('Show the rules of Radar for Your posts').click();
      await button('Show the subscriptions of Radar for Your posts').click();
      await expect.poll(text, WAIT).toContain('word1 lang:en');
      await expect.poll(text, WAIT).toContain('post.create of @ann1');
    }
    expect(await violationsIn(root())).toEqual([]);
  });
});

describe('streams', () => {
  it.each([
    [1440, 900],
    [390, 844],
    [320, 568],
  ])('fit the page at %d × %d', async (width, height) => {
    for (const service of [filled('W'.repeat(32)), new MemoryService()]) {
      const { close } = await open({ service });
      await page.viewport(width, height);
      for (const kind of ['rules', 'subscriptions']) {
        const name = new RegExp(`^Show the ${kind} of W+ for (Sample|Your posts)$`);
        for (const show of page.getByRole('button', { name }).elements()) {
          (show as HTMLElement).click();
        }
      }
      await expect.poll(text, WAIT).not.toContain('Loading');
      const pane = root().querySelector('.pane') as HTMLElement;
      expect(pane.scrollWidth).toBeLessThanOrEqual(pane.clientWidth);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
      await close();
    }
  });

  it('list connections, rules and webhooks in the locale of the user, with failures in words', async () => {
    await open({ locale: 'de-DE' });
    const since = '20 Nov 2026, 11:00';
    expect(rowsOf('Connections')).toEqual([
      ['Stream', 'App', 'Client', 'Since', 'State', ''],
      ['Filtered stream · Your posts', 'Radar', '127.0.0.1', since, 'Open', 'End'],
      [
        'Filtered stream · Your posts',
        'Radar',
        '–',
        since,
        'The client read too slowly · 20 Nov 2026, 12:30',
        '',
      ],
    ]);
    expect(text()).toContain('The newest 1 of 500 past connections.');
    expect(rowsOf('Rules and subscriptions')).toEqual([
      ['App', 'Kind', 'Source', 'Count', 'Limit', ''],
      ['Radar', 'Rules', 'Your posts', '1.234', '25.000', 'Show'],
      ['Radar', 'Rules', 'Sample', '1', '25.000', 'Show'],
      ['Radar', 'Powerstream rules', 'Your posts', '1', '1.000', 'Show'],
      ['Radar', 'Subscriptions', 'Your posts', '103', '75.000', 'Show'],
      ['Radar', 'Subscriptions', 'Sample', '1', '75.000', 'Show'],
      ['Hooks', 'None'],
    ]);
    expect(text()).toContain('Receives the filtered stream of Your posts · since 20 Nov 2026');
    expect(text()).toContain('Not valid since');
    expect(text()).toContain('The server answered with status 503.');
    expect(text()).toContain('1.200 deliveries are waiting');
    expect(text()).toContain('Last failure: There was no answer within 10 seconds.');
    expect(text()).toContain('Given up after 24 hours');
    expect(text()).toContain('Replays');
  });

  it('show the rules of an app with their tags, a page at a time, and hide them', async () => {
    await open();
    await button('Show the rules of Radar for Your posts').click();
    await expect.poll(text, WAIT).toContain('word1 lang:en first');
    expect(text()).not.toContain('word101');
    await button('Show more').click();
    await expect.poll(text, WAIT).toContain('word101 lang:en');
    expect(button('Show more').elements()).toEqual([]);
    await button('Hide the rules of Radar for Your posts').click();
    expect(text()).not.toContain('word1 lang:en');
    await button('Show the powerstream rules of Radar for Your posts').click();
    await expect.poll(text, WAIT).toContain('coffee AND contains:cup');
  });

  it('show the subscriptions of an app in words, all or those to one type of event', async () => {
    await open();
    await button('Show the subscriptions of Radar for Your posts').click();
    await expect
      .poll(text, WAIT)
      .toContain('post.create of @ann1 Stream · created 20 Nov 2026, 11:00');
    expect(text()).toContain(`follow.follow by @ann2 fans Stream and ${FAILING.url}`);
    expect(text()).toContain('Last failure: There was no answer within 10 seconds.');
    expect(text()).toContain('news.new with “tea time” Stream; its webhook was removed');
    expect(text()).toContain('post.create of account 44');
    expect(text()).not.toContain('@ann103');
    await button('Show more').click();
    await expect.poll(text, WAIT).toContain('@ann103');
    await page.getByLabelText('Event type').selectOptions('news.new (1)');
    await expect.poll(text, WAIT).not.toContain('@ann103');
    expect(text()).toContain('news.new with “tea time”');
    await button('Hide the subscriptions of Radar for Your posts').click();
    expect(text()).not.toContain('tea time');
  });

  it('delete a subscription by the keyboard, and undo that', async () => {
    const { service, toasts } = await open();
    await button('Show the subscriptions of Radar for Your posts').click();
    await button('Show more').click();
    await expect.poll(text, WAIT).toContain('@ann103');
    const remove = button('Delete the subscription to follow.follow by @ann2');
    (remove.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => remove.elements(), WAIT).toEqual([]);
    await expect
      .poll(() => document.activeElement?.getAttribute('aria-label'), WAIT)
      .toBe('Delete the subscription to news.new with “tea time”');
    expect(toasts.list.map((toast) => toast.text)).toEqual([
      'Deleted the subscription to follow.follow by @ann2.',
    ]);
    expect(text()).toContain('@ann103');
    await button('Undo').click();
    await expect.poll(() => remove.elements().length, WAIT).toBe(1);
    expect(text()).toContain('@ann103');
    expect(service.sent).toEqual([
      'DELETE /streams/subscriptions/2',
      'POST /streams/subscriptions/2/restore',
    ]);
  });

  it('end a connection and say so', async () => {
    const { service, toasts } = await open();
    const end = page.getByRole('button', { name: /^End the connection of Radar/ });
    await end.click();
    await expect.poll(text, WAIT).toContain('Ended on request');
    expect(service.sent).toEqual(['/streams/connections/00000000-0000-4000-8000-000000000001']);
    expect(toasts.list.map((toast) => toast.text)).toEqual(['Ended the connection of Radar.']);
    expect(end.elements()).toEqual([]);
  });

  it('say how to begin where there is nothing yet', async () => {
    const { copied } = await open({ service: new MemoryService() });
    expect(text()).toContain('No connections in the last 7 days.');
    expect(text()).toContain('No rules yet.');
    expect(text()).toContain('No subscriptions yet.');
    expect(text()).toContain('No webhooks yet.');
    await page.getByRole('button', { name: 'Copy' }).nth(1).click();
    expect(copied[0]).toMatch(/^curl http.*\/2\/tweets\/search\/stream\/rules -H "Authorization/);
  });

  it('say that they load, why they could not be loaded, and keep what was loaded before', async () => {
    const service = filled();
    let release = (): void => undefined;
    service.hold = new Promise((resolve) => (release = resolve));
    openDevelopers('streams', { service });
    await expect.poll(text, WAIT).toContain('Loading the streams…');
    service.fails = plainProblem(503, 'Service Unavailable', 'The store is busy.');
    release();
    await expect.poll(text, WAIT).toContain('The service could not do this: The store is busy.');
    await button('Try again').click();
    await expect.poll(() => rowsOf('Connections').length, WAIT).toBe(3);
    expect(text()).not.toContain('The store is busy.');
  });
});
