import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { openPlatform } from '#server/platform/store.ts';
import { serve } from '#tests/support/service/command.ts';
import { POSTS } from '#tests/support/service/paid-service.ts';
import { startPlatform } from '#tests/support/service/platform.ts';
import { dataRig } from './data-rig.ts';

const { data, run } = dataRig();

const alert = (...args: string[]) => run('alert', ...args);
const RULE =
  'rings from 3 times the usual of a day and at least 10 Posts, at most about once a week (0 weeks of history)';

describe('groundswell alert', () => {
  it('adds, lists and removes, with and without a running service', async () => {
    const slack = 'slack:https://hooks.slack.com/services/secret';
    expect(await alert('list')).toMatchObject({ out: 'There are no alerts.\n', code: 0 });
    const added = await alert(
      'add',
      'oat',
      '--name',
      'Oat',
      '--to',
      slack,
      '--quiet',
      '22:00-07:00',
    );
    expect(added.out).toBe(`Alert 1 “Oat” ${RULE}.\n`);
    const service = await serve(data);
    expect((await alert('add', 'tea', '--for', 'quiet')).out).toBe(
      'Alert 2 “tea” rings for silence and low days.\n',
    );
    expect((await alert('list')).out).toBe(
      `1  Oat  ${RULE}  slack hooks.slack.com\n2  tea  rings for silence and low days\n`,
    );
    await service.stop();
    expect((await alert('remove', '1')).out).toBe('The alert “Oat” was removed.\n');
    const { out } = await alert('list', '--json');
    expect(JSON.parse(out)).toMatchObject({
      alerts: [{ id: '2', name: 'tea', direction: 'quiet', factor: null, channels: [] }],
    });
  });

  it('prints what would have rung, and what rang', async () => {
    expect((await alert('backtest', 'oat', '--budget', 'month')).out).toContain(
      '1 message in the last 13 weeks, by the counts as they are today.',
    );
    expect((await alert('backtest', 'oat', '--factor', '2.5')).out).toContain(
      'It rings from 2.5 times the usual of a day and at least 10 Posts: ',
    );
    expect((await alert('messages')).out).toBe('There are no messages.\n');
  });

  it.each([
    [['ring'], 2, 'Say what to do: groundswell alert add, list, messages, test, remove, backtest.'],
    [['add'], 2, 'Give the query: groundswell alert add QUERY.'],
    [['add', 'oat', '--budget', 'year'], 2, '--budget year is not one of day, week, month.'],
    [['add', 'oat', '--factor', '0.5'], 2, '--factor 0.5 is not one of 1.5, 1.75, 2, '],
    [['list', '--factor', '2'], 2, '--factor belongs to groundswell alert add, backtest.'],
    [['add', 'oat', '--zone', 'Mars'], 2, '--zone Mars is not a time zone'],
    [['add', 'oat', '--quiet', '22'], 2, '--quiet 22 is not two times'],
    [['add', 'oat', '--to', 'fax:1'], 2, '--to fax:1 is not a kind and an address'],
    [['add', 'oat', '--to', 'email:a@b.cd'], 1, 'GROUNDSWELL_SMTP_URL is not set'],
    [['add', '(oat'], 1, 'at position'],
    [['backtest', 'oat', '--quiet', '22:00-23:00'], 2, '--quiet'],
    [['add', 'oat', '--agree', '1'], 2, '--agree belongs to --source platform'],
    [['add', 'oat', '--source', 'platform', '--agree', 'much'], 2, '--agree much is not a price'],
    [['list', '--agree', '1'], 2, '--agree belongs to groundswell alert add, backtest.'],
    [['test', '9'], 1, 'There is no alert 9.'],
    [['remove'], 2, 'Name the alert by its number: groundswell alert remove ID.'],
  ])('%j is refused', async (args, exit, message) => {
    const { err, code } = await alert(...args);
    expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
  });

  it('agrees to a price for the platform, which a running service watches', async () => {
    const platform = await startPlatform({ posts: POSTS });
    const store = openPlatform(join(data, 'platform.sqlite'));
    store.putSettings({ ...DEFAULT_PLATFORM_SETTINGS, archiveSpacingMs: 0 });
    store.close();
    const storm = (action: string, ...args: string[]) =>
      alert(action, 'storm', '--source', 'platform', ...args);
    expect((await storm('add', '--agree', '1')).err).toContain(
      'The platform is watched by a running service: start it first.',
    );
    const environment = {
      GROUNDSWELL_PLATFORM_TOKEN: platform.token,
      GROUNDSWELL_PLATFORM_URL: platform.url,
    };
    const service = await serve(data, { environment });
    const price = 'It costs up to $0.15 a month: groundswell alert add --agree 0.15.\n';
    expect((await storm('backtest')).out).toContain(
      `(0 weeks of history): 1 message in the last 13 weeks, by the counts as they are today.
Too little history is known to choose a factor: this is the one of most topics.
${price}The history that is not bought yet costs $0.05: give --agree 0.05 to buy it.\n`,
    );
    expect(platform.sent).toEqual([]);
    const { out } = await storm('backtest', '--agree', '0.05');
    expect([out.endsWith(`today.\n${price}`), platform.sent.length]).toEqual([true, 5]);
    const refused = await storm('add', '--agree', '0.14');
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('up to $0.15 a month, more than the agreed $0.14. It was not saved'),
    ]);
    expect((await storm('add', '--agree', '0.15')).out).toMatch(
      /^Alert \d+ “storm” rings from \S+ times the usual of a day and at least 10 Posts, at most about once a week, for up to \$0\.15 a month\.\n$/,
    );
    await service.stop();
    await platform.close();
  });
});
