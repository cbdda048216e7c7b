import { mkdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { killPoints, TIMES } from './kill-points.ts';
import type { MediaJob } from './media-child.ts';
import { runChild } from './child-process.ts';
import { FILE, openUploads, OWNER, SEGMENTS } from './uploads.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';

const inFolder = temporaryFolder();
let folders = 0;

/** Uploads in another process, which kills itself. @returns The folder, and what the process acknowledged. */
async function killed(kill: MediaJob['kill']) {
  const folder = inFolder(String((folders += 1)));
  mkdirSync(folder);
  const { signal, done } = await runChild('media-child', { folder, kill });
  return { folder, signal, lines: done };
}

it('an upload that no one kills is whole', async () => {
  const { lines, signal } = await killed(null);
  expect([signal, lines.slice(1)]).toEqual([
    null,
    ['sent 0', 'sent 1', 'sent 2', 'ended', 'checked'],
  ]);
});

/** Every write of an upload: its beginning, three segments, and the three states of its check. */
const WRITES = [
  ['media', 1],
  ['segment', 1],
  ['segment', 2],
  ['segment', 3],
  ['media', 2],
  ['media', 3],
  ['media', 4],
] as const;

it.each(killPoints(WRITES, TIMES).map(([[step, n], at]) => ({ step, n, at })))(
  'killed in the write $n of $step at $at, it keeps what it acknowledged',
  async (kill) => {
    const { folder, signal, lines } = await killed(kill);
    expect(signal).toBe('SIGKILL');
    const { uploads, files, send, close } = openUploads(folder);
    // No one finds half of a file.
    for (const { name } of files.finished()) {
      expect(readFileSync(files.path(name)).equals(FILE)).toBe(true);
    }
    uploads.start();
    await uploads.idle();
    const [id] = lines.flatMap((line) => /^begun (\d+)$/.exec(line)?.[1] ?? []);
    if (id === undefined) {
      expect([files.parts(), files.finished()]).toEqual([[], []]);
      close();
      return;
    }
    /** True if it takes segments: its end may be on the disk before it is acknowledged. */
    const isOpen = (): boolean => {
      try {
        return uploads.room(OWNER, id) > 0;
      } catch {
        return false;
      }
    };
    // Sends only what was not acknowledged, as a client would.
    if (!lines.includes('ended')) {
      for (const n of SEGMENTS.keys()) {
        if (!lines.includes(`sent ${n}`) && isOpen()) await send(id, n);
      }
      await uploads.finalize(OWNER, id);
      await uploads.idle();
    }
    expect(uploads.status(OWNER, id).data).toMatchObject({
      size: FILE.length,
      processing_info: { state: 'succeeded' },
    });
    const [file] = files.finished();
    expect(readFileSync(files.path(file?.name ?? '')).equals(FILE)).toBe(true);
    expect([files.parts(), files.finished().length]).toEqual([[], 1]);
    await uploads.close();
    close();
  },
);
