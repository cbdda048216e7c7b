import type { Diagnostic } from './ast.ts';

/** Position that a message names: 1-based, as on the platform. */
export function positionOf(diagnostic: Diagnostic): number {
  return (diagnostic.column ?? diagnostic.at) + 1;
}

/** The platform's single message for everything wrong in a query (recorded form, platform-facts 2.6). */
export function message(diagnostics: readonly Diagnostic[]): string {
  const parts = diagnostics.map((d) => `${d.message} (at position ${positionOf(d)})`);
  return `There were errors processing your request: ${parts.join(', ')}`;
}
