import { describe, expect, it } from 'vitest';
import { lineStream, MOST_WAITING } from '#server/streams/line-stream.ts';

async function rest(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
  }
  return text;
}

describe('a stream of lines', () => {
  it('sends lines in their order, each ended by a carriage return and a line feed', async () => {
    const lines = lineStream(() => {});
    const read = rest(lines.body);
    for (const line of ['a', 'ü']) expect(lines.write(line)).toBe(true);
    lines.end('last');
    expect(await read).toBe('a\r\nü\r\nlast\r\n');
    expect(lines.write('late')).toBe(false);
  });

  it('sends lines that wait as one part', async () => {
    const lines = lineStream(() => {});
    for (const line of ['first', 'second', 'third']) lines.write(line);
    const part = await lines.body.getReader().read();
    expect(new TextDecoder().decode(part.value)).toBe('first\r\nsecond\r\nthird\r\n');
  });

  it('sends an empty line only if nothing waits', async () => {
    const lines = lineStream(() => {});
    lines.keepAlive();
    lines.keepAlive();
    lines.write('a');
    lines.keepAlive();
    lines.end(null);
    expect(await rest(lines.body)).toBe('\r\na\r\n');
  });

  it('refuses a line beyond its bound, and keeps the lines that wait', async () => {
    const lines = lineStream(() => {});
    const line = 'x'.repeat(2 ** 20 - 2);
    let sent = 0;
    while (lines.write(line)) sent += 1;
    expect(lines.waiting()).toBe(sent * 2 ** 20);
    expect(lines.waiting()).toBeLessThanOrEqual(MOST_WAITING);
    lines.end('last');
    expect(await rest(lines.body)).toBe(`${`${line}\r\n`.repeat(sent)}last\r\n`);
  });

  it('drops whole lines for a slow reader, never a part of one', async () => {
    const lines = lineStream(() => {});
    const reader = lines.body.getReader();
    const first = reader.read();
    lines.write('first');
    expect(new TextDecoder().decode((await first).value)).toBe('first\r\n');
    for (const line of ['second', 'third']) lines.write(line);
    lines.drop();
    lines.end('slow');
    reader.releaseLock();
    expect(await rest(lines.body)).toBe('slow\r\n');
  });

  it('reports a reader that goes away, once, and then takes no lines', async () => {
    let closed = 0;
    const lines = lineStream(() => {
      closed += 1;
    });
    lines.write('a');
    await lines.body.cancel();
    expect([closed, lines.waiting(), lines.write('b')]).toEqual([1, 0, false]);
    lines.end('c');
    expect(closed).toBe(1);
  });
});
