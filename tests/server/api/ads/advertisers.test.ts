import { expect, it } from 'vitest';
import { ADVERTISERS } from '#contract/ads/advertisers.ts';
import { adsStage } from './ads-stage.ts';

const { on, account, add } = adsStage();

it('lists the ad accounts of all users with their campaigns, to the session alone', async () => {
  const other = on.signer('bob');
  add('CAMPAIGN', { name: 'Spring' }, { name: 'Autumn' });
  const [removed] = on.service.ads.add(
    [{ kind: 'ACCOUNT', holder: other.id, parent: null, fields: { name: 'Gone' } }],
    on.now,
  );
  if (removed) on.service.ads.remove(removed, on.now);
  const shop = {
    id: account,
    name: 'Shop',
    username: 'alice',
    timezone: 'Europe/Berlin',
    campaigns: 2,
  };
  const { status, body } = await on.dashboard('alice').get(ADVERTISERS.path);
  expect([status, body]).toEqual([200, { accounts: [shop] }]);
  expect((await other.get(ADVERTISERS.path)).status).toBe(403);
});
