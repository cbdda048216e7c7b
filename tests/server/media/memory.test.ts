import { afterAll, expect, it } from 'vitest';
import { form } from '#tests/support/data/media.ts';
import { memoryHeld } from '#tests/support/memory.ts';
import { startService } from '#tests/support/service/service.ts';

const MB = 2 ** 20;
/** Size of a segment, and how often the memory is read while it arrives. */
const SIZE = 60 * MB;
const READINGS = 4;
const PIECE = MB / 4;

const service = startService();
afterAll(() => service.close());

it('a segment of 60 MB is never in memory', { tags: 'long' }, async () => {
  const url = await service.listen();
  const { token } = service.auth.issueUserToken({ name: 'ann', limited: false });
  const authorization = `Bearer ${token}`;
  const begun = await fetch(`${url}/2/media/upload/initialize`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ media_category: 'tweet_video', total_bytes: SIZE }),
  });
  const { id } = (await begun.json()).data;
  const before = await memoryHeld();
  const held: number[] = [];
  const mark = 'THE FILE';
  const { body, type } = form({ segment_index: '0', media: Buffer.from(mark) });
  const whole = Buffer.from(body);
  const [head, tail] = [whole.indexOf(mark), whole.indexOf(mark) + mark.length];
  const piece = new Uint8Array(PIECE);
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    start: (to) => to.enqueue(whole.subarray(0, head)),
    pull: async (to) => {
      if (sent % (SIZE / READINGS) === 0) held.push((await memoryHeld()) - before);
      if (sent < SIZE) {
        to.enqueue(piece);
        sent += PIECE;
        return;
      }
      to.enqueue(whole.subarray(tail));
      to.close();
    },
  });
  const answer = await fetch(`${url}/2/media/upload/${id}/append`, {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body: stream,
    duplex: 'half',
  } as RequestInit);
  expect(answer.status).toBe(200);
  expect(held).toHaveLength(READINGS + 1);
  expect(Math.max(...held)).toBeLessThan(16 * MB);
});
