import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { localNames, publicNames } from '#server/fetcher/resolve.ts';

/** Types of records (RFC 1035, RFC 3596). */
const [A, AAAA] = [1, 28];
/** Records of the test's name server, by name and type. */
const RECORDS = new Map<string, Buffer>([
  [`both.test ${A}`, Buffer.from([8, 8, 8, 8])],
  [`both.test ${AAAA}`, Buffer.from('20014860486000000000000000008888', 'hex')],
  [`four.test ${A}`, Buffer.from([1, 1, 1, 1])],
]);

/** The name and type that a query asks for, and where its question ends. */
function questionOf(query: Buffer): { key: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { key: `${labels.join('.')} ${query.readUInt16BE(at + 1)}`, end: at + 5 };
}

/** The answer to a query: one record, or that there is none of the type. */
function answerTo(query: Buffer): Buffer {
  const { key, end } = questionOf(query);
  const data = RECORDS.get(key);
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(data ? 1 : 0, 6);
  head.writeUInt16BE(0, 10);
  const parts = [head, query.subarray(12, end)];
  if (data) {
    const record = Buffer.alloc(12);
    // The name of the question, its type and class, and 60 seconds.
    record.writeUInt16BE(0xc00c, 0);
    query.copy(record, 2, end - 4, end);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    parts.push(record, data);
  }
  return Buffer.concat(parts);
}

const server = createSocket('udp4');
server.on('message', (query, { port }) => server.send(answerTo(query), port, '127.0.0.1'));
server.bind(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());
const resolve = publicNames([`127.0.0.1:${server.address().port}`]);

it('names resolve to all of their addresses', async () => {
  expect(await resolve('both.test')).toEqual(['8.8.8.8', '2001:4860:4860::8888']);
  expect(await resolve('four.test')).toEqual(['1.1.1.1']);
});

it('names without addresses are an error', async () => {
  await expect(resolve('none.test')).rejects.toMatchObject({ code: 'ENODATA' });
});

it('localhost is this machine', async () => {
  const addresses = await localNames('localhost');
  expect(addresses.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
});
