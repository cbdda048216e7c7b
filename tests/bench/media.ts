import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { form, mp4 } from '#tests/support/data/media.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { goal, milliseconds, table } from './measure.ts';
import { memoryOf, serve, tokenFor } from './service.ts';

const MIB = 2 ** 20;
/** Size of a segment, as published clients send them. */
const SEGMENT = 4 * MIB;
/** The interval at which the memory is read, ms. */
const READ_MS = 10;
/** The interval at which the state of the check is requested, ms. */
const CHECK_MS = 50;

interface Answer {
  readonly data: { readonly id: string; readonly processing_info?: { readonly state: string } };
}

/** Sends a body, or requests an address without one, and reads the JSON of the answer. */
function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | null,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body ? 'POST' : 'GET', headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        const status = answer.statusCode ?? 0;
        if (status < 300) resolve(JSON.parse(text) as Answer);
        else reject(new Error(`${url.pathname}: ${status} ${text}`));
      });
    });
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}

/**
 * Uploads a video in segments of 4 MiB, and reads how much memory the service takes meanwhile, with the check of the
 * file.
 *
 * @param data - Folder for the service.
 * @param size - About the size of the video, bytes.
 */
export async function benchMedia(data: string, size: number): Promise<void> {
  mkdirSync(data, { recursive: true });
  giveTinySample(data);
  const user = await tokenFor(data, 'user');
  const served = await serve(data, await tokenFor(data, 'app'));
  const authorization = `Bearer ${user}`;
  const at = (path: string): URL => new URL(`/2/media/${path}`, served.url);
  const post = (path: string, type: string, body: Uint8Array): Promise<Answer> =>
    send(at(path), { authorization, 'content-type': type }, body);
  try {
    // All but its tables are bytes that do not repeat.
    const video = mp4({ seconds: 100, fill: size - 2000 });
    const noise = randomBytes(MIB);
    const end = video.lastIndexOf('moov') - 4;
    for (let place = 32; place + MIB < end; place += MIB) noise.copy(video, place);

    const before = memoryOf(served.pid)?.own ?? NaN;
    let most = before;
    const reading = setInterval(() => {
      most = Math.max(most, memoryOf(served.pid)?.own ?? NaN);
    }, READ_MS);
    const announced = { media_type: 'video/mp4', total_bytes: video.length };
    const json = Buffer.from(JSON.stringify(announced));
    const { id } = (await post('upload/initialize', 'application/json', json)).data;
    const uploaded = await milliseconds(async () => {
      for (let n = 0; n * SEGMENT < video.length; n++) {
        const media = video.subarray(n * SEGMENT, (n + 1) * SEGMENT);
        const part = form({ segment_index: String(n), media });
        await post(`upload/${id}/append`, part.type, part.body);
      }
    });
    const checked = await milliseconds(async () => {
      let { data: state } = await post(
        `upload/${id}/finalize`,
        'application/json',
        Buffer.alloc(0),
      );
      while (state.processing_info?.state !== 'succeeded') {
        if (state.processing_info?.state === 'failed') throw new Error(JSON.stringify(state));
        await setTimeout(CHECK_MS);
        state = (await send(at(`upload?media_id=${id}`), { authorization }, null)).data;
      }
    });
    clearInterval(reading);
    const mebibytes = video.length / MIB;
    const rate = (ms: number): string => Math.round((mebibytes * 1000) / ms).toString();
    table(`Upload of a video of ${Math.round(mebibytes)} MiB in segments of ${SEGMENT / MIB} MiB`, [
      ['upload MiB/s', 'check MiB/s', 'memory before MiB', 'most MiB'],
      [rate(uploaded), rate(checked), Math.round(before).toString(), Math.round(most).toString()],
    ]);
    // Memory is known on Linux only.
    if (!Number.isNaN(before)) goal('memory over baseline', most - before, '≤', 100, ' MiB');
  } finally {
    await served.stop();
  }
}
