import * as v from 'valibot';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { UsageError } from '#server/cli/options.ts';

/** The place at which a call is answered. */
export interface ToolPlace {
  readonly deps: CommandDeps;
  readonly folder: DataFolder;
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly schema: v.GenericSchema;
  answer(given: unknown, place: ToolPlace): Promise<object>;
}

/** @param run - Answers arguments that have the schema. */
export function mcpTool<const S extends v.GenericSchema>(
  name: string,
  description: string,
  schema: S,
  run: (asked: v.InferOutput<S>, place: ToolPlace) => Promise<object>,
): McpTool {
  return {
    name,
    description,
    schema,
    answer: async (given, place) => {
      const read = v.safeParse(schema, given);
      if (read.success) return await run(read.output, place);
      const faults = read.issues.map(
        (issue) => `${v.getDotPath(issue) ?? 'arguments'}: ${issue.message}`,
      );
      throw new UsageError(`${faults.join('. ')}.`);
    },
  };
}
