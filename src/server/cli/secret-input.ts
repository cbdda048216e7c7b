import { createInterface } from 'node:readline/promises';
import { Writable, type Readable } from 'node:stream';

/** The terminal from which a secret is read, and to which its prompt goes. */
export interface SecretTerminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** Reads one line. @returns Null at the end of the input. */
async function lineOf({ input }: SecretTerminal): Promise<string | null> {
  // Readline turns the terminal's echo off and echoes by itself, to this.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: input.isTTY === true });
  try {
    return await new Promise<string | null>((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(null));
      lines.once('SIGINT', () => lines.close());
    });
  } finally {
    lines.close();
  }
}

/**
 * Reads a secret: from a terminal once per prompt, without showing what is typed; from anything else its first line.
 *
 * @returns The lines; null for one that the input ended before.
 */
export async function readSecret(
  prompts: readonly string[],
  terminal: SecretTerminal,
): Promise<(string | null)[]> {
  if (terminal.input.isTTY !== true) return [await lineOf(terminal)];
  const lines: (string | null)[] = [];
  for (const prompt of prompts) {
    terminal.output.write(prompt);
    lines.push(await lineOf(terminal));
    terminal.output.write('\n');
  }
  return lines;
}
