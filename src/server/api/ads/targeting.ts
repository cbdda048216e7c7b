import { TARGETING_TYPES } from '#contract/ads/ad-targeting.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { entityIn } from './entity.ts';
import { refuse, type KindRule, type KindRules, type Ruled } from './kind-rules.ts';

/** The criteria that a line item has already. */
function othersOf({ by, account, sent }: Ruled) {
  const id = String(sent['line_item_id']);
  return by.store.below('TARGETING_CRITERION', { holder: account, id });
}

/** Requires an operator and a value that the type allows. */
function checkForm({ sent }: Ruled): void {
  const { targeting_type: type, targeting_value: value, operator_type: operator = 'EQ' } = sent;
  const rule = TARGETING_TYPES[String(type)];
  const allowed = [...(rule?.excludes ? [] : ['EQ']), ...(rule?.operators ?? [])];
  if (!allowed.includes(String(operator))) {
    const list = allowed.join(', ');
    const message = `Expected one of ${list} with the targeting_type ${String(type)}, got "${String(operator)}" for operator_type`;
    refuse('operator_type', operator, message);
  }
  const form = rule?.value;
  if (form && !form.form.test(String(value))) {
    const message = `Expected ${form.what} with the targeting_type ${String(type)}, got "${String(value)}" for targeting_value`;
    refuse('targeting_value', value, message);
  }
}

/** Rules about the line item and what it targets (docs campaign-management/reference, POST targeting_criteria). */
const criterion: KindRule = (change) => {
  const { by, account, sent } = change;
  const { targeting_type: type, targeting_value: value, operator_type: operator = 'EQ' } = sent;
  checkForm(change);
  const others = othersOf(change);
  const isSame = others.some(({ fields }) =>
    [
      [fields['targeting_type'], type],
      [fields['targeting_value'], value],
      [fields['operator_type'] ?? 'EQ', operator],
    ].every(([a, b]) => a === b),
  );
  if (isSame) refuse('targeting_value', value, 'The line item has this criterion already');
  const has = (wanted: string) => others.some(({ fields }) => fields['targeting_type'] === wanted);
  if (type === 'AGE' && has('AGE')) {
    refuse('targeting_type', type, 'A line item can target only one AGE');
  }
  if (type === 'TV_SHOW' && !has('LOCATION')) {
    refuse('targeting_type', type, 'A TV_SHOW needs a LOCATION in the same line item first');
  }
  if (typeof type === 'string' && type.startsWith('CUSTOM_AUDIENCE')) {
    const parameter = 'targeting_value';
    const audience = entityIn(by.store, 'CUSTOM_AUDIENCE', account, String(value), { parameter });
    if (operator === 'EQ' && audience.fields['targetable'] !== true) {
      refuse(parameter, value, 'This audience cannot be targeted: it is too small');
    }
  }
  return { ...sent, name: value ?? null };
};

/** Audiences of an ad account have different names (docs audiences/reference). */
const audience: KindRule = ({ by, account, sent, before }) => {
  const { name } = sent;
  if (typeof name === 'string') {
    const named = { kind: 'CUSTOM_AUDIENCE', holder: account, withDeleted: false } as const;
    const filter = { ...named, withDraft: true, fields: [{ field: 'name', values: [name] }] };
    const [found] = by.store.page(filter, { by: [], after: null }, 2);
    if (found && found.entity.id !== before?.id) {
      const message = `There is an audience of the name "${name}" in this ad account already`;
      throw advertiserFault(400, 'INVALID_PARAMETER', message, { parameter: 'name', value: name });
    }
  }
  return before ? sent : { ...sent, owner_account_id: account };
};

export const TARGETING_RULES: KindRules = {
  TARGETING_CRITERION: criterion,
  CUSTOM_AUDIENCE: audience,
};
