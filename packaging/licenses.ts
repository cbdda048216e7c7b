import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Name of the file with the licenses, in the folder of each build. */
export const LICENSES = 'licenses.txt';

/** Texts for packages that are published without one, by name. */
const OWN = fileURLToPath(new URL('licenses', import.meta.url));

/** The folder of the package that a module belongs to; null for a module of this one. */
function packageOf(module: string): string | null {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/@]+)\//.exec(module)?.[1] ?? null;
}

/** A package's name, version and license, with the texts that come with it. @throws {@link Error} if there is none. */
function entryOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: string };
  const own = join(OWN, `${name.replace('/', '-')}.txt`);
  const files = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i.test(file))
    .map((file) => join(folder, file));
  if (files.length === 0 && existsSync(own)) files.push(own);
  if (files.length === 0) throw new Error(`${name} is bundled and has no license; add ${own}.`);
  const texts = files.sort().map((file) => readFileSync(file, 'utf8').trim());
  return [`${name} ${version}${license ? ` (${license})` : ''}`, ...texts].join('\n\n');
}

/**
 * Writes the licenses of all packages of a build, with those of its workers, which `build.license` of Vite leaves out.
 *
 * @returns The plugins of the page or program, and of its workers.
 */
export function licenses(): { readonly program: Plugin; readonly worker: Plugin } {
  const folders = new Set<string>();
  const collecting = (name: string, end: (emit: (text: string) => void) => void): Plugin => ({
    name,
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle)) {
        for (const module of part.type === 'chunk' ? part.moduleIds : []) {
          const folder = packageOf(module);
          if (folder !== null) folders.add(folder);
        }
      }
      end((source) => this.emitFile({ type: 'asset', fileName: LICENSES, source }));
    },
  });
  return {
    worker: collecting('licenses-of-worker', () => {}),
    program: collecting('licenses', (emit) => {
      const entries = [...new Set([...folders].map(entryOf))].sort();
      const head = 'Groundswell contains parts of these packages, under their own licenses.';
      emit(`${[head, ...entries].join(`\n\n${'='.repeat(80)}\n\n`)}\n`);
    }),
  };
}
