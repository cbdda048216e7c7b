import { queryLength } from '#contract/counts/counts.ts';
import { invalidWith, PROBLEMS } from '#contract/fault.ts';
import type { RuleLimits } from '#contract/streams/stream.ts';
import { faultsOf, parseRule, type RuleKind } from '#core/rules/parse.ts';
import type { Json } from '#core/import/json.ts';
import type { NewRule, RuleOwner, RuleTable, StoredRule } from './rule-table.ts';

/** A rule as answers have it. */
export function ruleJson({ id, value, tag }: NewRule & { readonly id?: string }): Json {
  return { value, ...(tag !== null && { tag }), ...(id !== undefined && { id }) };
}

/** The faults of a rule; empty if it has none. */
function faultsIn(value: string, kind: RuleKind, { characters }: RuleLimits): string[] {
  const length = queryLength(value);
  if (length > characters) {
    return [
      `Rules must have at most ${characters} characters, got ${length} (at position ${characters + 1}).`,
    ];
  }
  const parsed = parseRule(value, kind);
  return parsed.ok ? [] : faultsOf(value, parsed.diagnostics);
}

/** The result that adding rules would have, before it is done. */
export interface Addition {
  /** Valid, new and within the limit, in the order of the request. */
  readonly add: readonly NewRule[];
  readonly errors: readonly Json[];
  readonly valid: number;
}

/**
 * Checks rules to add. Each is checked alone, so that one that is wrong does not prevent the others.
 *
 * @returns Those to add; for each other one its fault in the recorded form (platform-facts, section 5): invalid, a
 *   duplicate with the id of the rule that it repeats, or above the limit.
 */
export function checkRules(
  table: RuleTable,
  of: RuleOwner,
  wanted: readonly { readonly value: string; readonly tag?: string | undefined }[],
  limits: RuleLimits,
): Addition {
  const add = new Map<string, NewRule>();
  const errors: Json[] = [];
  const before = table.count(of);
  let valid = 0;
  for (const { value, tag = null } of wanted) {
    const details = faultsIn(value, table.kind, limits);
    if (details.length > 0) {
      const type = `${PROBLEMS}invalid-rules`;
      errors.push({ value, details, title: 'UnprocessableEntity', type });
      continue;
    }
    valid += 1;
    const same = table.find(of, { value });
    if (same || add.has(value)) {
      const type = `${PROBLEMS}duplicate-rules`;
      errors.push({ value, ...(same && { id: same.id }), title: 'DuplicateRule', type });
    } else if (before + add.size >= limits.rules) {
      const detail = `The app may have ${limits.rules} rules.`;
      errors.push({ value, title: 'RulesCapExceeded', detail, type: `${PROBLEMS}rule-cap` });
    } else add.set(value, { value, tag });
  }
  return { add: [...add.values()], errors, valid };
}

/** Names the rule that a duplicate repeats, where that one came in the same request. */
export function withIds(errors: readonly Json[], added: readonly StoredRule[]): Json[] {
  const ids = new Map(added.map(({ id, value }) => [value, id]));
  return errors.map((error) => {
    const id = ids.get(String(error.value));
    return error.title !== 'DuplicateRule' || 'id' in error || id === undefined
      ? error
      : { ...error, id };
  });
}

/** A rule that a request names, by its id, its value or both. */
export interface NamedRule {
  readonly id?: string | undefined;
  readonly value?: string | undefined;
}

type RuleNames = Readonly<Record<keyof NamedRule, string>>;

function absent({ id, value = '' }: NamedRule, names: RuleNames): Json {
  const parameters = id === undefined ? { [names.value]: [value] } : { [names.id]: [id] };
  return invalidWith({ parameters, message: 'Rule does not exist' }).body;
}

/**
 * Finds rules to delete, each once. Each that does not exist is an error, as recorded.
 *
 * @param names - The names that the request gives ids and values.
 */
export function findRules(
  table: RuleTable,
  of: RuleOwner,
  wanted: readonly NamedRule[],
  names: RuleNames,
): { readonly remove: readonly string[]; readonly errors: readonly Json[] } {
  const remove = new Set<string>();
  const errors: Json[] = [];
  for (const rule of wanted) {
    const { id, value = '' } = rule;
    const found = table.find(of, id === undefined ? { value } : { id });
    const isMeant = rule.value === undefined || found?.value === rule.value;
    if (found && isMeant) remove.add(found.id);
    else errors.push(absent(rule, names));
  }
  return { remove: [...remove], errors };
}
