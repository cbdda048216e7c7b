import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Busboy, { type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'hono';
import { Fault } from '#contract/fault.ts';
import { errorCode } from '#core/thrown.ts';
import { checkSender, invalidBody } from './json-body.ts';

/** Most fields of a form, and most bytes of each. */
const FIELDS = 32;
const FIELD_BYTES = 4096;
/** Most bytes of the headers of one part. */
const HEADER_BYTES = 8192;

/** The fields of a form, and what became of its file. */
interface Form<T> {
  readonly fields: Readonly<Record<string, string>>;
  /** Null if the form has no file. */
  readonly file: T | null;
}

function parserOf(c: Context, fileNames: readonly string[]): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': c.req.header('content-type') ?? '' },
      limits: {
        fields: FIELDS,
        fieldSize: FIELD_BYTES,
        files: 1,
        parts: FIELDS + 1,
        headerSize: HEADER_BYTES,
      },
      // Some clients send the file without a name or a type.
      isPartAFile: (name) => name !== undefined && fileNames.includes(name),
    });
  } catch {
    throw invalidBody('The content-type of a form must name its boundary.');
  }
}

/**
 * Reads a multipart form, whose one file is passed on while it arrives.
 *
 * @param fileNames - Names that the field with the file may have.
 * @param receive - Takes the file. It must stop when the signal is aborted.
 *
 * Rejects with {@link Fault} 400 if the form is malformed or has too many or too long fields, and with what `receive`
 * rejects with.
 */
export async function readMultipart<T>(
  c: Context,
  fileNames: readonly string[],
  receive: (file: Readable, signal: AbortSignal, name: string) => Promise<T>,
): Promise<Form<T>> {
  const parser = parserOf(c, fileNames);
  const fields: Record<string, string> = {};
  const broken = new AbortController();
  const signal = AbortSignal.any([broken.signal, c.req.raw.signal]);
  let file: Promise<T> | null = null;
  const refuse = (message: string): void => void parser.destroy(invalidBody(message));
  parser.on('field', (name, value, nameIsCut, valueIsCut) => {
    if (nameIsCut || valueIsCut) refuse(`A field of a form may have at most ${FIELD_BYTES} bytes.`);
    else if (Object.hasOwn(fields, name)) refuse(`The field [${name}] comes more than once.`);
    else Object.defineProperty(fields, name, { value, enumerable: true });
  });
  // The parser reports an error again after the pipeline ended, to the form and to its file.
  parser.on('error', () => {});
  parser.on('file', (name: string, stream: BusboyFileStream) => {
    stream.on('error', () => {});
    file = receive(stream, signal, name);
    // Nothing else of the form is read then.
    file.catch((error: unknown) => {
      if (error instanceof Error) parser.destroy(error);
    });
  });
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
    parser.on(limit, () => refuse(`A form may have at most ${FIELDS} fields and one file.`));
  }
  const { body } = c.req.raw;
  const source = body
    ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
    : Readable.from([]);
  try {
    await pipeline(source, parser, { signal });
    return { fields, file: await file };
  } catch (error) {
    broken.abort();
    await Promise.resolve(file).catch(() => {});
    if (error instanceof Fault) throw error;
    checkSender(c);
    throw errorCode(error) !== '' ? error : invalidBody('The form is incomplete or malformed.');
  }
}
