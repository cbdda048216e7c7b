import * as v from 'valibot';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { EndpointClient } from '#app/api/endpoint-call.ts';
import { unreachable } from '#app/api/answer-fault.ts';
import PromotedPosts from '#app/events/ads/PromotedPosts.svelte';
import type { CampaignAnswer } from '#contract/ads/advertisers.ts';
import { Fault } from '#contract/fault.ts';
import { mounted } from '#tests/support/browser/mounted.ts';

const NOTHING = { budget: null, spend: null, impressions: null, clicks: null };
const ANSWER: CampaignAnswer = {
  id: 'c1',
  name: 'Autumn',
  currency: null,
  timezone: 'UTC',
  run: null,
  ...NOTHING,
  days: [],
  posts: [
    { id: '1', text: 'Our boots are here', url: 'https://x.com/shop/status/1' },
    { id: '2', text: 'Coats too', url: null },
  ],
};

/** Shows the Posts of answers, one for each request. @returns The text of the page, and the paths of requests. */
function open(...answers: readonly (CampaignAnswer | Error)[]) {
  const asked: string[] = [];
  const client: EndpointClient = {
    json: async (path, schema) => {
      const answer = answers[asked.push(path) - 1];
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(v.parse(schema, answer));
    },
    send: () => Promise.reject(new TypeError('expected no change')),
  };
  const { target } = mounted(PromotedPosts, { client, ad: { account: 'a1', campaign: 'c1' } });
  return { text: () => target.innerText.replaceAll(/\s+/g, ' ').trim(), asked };
}

it('lists the Posts that a campaign promotes with their address', async () => {
  const { text, asked } = open(ANSWER);
  await expect.poll(text).toMatch(/^Promoted Posts Our boots are here Open.* Coats too$/);
  expect(page.getByRole('link').element().getAttribute('href')).toBe('https://x.com/shop/status/1');
  expect(asked).toEqual(['/advertisers/a1/campaigns/c1']);
});

const gone = new Fault(404, { title: 'Not Found', type: 'about:blank', detail: '' });
it.each([
  ['promotes none of the service’s Posts', { ...ANSWER, posts: [] }],
  ['is not of this service', gone],
])('is not there for a campaign that %s', async (_, answer) => {
  const { text, asked } = open(answer);
  await expect.poll(() => asked.length).toBe(1);
  await expect.poll(text).toBe('');
});

it('says that the service is away, and tries again', async () => {
  const { text } = open(unreachable(new TypeError('offline')), ANSWER);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(text).toContain('Our boots are here');
});
