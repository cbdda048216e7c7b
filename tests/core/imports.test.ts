import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

/** The modules of the source that a module names: for values or types, now or later. */
function neededBy(module: string): string[] {
  const text = readFileSync(module, 'utf8');
  const names = text.matchAll(/(?:\bfrom|\bimport)[\s(]*'([#.][^'?]+)/g);
  return Array.from(names, ([, name = '']) =>
    name.startsWith('#') ? join(SRC, name.slice(1)) : join(dirname(module), name),
  );
}

/** A way from a module back to itself; null if there is none. */
function circleOf(module: string, needs: ReadonlyMap<string, readonly string[]>): string[] | null {
  const from = new Map<string, string>();
  const open = [module];
  for (const text of open) {
    for (const next of needs.get(text) ?? []) {
      if (next === module) {
        const way = [text];
        for (let at = text; at !== module;) way.unshift((at = from.get(at) ?? module));
        return way.map((each) => each.slice(SRC.length + 1));
      }
      if (from.has(next)) continue;
      from.set(next, text);
      open.push(next);
    }
  }
  return null;
}

const MODULES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:ts|svelte)$/.test(name))
  .map((name) => join(SRC, name));

it('no module needs itself, not for a type or a later import either', () => {
  const needs = new Map(MODULES.map((module) => [module, neededBy(module)]));
  expect(MODULES.length).toBeGreaterThan(1000);
  expect(MODULES.map((module) => circleOf(module, needs)).filter(Boolean)).toEqual([]);
});

const EXPORTED =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

it('no two modules export the same name, which would stand for two things', () => {
  const owners = new Map<string, Set<string>>();
  for (const module of MODULES) {
    for (const [, name = ''] of readFileSync(module, 'utf8').matchAll(EXPORTED)) {
      owners.set(name, (owners.get(name) ?? new Set()).add(module.slice(SRC.length + 1)));
    }
  }
  expect(owners.size).toBeGreaterThan(2000);
  expect([...owners].filter(([, modules]) => modules.size > 1)).toEqual([]);
});
