import {
  AD_FIELDS,
  OPERATIONS_OF_BATCH,
  type AdFields,
  type BatchRequest,
} from '#contract/ads/ads.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import { Fault } from '#contract/fault.ts';
import {
  advertiserErrors,
  advertiserFault,
  batchFault,
  type AdvertiserError,
} from '#server/ads/advertiser-fault.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { readParameterTexts } from '#server/http/params.ts';
import {
  changeTogether,
  createEntities,
  removeEntity,
  updateEntity,
  type BatchStep,
} from './changes.ts';
import { entityIn } from './entity.ts';
import type { ChangeBy } from './kind-rules.ts';

type Operation = BatchRequest[number];

/** A parameter of an operation as the text that a query would have. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Reads the parameters of an operation. @throws {@link Fault} 400 that names every missing or malformed one. */
function readFields(name: AdKindName, type: 'create' | 'update', sent: object): AdFields {
  const given = Object.entries(sent).filter(([, value]) => value !== null);
  const texts = Object.fromEntries(given.map(([key, value]) => [key, textOf(value)]));
  return readParameterTexts(texts, AD_FIELDS[name][type]);
}

/** The change that an operation asks for. */
function stepOf(
  by: ChangeBy,
  account: string,
  name: AdKindName,
  { operation_type: type, params }: Operation,
): BatchStep {
  const { key, writes = [] }: AdKind = AD_KINDS[name];
  const { [key]: id, account_id: _, ...sent } = params;
  const found = (): AdEntity => {
    if (id !== undefined) return entityIn(by.store, name, account, textOf(id));
    const message = `"${key}" is a missing parameter`;
    throw advertiserFault(400, 'MISSING_PARAMETER', message, { parameter: key });
  };
  const together = <T>(made: T | Promise<T>): T => {
    if (made instanceof Promise) throw new TypeError(`expected no promise of the rule of ${name}`);
    return made;
  };
  return () => {
    switch (type) {
      case 'Create':
        return together(createEntities(by, account, name, readFields(name, 'create', sent)));
      case 'Delete':
        return [removeEntity(by, found())];
      case 'Update':
        if (!writes.includes('update')) break;
        return [together(updateEntity(by, found(), readFields(name, 'update', sent)))];
    }
    const message = `Expected one of ${OPERATIONS_OF_BATCH.join(', ')} that this kind has, got "${type}" for operation_type`;
    const at = { parameter: 'operation_type', value: type };
    throw advertiserFault(400, 'INVALID_PARAMETER', message, at);
  };
}

/** The part of its request that an answer repeats. */
function echoOf(account: string, operations: BatchRequest) {
  return operations.map(({ operation_type, params }) => ({
    params: { ...params, account_id: account },
    operation_type,
  }));
}

/**
 * Makes the changes of a batch, or none of them.
 *
 * @returns The entities, in the order of the operations, and what the answer repeats of the request.
 * @throws {@link Fault} 400 with the errors of each operation, or for more operations than a batch may have.
 */
export function changeBatch(
  by: ChangeBy,
  account: string,
  name: AdKindName,
  operations: BatchRequest,
) {
  const { batch: most = 0 }: AdKind = AD_KINDS[name];
  if (operations.length === 0 || operations.length > most) {
    const message = `A batch has 1 to ${most} operations, got ${operations.length}`;
    throw advertiserFault(400, 'REQUEST_TOO_COMPLEX', message);
  }
  const errors: (readonly AdvertiserError[])[] = operations.map(() => []);
  const steps = operations.map((operation) => stepOf(by, account, name, operation));
  const entities = changeTogether(by, steps, (index, error) => {
    if (!(error instanceof Fault)) throw error;
    errors[index] = advertiserErrors(error);
  });
  const request = echoOf(account, operations);
  if (entities) return { entities, request };
  throw batchFault(errors, request);
}
