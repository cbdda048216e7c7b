import type { Context } from 'hono';
import { invalidRequest, plainProblem } from '#contract/fault.ts';
import {
  AppendFields,
  CommandFields,
  MEDIA,
  OneShotFields,
  type AppendAnswer,
  type MetadataAnswer,
  type UploadAnswer,
} from '#contract/posts/media.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Route } from '#server/http/serve.ts';
import { CATEGORIES, MOST_MEDIA_BYTES } from '#server/media/content.ts';
import type { TemporaryFile } from '#server/media/media-files.ts';
import type { MediaUploads } from '#server/media/media-uploads.ts';
import type { ServiceContext } from '#server/context.ts';
import { parseFields, readInput, type Input } from './media.ts';

/**
 * Most bytes of a segment in a form. The platform's clients send 1 to 5 MiB; a segment is never in memory, so it may be
 * larger.
 */
const MOST_IN_SEGMENT = 64 * 1024 ** 2;

function fileOf({ part }: Input): TemporaryFile {
  if (part) return part;
  throw invalidRequest('media', '', '$.media: is required');
}

/** Uploads of media: in one request, in segments by operations of their own, and in segments by commands. */
export function media({ http, media: uploads }: ServiceContext): Route[] {
  const taking = (): MediaUploads => {
    if (uploads) return uploads;
    throw plainProblem(404, 'Not Found', 'This service does not take media.');
  };

  /** Reads a request with a file. The file is removed if the rest of the request is wrong. */
  const withInput = async <T>(
    c: Context,
    most: number,
    use: (input: Input) => T | Promise<T>,
  ): Promise<T> => {
    const { files } = taking();
    const input = await readInput(c, files, most);
    try {
      return await use(input);
    } catch (error) {
      if (input.part) files.drop([input.part.file]);
      throw error;
    }
  };

  const command = async (
    user: Account,
    input: Input,
    c: Context,
  ): Promise<UploadAnswer | AppendAnswer | Response> => {
    const { fields } = input;
    switch (fields['command']) {
      case 'INIT': {
        return taking().initialize(user, parseFields(fields, CommandFields.INIT));
      }
      case 'APPEND': {
        const { media_id, segment_index } = parseFields(fields, CommandFields.APPEND);
        taking().room(user, media_id);
        return taking().append(user, media_id, segment_index, fileOf(input));
      }
      case 'FINALIZE': {
        const { media_id } = parseFields(fields, CommandFields.FINALIZE);
        return c.json(await taking().finalize(user, media_id), 201);
      }
      default: {
        const message = `$.command: [${String(fields['command'])}] is not one of [INIT,APPEND,FINALIZE]`;
        throw invalidRequest('command', String(fields['command']), message);
      }
    }
  };

  return [
    http.serve(MEDIA.upload, ({ c, caller: { user } }) =>
      withInput(c, MOST_IN_SEGMENT, async (input) => {
        if (input.fields['command'] !== undefined) return await command(user, input, c);
        const request = parseFields(input.fields, OneShotFields);
        const part = fileOf(input);
        const most = MOST_MEDIA_BYTES[CATEGORIES[request.media_category].kind];
        if (part.size <= most) return await taking().whole(user, request, part);
        const message = `File size exceeds ${most} bytes, the most of a ${request.media_category}; it has ${part.size}.`;
        throw invalidRequest('media', String(part.size), message);
      }),
    ),
    http.serve(MEDIA.status, ({ caller, query }) => taking().status(caller.user, query.media_id)),
    http.serve(MEDIA.initialize, ({ caller, body }) => taking().initialize(caller.user, body)),
    http.serve(MEDIA.append, ({ c, caller: { user }, params }) => {
      // Refused before its file is read.
      const most = Math.min(taking().room(user, params.id), MOST_IN_SEGMENT);
      return withInput(c, most, (input) => {
        const { segment_index } = parseFields(input.fields, AppendFields);
        return taking().append(user, params.id, segment_index, fileOf(input));
      });
    }),
    http.serve(MEDIA.finalize, ({ caller, params }) => taking().finalize(caller.user, params.id)),
    http.serve(MEDIA.metadata, ({ caller, body }): MetadataAnswer => {
      const { id, metadata = {} } = body;
      const all = taking().describe(caller.user, id, metadata);
      return { data: { id, associated_metadata: all } };
    }),
  ];
}
