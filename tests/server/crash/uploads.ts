import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openService } from '#server/auth/store.ts';
import type { StepAt } from '#server/db/driver.ts';
import { MediaFiles } from '#server/media/media-files.ts';
import { MediaUploads } from '#server/media/media-uploads.ts';
import { mp4 } from '#tests/support/data/media.ts';

/** The account that uploads. */
export const OWNER = { id: '7', username: 'ann' };
/** The file, in three segments. */
export const FILE = mp4({ fill: 50_000 });
export const SEGMENTS = [0, 1, 2].map((n) => FILE.subarray(n * 20_000, (n + 1) * 20_000));

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Uploads of a data folder, and a way to send a segment. @param onStep - As for every store. */
export function openUploads(folder: string, onStep: (step: string, at: StepAt) => void = () => {}) {
  const random = (n: number): Uint8Array => randomBytes(n);
  const service = openService(join(folder, 'service.sqlite'), { random }, { onStep });
  const files = new MediaFiles(join(folder, 'media'), random);
  const uploads = new MediaUploads({
    table: service.media,
    files,
    use: { key: () => false, files: () => new Set() },
    now: Date.now,
    random,
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  const send = async (id: string, n: number): Promise<void> => {
    const tooLong = (): Error => new RangeError('expected a segment that is not too long');
    const part = await files.receive(pieces(SEGMENTS[n]!), FILE.length, tooLong);
    uploads.append(OWNER, id, n, part);
  };
  return { uploads, files, send, close: () => service.close() };
}
