import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openLog } from '#server/streams/log.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { serve } from '#tests/support/service/command.ts';
import { dataRig } from './data-rig.ts';

const random = countingBytes();
const { data, run, write } = dataRig();
const file = write('event.json', [JSON.stringify({ broadcast_id: '1x' })]);
beforeAll(() => run('user', 'add', 'ann'));

const emit = (...args: string[]) => run('emit', ...args);

function types(): string[] {
  const log = openLog(() => openPosts(join(data, 'posts.sqlite'), { random }));
  const found = log.after(0, 100).map(({ type, body }) => `${type} ${JSON.stringify(body)}`);
  log.close();
  return found;
}

describe('an emitted event', () => {
  it('is in the log, with and without a running service', { tags: 'long' }, async () => {
    const done = { code: 0, out: 'spaces.start was emitted for @ann.\n', err: '' };
    expect(await emit('spaces.start', '--user', 'ann', '--json', file)).toMatchObject(done);
    const service = await serve(data);
    expect(await emit('spaces.start', '--user', 'ann', '--json', file)).toMatchObject(done);
    await service.stop();
    const event = 'spaces.start {"broadcast_id":"1x"}';
    expect(types()).toEqual([event, event]);
  });

  it('of a block has who blocks', async () => {
    const blocked = write('block.json', ['{"target_id":"7"}']);
    expect(await emit('block.block', '--user', 'ann', '--json', blocked)).toMatchObject({
      code: 0,
    });
    expect(types().at(-1)).toMatch(/^block\.block \{"source_id":"\d+","target_id":"7"\}$/);
  });

  it.each([
    [['post.create', '--user', 'ann'], /^post\.create cannot be emitted, because/],
    [['ProfileBioUpdate', '--user', 'ann'], 'ProfileBioUpdate is now named profile.update.bio.\n'],
    [['dm.snt', '--user', 'ann'], 'dm.snt is not a type of event. Did you mean dm.sent?\n'],
    [['dm.sent'], 'Name the account: --user NAME.\n'],
    [['spaces.end', '--user', 'ann'], 'spaces.end without --json: broadcast_id is missing.\n'],
    [['spaces.end', '--user', 'bob', '--json', file], 'There is no account @bob.\n'],
  ] as const)('%j is refused and says why', async (args, why) => {
    const before = types();
    const { code, out, err } = await emit(...args);
    expect(code).toBeGreaterThan(0);
    expect(out).toBe('');
    if (typeof why === 'string') expect(err).toBe(why);
    else expect(err).toMatch(why);
    expect(types()).toEqual(before);
  });
});
