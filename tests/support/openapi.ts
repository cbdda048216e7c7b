import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { realData } from './posts.ts';

interface Parameter {
  readonly name: string;
  readonly schema: { readonly items?: { readonly enum?: readonly string[] } };
}

/**
 * The platform's published description of its interface, from the folder next to the real posts.
 *
 * @returns Null if `GROUNDSWELL_TEST_DATA` is not set.
 */
export function platformOpenapi(): {
  components: { parameters: Readonly<Record<string, Parameter>> };
} | null {
  const data = realData();
  if (data === null) return null;
  return JSON.parse(readFileSync(join(data, '..', 'reference', 'platform-openapi.json'), 'utf8'));
}
