import { toJsonSchema, type ConversionConfig } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { ListObject, PostObject, ProblemBody, UserObject } from '#contract/answers.ts';
import type { Json } from '#core/import/json.ts';
import { exampleOf } from './parameter-examples.ts';

type OpenapiSchema = v.GenericSchema<unknown, unknown>;

/** Schemas that several operations use. */
export const SHARED = {
  Post: PostObject,
  User: UserObject,
  List: ListObject,
  Problem: ProblemBody,
} as const;

function getterOf(schema: object): (input: unknown) => OpenapiSchema {
  return (schema as { readonly getter: (input: unknown) => OpenapiSchema }).getter;
}

export const CONVERSION: ConversionConfig = {
  target: 'openapi-3.0',
  typeMode: 'input',
  // Checks and transformations by code have no form in a schema.
  errorMode: 'ignore',
  definitions: SHARED,
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    // Otherwise, objects with and without room for further members look the same.
    if (valibotSchema.type === 'loose_object') return { ...jsonSchema, additionalProperties: true };
    // A value that decides by itself how it is read usually has the form that is read for no value.
    if (valibotSchema.type === 'lazy')
      return openapiSchema(getterOf(valibotSchema)(undefined), ALONE);
    return null;
  },
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
};

/** The conversion of a schema without any of {@link SHARED}, which each conversion else converts first. */
const ALONE: ConversionConfig = { ...CONVERSION, definitions: {} };

/**
 * A schema without what OpenAPI 3.0 does not allow: an empty list of required members. A list whose length is checked
 * before its elements states their schema in its metadata.
 */
export function allowed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allowed);
  if (typeof value !== 'object' || value === null) return value;
  const { element, ...form } = value as { readonly element?: OpenapiSchema };
  const members = Object.entries(
    element ? { ...form, items: openapiSchema(element) } : form,
  ).filter(([name, member]) => name !== 'required' || !Array.isArray(member) || member.length > 0);
  return Object.fromEntries(members.map(([name, member]) => [name, allowed(member)]));
}

/** The schema of a value, without what only a document of its own has. */
export function openapiSchema(schema: OpenapiSchema, conversion = CONVERSION): Json {
  const { $schema: _, $defs: __, definitions: ___, ...rest } = toJsonSchema(schema, conversion);
  return allowed(rest) as Json;
}

/** The schema of a number, which an address contains as text, so that checks see text; its metadata states its type. */
function typed(schema: Json): Json {
  if (schema['type'] !== 'integer') return schema;
  const { pattern: _, default: given, ...rest } = schema;
  return given === undefined ? rest : { ...rest, default: Number(given) };
}

/** The description of a parameter. */
export function parameterOf(place: 'path' | 'query', name: string, schema: OpenapiSchema): Json {
  const { values, ...form } = typed(openapiSchema(schema, ALONE));
  const required = place === 'path' || schema.type !== 'optional';
  const example = exampleOf(name, schema);
  // A list of names is sent as one text; its schema states the names in its metadata.
  const rest = Array.isArray(values)
    ? {
        style: 'form',
        explode: false,
        schema: { type: 'array', items: { type: 'string', enum: values as readonly unknown[] } },
      }
    : { schema: form, ...(example !== undefined && { example }) };
  return { name, in: place, required, ...rest };
}

/** The members of an object's schema, also if checks follow it. */
export function schemaEntries(
  schema: OpenapiSchema | undefined,
): [name: string, schema: OpenapiSchema][] {
  if (!schema || !('entries' in schema)) return [];
  return Object.entries(schema.entries as Record<string, OpenapiSchema>);
}
