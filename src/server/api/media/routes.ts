import type { Context } from 'hono';
import { invalidParameters, invalidRequest, plainProblem } from '#contract/fault.ts';
import {
  MEDIA,
  MEDIA_V1,
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
import { parseFields, readInput, type Input, type UploadRules } from './media.ts';
import { readWithNumericId, v1Answer } from './v1-answers.ts';
import { AppendFields, CommandFields, OneShotFields } from '#contract/posts/media-requests.ts';

/**
 * Most bytes of a segment in a form. The platform's clients send 1 to 5 MiB; a segment is never in memory, so it may be
 * larger.
 */
const MOST_IN_SEGMENT = 64 * 1024 ** 2;

const RULES: UploadRules = { base64: 'media', unknownFields: 'refused' };
const V1_RULES: UploadRules = {
  base64: 'media_data',
  unknownFields: 'ignored',
  category: 'tweet_image',
};

/** Statuses of answers of version 1.1 to the steps of an upload in segments; its clients take any of success. */
const V1_STATUSES = { INIT: 202, APPEND: 204, FINALIZE: 201 } as const;

/** The fields with their category as version 2 spells it: clients of version 1.1 send `TweetImage` and `tweet_image`. */
function spelled(fields: Input['fields']): Input['fields'] {
  const { media_category: category } = fields;
  if (typeof category !== 'string') return fields;
  const snake = category.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  return { ...fields, media_category: snake };
}

function fileOf({ part }: Input): TemporaryFile {
  if (part) return part;
  throw invalidParameters([{ parameter: 'media', message: '$.media: is required' }]);
}

/** An upload, or a step of one; the step is null for a whole file. */
interface Uploaded {
  readonly step: keyof typeof V1_STATUSES | null;
  readonly answer: UploadAnswer | AppendAnswer;
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
    rules: UploadRules,
    use: (input: Input) => T | Promise<T>,
  ): Promise<T> => {
    const { files } = taking();
    const input = await readInput(c, files, most, rules);
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
    { unknownFields }: UploadRules,
  ): Promise<Uploaded> => {
    const { fields, part } = input;
    // Some clients send an empty file with every command.
    if (part && fields['command'] !== 'APPEND') taking().files.drop([part.file]);
    switch (fields['command']) {
      case 'INIT': {
        const request = parseFields(fields, CommandFields.INIT, unknownFields);
        return { step: 'INIT', answer: taking().initialize(user, request) };
      }
      case 'APPEND': {
        const request = parseFields(fields, CommandFields.APPEND, unknownFields);
        const { media_id, segment_index } = request;
        taking().room(user, media_id);
        const answer = taking().append(user, media_id, segment_index, fileOf(input));
        return { step: 'APPEND', answer };
      }
      case 'FINALIZE': {
        const { media_id } = parseFields(fields, CommandFields.FINALIZE, unknownFields);
        return { step: 'FINALIZE', answer: await taking().finalize(user, media_id) };
      }
      default: {
        const message = `$.command: [${String(fields['command'])}] is not one of [INIT,APPEND,FINALIZE]`;
        throw invalidRequest('command', String(fields['command']), message);
      }
    }
  };

  const upload = (user: Account, c: Context, rules: UploadRules): Promise<Uploaded> =>
    withInput(c, MOST_IN_SEGMENT, rules, async (read) => {
      const input = rules.category ? { ...read, fields: spelled(read.fields) } : read;
      if (input.fields['command'] !== undefined) return await command(user, input, rules);
      const fields = { ...(rules.category && { media_category: rules.category }), ...input.fields };
      const request = parseFields(fields, OneShotFields, rules.unknownFields);
      const part = fileOf(input);
      const most = MOST_MEDIA_BYTES[CATEGORIES[request.media_category].kind];
      if (part.size <= most) {
        return { step: null, answer: await taking().whole(user, request, part) };
      }
      const message = `File size exceeds ${most} bytes, the most of a ${request.media_category}; it has ${part.size}.`;
      throw invalidRequest('media', String(part.size), message);
    });

  return [
    http.serve(MEDIA.upload, async ({ c, caller: { user } }) => {
      const { step, answer } = await upload(user, c, RULES);
      return step === 'FINALIZE' ? c.json(answer, 201) : answer;
    }),
    http.serve(MEDIA.status, ({ caller, query }) => taking().status(caller.user, query.media_id)),
    http.serve(MEDIA.initialize, ({ caller, body }) => taking().initialize(caller.user, body)),
    http.serve(MEDIA.append, ({ c, caller: { user }, params }) => {
      // Refused before its file is read.
      const most = Math.min(taking().room(user, params.id), MOST_IN_SEGMENT);
      return withInput(c, most, RULES, (input) => {
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
    http.serve(MEDIA_V1.upload, async ({ c, caller: { user } }) => {
      const { step, answer } = await upload(user, c, V1_RULES);
      return v1Answer(c, answer, step === null ? 200 : V1_STATUSES[step]);
    }),
    http.serve(MEDIA_V1.status, ({ c, caller, query }) =>
      v1Answer(c, taking().status(caller.user, query.media_id), 200),
    ),
    http.serve(
      MEDIA_V1.metadata,
      ({ c, caller, body: { media_id, ...metadata } }) => {
        taking().describe(caller.user, media_id, metadata);
        return c.body(null, 200);
      },
      { body: readWithNumericId },
    ),
  ];
}
