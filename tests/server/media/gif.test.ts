import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BrokenFileError, readGif } from '#server/media/gif.ts';
import { gif } from '#tests/support/data/media.ts';
import { runs } from '#tests/support/run/runs.ts';

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

it('reads the same from pieces of any length', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 5000 }),
    fc.integer({ min: 1, max: 40 }),
    async (length, images) => {
      const found = await readGif(pieces(gif(7, 9, images, 600), length));
      expect(found).toEqual({ format: 'image/gif', width: 7, height: 9, images });
    },
  );
  await fc.assert(property, { numRuns: runs(50) });
});

it('skips the color tables of images, and what follows the end', async () => {
  const one = gif(2, 2, 1);
  const at = one.indexOf(0x2c);
  const local = Buffer.concat([
    one.subarray(0, at + 9),
    // A table of four colors.
    Buffer.from([0x81]),
    Buffer.alloc(12, 0x2c),
    one.subarray(at + 10),
    Buffer.from('more'),
  ]);
  expect(await readGif(pieces(local, 5))).toMatchObject({ images: 1 });
});

it('refuses every beginning of a GIF, and other files', async () => {
  const whole = gif(3, 3, 2);
  for (let length = 0; length < whole.length; length++) {
    await expect(readGif(pieces(whole.subarray(0, length), 4))).rejects.toThrow(BrokenFileError);
  }
  await expect(readGif(pieces(Buffer.from('GIF88a 1234567'), 4))).rejects.toThrow(/begin as a GIF/);
  await expect(readGif(pieces(gif(0, 3, 2), 4))).rejects.toThrow(/no width or no height/);
  await expect(readGif(pieces(gif(3, 3, 0), 4))).rejects.toThrow(/no image/);
  const odd = Buffer.from(whole);
  odd[whole.length - 1] = 7;
  await expect(readGif(pieces(odd, 4))).rejects.toThrow(/unknown block after image 2/);
});
