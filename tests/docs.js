// Finds links, headings, files and scripts that the documentation names and that do not exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const pages = [...readdirSync('.'), ...readdirSync('docs').map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
);
const sources = [
  ...readdirSync('.'),
  ...['src', 'tests', 'bin', 'packaging'].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`),
  ),
].map((name) => `/${name.replaceAll('\\', '/')}`);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page) {
  const text = readFileSync(page, 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isLinked(page, link) {
  if (/^[a-z]+:/.test(link)) return true;
  const [path, anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

/** True if a path of the source, which may leave out its beginning, exists. `{a,b}` names several, `<a>` any. */
function isInSource(path) {
  const [, before, list, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  if (list !== undefined) return list.split(',').every((part) => isInSource(before + part + after));
  const pattern = path.replaceAll('.', '\\.').replaceAll(/<[^>]*>/g, '[^/]+');
  const named = new RegExp(`/${pattern.replace(/\/$/, '')}(/|$)`);
  return sources.some((file) => named.test(file));
}

/** A file of other people's archives. */
const FOREIGN = 'tweets.js';

const PATH =
  /^(?:[\w.<>{},-]+\/)*[\w.<>{},-]+\.(?:ts|js|svelte|css|yaml)$|^(?:src|tests|core|contract|app|server)\/[\w.<>{},/-]+$/;
const faults = pages.flatMap((page) => {
  const text = readFileSync(page, 'utf8');
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  const paths = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, path]) => path);
  const runs = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script]) => script);
  return [
    ...links.filter((link) => !isLinked(page, link)),
    ...paths.filter((path) => PATH.test(path) && path !== FOREIGN && !isInSource(path)),
    ...runs.filter((script) => !(script in scripts)).map((script) => `npm run ${script}`),
  ].map((name) => `${page}: “${name}” does not exist.`);
});
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
