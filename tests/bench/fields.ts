import { program } from '#tests/support/service/process.ts';
import { expectStatus, type Client } from './client.ts';
import { digits, goal, milliseconds, shown, table, timing } from './measure.ts';

/** Adds a community with the account of `tokenFor`, by the command. @returns Its id. */
export async function communityFor(data: string): Promise<string> {
  const args = ['community', 'add', 'Bench', '--member', 'bench', '--json', '--data', data];
  const { code, out, err } = await program(args);
  if (code !== 0) throw new Error(`community add ended with ${code}: ${err}`);
  return String((JSON.parse(out) as { id: unknown }).id);
}

/** Times Posts with every field that a Post may have at once, in turns with Posts of text alone. */
export async function benchFields(
  author: Client,
  community: string,
  rounds: number,
): Promise<void> {
  const create = async (body: object): Promise<string> => {
    const answer = expectStatus(await author.post('/2/tweets', body), 201, JSON.stringify(body));
    return (JSON.parse(answer.body.toString('utf8')) as { data: { id: string } }).data.id;
  };
  const root = await create({ text: 'The root of a conversation' });
  const fields = {
    reply: {
      in_reply_to_tweet_id: root,
      exclude_reply_user_ids: [],
      auto_populate_reply_metadata: true,
    },
    reply_settings: 'mentionedUsers',
    poll: { options: ['one', 'two', 'three', 'four'], duration_minutes: 60 },
    geo: { place_id: '01a9a39529b27f36' },
    community_id: community,
    share_with_followers: true,
    paid_partnership: true,
    made_with_ai: true,
    nullcast: false,
    for_super_followers_only: false,
  };
  const bare: number[] = [];
  const full: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const text = (kind: string): string => `A ${kind} Post of the benchmark with the number ${i}`;
    const timeBare = async (): Promise<void> =>
      void bare.push(await milliseconds(() => create({ text: text('bare') })));
    const timeFull = async (): Promise<void> =>
      void full.push(await milliseconds(() => create({ text: text('full'), ...fields })));
    // In both orders, as the second of a pair may profit from the first.
    for (const time of i % 2 === 0 ? [timeBare, timeFull] : [timeFull, timeBare]) await time();
  }
  const [alone, all] = [timing(bare), timing(full)];
  table(`${rounds} Posts of text alone and ${rounds} with every field, in turns`, [
    ['text alone ms', 'p95', 'every field ms', 'p95'],
    [shown(alone), digits(alone.p95), shown(all), digits(all.p95)],
  ]);
  const sum = (times: readonly number[]): number => times.reduce((total, ms) => total + ms, 0);
  goal('rate with every field, of the rate with text alone', sum(bare) / sum(full), '≥', 0.8);
}
