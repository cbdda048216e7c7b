import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';

const SCRIPT = readFileSync('public/old-browser.js', 'utf8');
const NEW = { AbortSignal: { any: () => null }, ClipboardItem: Object, isSecureContext: true };
const VERSIONS = 'Chrome or Edge 116, Firefox 127, Safari 17.4';

/** The text of the page in a browser with these interfaces; null if there is none. */
function said(globals: object): string | null {
  const added: { textContent: string; style: object; setAttribute(): void }[] = [];
  const document = {
    createElement: () => ({ textContent: '', style: {}, setAttribute: () => undefined }),
    body: { firstChild: null, insertBefore: (note: (typeof added)[number]) => added.push(note) },
  };
  runInNewContext(SCRIPT, { window: globals, ...globals, document });
  return added[0]?.textContent ?? null;
}

it.each<[string, object]>([
  ['Chrome 115 and Safari 17.3, without AbortSignal.any', { ...NEW, AbortSignal: {} }],
  ['Firefox 126, without ClipboardItem', { ...NEW, ClipboardItem: undefined }],
  ['a very old one', { isSecureContext: true }],
])('says in %s which versions are supported', (_, globals) => {
  expect(said(globals)).toContain(VERSIONS);
});

it.each<[string, object]>([
  ['a supported one', NEW],
  ['one at an address without HTTPS', { ...NEW, ClipboardItem: undefined, isSecureContext: false }],
])('says nothing in %s', (_, globals) => {
  expect(said(globals)).toBeNull();
});

it('is read before the modules, and README.md names the same versions', () => {
  const page = readFileSync('index.html', 'utf8');
  const script = page.indexOf('<script src="/old-browser.js" defer></script>');
  expect(script).toBeGreaterThan(0);
  expect(script).toBeLessThan(page.indexOf('type="module"'));
  expect(readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ')).toContain(VERSIONS);
});
