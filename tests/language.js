// Run by `npm run check:language`: lists words that plain English does without, and names that are private metaphors.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'svelte/compiler';
import ts from 'typescript';

const PLACES = [
  'src',
  'tests',
  'docs',
  'bin',
  'index.html',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];

const TEXT = new Set(['.ts', '.svelte', '.js', '.html', '.css', '.md', '.svg']);

/** Content that imitates Posts of other people, and this list itself. */
const FIXTURES = ['tests/vectors', 'src/server/sample/texts.ts', 'tests/language.js'];

/** Not to be used in prose, messages and names, each with better words. */
const WORDS = {
  told: 'reported, said',
  anew: 'again, re-',
  beside: 'next to, besides',
  stands: 'is',
  whoever: 'the caller, anyone who',
  somebody: 'someone, a person',
  reckon: 'compute',
  reckons: 'computes',
  reckoned: 'computed',
  mend: 'fix',
  mends: 'fixes',
  mended: 'fixed',
  owned: 'already fetched',
};

const PHRASES = {
  'be it': 'whether',
  "of one's own": 'custom',
  'of one’s own': 'custom',
  'held against': 'compared with',
  'looked at': 'read, checked',
  'is had': 'has',
};

/** Not to be used as a word of a name: the field has one that says what the thing is. */
const METAPHORS = {
  desk: 'editor, api',
  keeper: 'store',
  shelf: 'inventory',
  gate: 'approval, auth',
  lineup: 'series list',
  frame: 'window',
  inquiry: 'inspector',
  looking: 'load',
  asking: 'request',
  beside: 'extra',
  left: 'remaining',
  ahead: 'clock skew, preload',
  kept: 'stored',
  upkeep: 'compaction',
  underway: 'running',
};

/** Names that others give, or in which the word has its plain meaning. */
const GIVEN = new Set([
  // The DOM, CSS and ECharts.
  'ArrowLeft',
  'left',
  'clientLeft',
  'marginLeft',
  'offsetLeft',
  'paddingLeft',
  'scrollLeft',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'FrameRequestCallback',
  // Members of Hono's secure headers.
  'frameAncestors',
  'xFrameOptions',
  // Playwright.
  'contentFrame',
  'mainFrame',
  // SQLite's log consists of frames.
  'FRAME_HEAD',
  // Members of the interface's answers.
  'clockAheadMs',
  'secondsLeft',
  // Methods of the published clients.
  'listsOwned',
  'getOwnedLists',
  // To leave out.
  'leftOut',
  'leftOutMs',
]);

/** Members that browsers and backups have stored under these names. */
const STORED = new Set(['owned']);

const prose = [
  ...Object.entries(WORDS).map(([word, better]) => [new RegExp(`\\b${word}\\b`, 'gi'), better]),
  ...Object.entries(PHRASES).map(([text, better]) => [new RegExp(`\\b${text}\\b`, 'gi'), better]),
  [/\bwhat is \w+ of\b/gi, 'a noun'],
  [/(?:\/\*\*|\/\/|<!--)\s+(?:\* )?Whether\b/g, 'True if, True while'],
  [
    /(?:\/\*\*?|\/\/|<!--)\s+(?:\* )?(?:What|Which|Who|Whom|Why|How)\b/g,
    'the noun: The result of, The reason, The number of',
  ],
  [
    /@(?:returns|throws|param \S+ -) (?:What|Which|Who|Whom|Why|How|When|Where)\b/g,
    'the noun: The result of, The number of, The time at which',
  ],
  // With a comma, the clause may be adverbial: “When a store is closed, its statements are too.”
  [
    /(?:\/\*\*?|<!--)\s+(?:\* )?(?:When|Where)\b[^,\n]*(?:\*\/|-->)/g,
    'the noun: The time at which, The place where',
  ],
];

/** Expressions of the source that have a name, whose own file writes them out. */
const NAMED = [
  [/(\w+) instanceof Error\s*\?\s*\1\.message\s*:\s*String\(/g, 'errorMessage', 'core/thrown.ts'],
  [/(\w+) instanceof Error\s*\?\s*\1\s*:\s*new Error\(/g, 'toError', 'core/thrown.ts'],
  [/instanceof Error && 'code' in (\w+)\s*\?/g, 'errorCode', 'core/thrown.ts'],
  [/=== 1\s*\?\s*'([^']*)'\s*:\s*'\1s'/g, 'nounFor, plural', 'core/format/plural.ts'],
  [/=== 1\s*\?\s*one\s*:\s*many\b/g, 'nounFor, plural', 'core/format/plural.ts'],
].map(([pattern, name, file]) => ({ pattern, better: `${name} of ${file}`, home: `src/${file}` }));

const judged = new Map();
/** A map, because `constructor` is a member of every object. */
const BETTER = new Map(Object.entries({ ...WORDS, ...METAPHORS }));

/** The better word for a name with a banned word in it, else undefined. */
function betterName(name) {
  if (!judged.has(name)) judged.set(name, judge(name));
  return judged.get(name);
}

function judge(name) {
  if (GIVEN.has(name)) return undefined;
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  for (const word of words.map((each) => each.toLowerCase())) {
    const better = BETTER.get(word);
    if (better !== undefined) return better;
  }
  return undefined;
}

/** True if a node names a stored member, not a variable: `owned: number`, `.owned`, `{ owned: days }`, `'owned'` as a type. */
function namesStored(node, parent) {
  if (!STORED.has(node.text)) return false;
  if (ts.isStringLiteral(node)) return ts.isLiteralTypeNode(parent);
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (
    (ts.isPropertySignature(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isPropertyAccessExpression(parent)) &&
    parent.name === node
  );
}

/**
 * Calls back with each name of a TypeScript or JavaScript file, and its position.
 *
 * @returns The positions of stored members.
 */
function namesOfScript(file, text, found) {
  const stored = new Set();
  const visit = (node, parent) => {
    if (namesStored(node, parent)) {
      stored.add(node.getEnd() - (ts.isStringLiteral(node) ? 1 : 0) - node.text.length);
    } else if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      found(node.text, node.getStart(source));
    }
    ts.forEachChild(node, (child) => visit(child, node));
  };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  visit(source);
  return stored;
}

/** The same for a Svelte component. */
function namesOfComponent(text, found) {
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') {
      found(node.name, node.start);
    } else if (node.type === 'Attribute') found(node.name, node.start);
    for (const value of Object.values(node)) visit(value);
  };
  visit(parse(text, { modern: true }));
}

/** Every text below a place, by its path. */
function* files(place) {
  if (extname(place) !== '') {
    if (TEXT.has(extname(place))) yield place;
    return;
  }
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const path = join(place, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (TEXT.has(extname(path))) yield path;
  }
}

const under = (file, places) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

/** The faults of one file, in order, a line each. */
function check(file) {
  const text = readFileSync(file, 'utf8');
  const faults = new Map();
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  const lineOf = (at) => {
    let line = starts.findIndex((start) => start > at);
    if (line < 0) line = starts.length;
    return line;
  };
  const report = (at, found, better) => {
    const line = lineOf(at);
    faults.set(`${line} ${found}`, { line, text: `${file}:${line}: “${found}”: ${better}` });
  };
  const nameFound = (name, at) => {
    const better = betterName(name);
    if (better !== undefined) report(at, name, better);
  };
  nameFound(basename(file, extname(file)), 0);
  const kind = extname(file);
  let stored = new Set();
  // Parsing takes most of the time, and few files have a word that could be such a name.
  if ((text.match(/[A-Za-z_$][\w$]*/g) ?? []).some((word) => betterName(word) !== undefined)) {
    if (kind === '.ts' || kind === '.js') stored = namesOfScript(file, text, nameFound);
    else if (kind === '.svelte') namesOfComponent(text, nameFound);
  }
  for (const [pattern, better] of prose) {
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (!stored.has(index)) report(index, found, better);
    }
  }
  for (const { pattern, better, home } of NAMED) {
    if (!file.startsWith('src/') || file === home) continue;
    for (const { 0: found, index } of text.matchAll(pattern)) report(index, found, better);
  }
  return [...faults.values()].sort((a, b) => a.line - b.line).map((fault) => fault.text);
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const wanted = process.argv.slice(2);
const faults = PLACES.flatMap((place) => [...files(place)])
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !under(file, FIXTURES))
  .filter((file) => wanted.length === 0 || under(file, wanted))
  .flatMap(check);
for (const fault of faults) process.stdout.write(`${fault}\n`);
if (faults.length > 0) {
  process.stdout.write(`${faults.length} words to replace: see CONTRIBUTING.md, Language.\n`);
}
process.exitCode = faults.length > 0 ? 1 : 0;
