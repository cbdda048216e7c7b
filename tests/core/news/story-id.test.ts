import { expect, it } from 'vitest';
import { firstMinuteOf, storyId } from '#core/news/story-id.ts';

it('is an id of the platform that contains the first minute', () => {
  for (const at of ['2006-03-21T00:00:00Z', '2016-07-21T10:05:00Z', '2100-01-01T00:00:00Z']) {
    const id = storyId('#harbour', Date.parse(at));
    expect(id).toMatch(/^[0-9]{1,19}$/);
    expect(firstMinuteOf(id)).toBe(Date.parse(at));
    expect(storyId('#harbour', Date.parse(at))).toBe(id);
    expect(storyId('harbour', Date.parse(at))).not.toBe(id);
  }
});
