import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(?:js|css|html|svg|json|txt)$/;

/** Smaller files have little to save, and one packet holds them anyway. */
const LEAST_BYTES = 1024;

/**
 * Writes every text of a build with gzip too, next to it, so that the service need not compress any; and with brotli,
 * which takes as long as the rest of the build, unless a person waits for it.
 */
export function compressed(isQuick: boolean): Plugin {
  const packings = {
    gz: promisify(gzip),
    ...(!isQuick && { br: promisify(brotliCompress) }),
  };
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => TEXT.test(name));
      await Promise.all(
        names.map(async (name) => {
          const file = join(dir, name);
          const content = await readFile(file);
          if (content.length < LEAST_BYTES) return;
          for (const [ending, pack] of Object.entries(packings)) {
            await writeFile(`${file}.${ending}`, await pack(content));
          }
        }),
      );
    },
  };
}
