import * as v from 'valibot';
import type { Access } from '#contract/accounts/access.ts';
import {
  AppName,
  AppSettings,
  MOST_RULES,
  NEW_APP,
  type AppInfo,
  type AppOrder,
} from '#contract/accounts/apps.ts';
import { numberText, typedNumber } from '#app/settings/parse-number.ts';
import { MICRO } from '#core/format/number-text.ts';
import type { Read, EntryValues } from '#app/settings/entry-form.svelte.ts';

/** The fields of the form for an app. */
export type AppField = 'name' | keyof AppSettings;

export const ACCESS_NAMES: Readonly<Record<Access, string>> = {
  'self-service': 'Self-service',
  'pay-per-use': 'Pay per use',
  enterprise: 'Enterprise',
};

export const CLIENT_NAMES: Readonly<Record<AppSettings['client'], string>> = {
  confidential: 'Confidential',
  public: 'Public',
};

export const PERMISSION_NAMES: Readonly<Record<AppSettings['permission'], string>> = {
  read: 'Read',
  'read-write': 'Read and write',
  'read-write-dm': 'Read, write and direct messages',
};

const amount = (micro: number | null, decimal: string): string =>
  micro === null ? '' : numberText(micro / MICRO, decimal);

/**
 * The values of the form for an app, or for a new one: amounts in dollars, one callback on each line.
 *
 * @param decimal - The locale's decimal separator.
 */
export function appValues(app: AppInfo | null, decimal: string): EntryValues<AppField> {
  const { name, callbacks, owner, credits, spending_limit, ...rest } = app ?? {
    ...NEW_APP,
    name: '',
  };
  const { access, client, permission, early_access, stream_rules, limited } = rest;
  return {
    name,
    access,
    client,
    permission,
    callbacks: callbacks.join('\n'),
    owner: owner ?? '',
    credits: amount(credits, decimal),
    spending_limit: amount(spending_limit, decimal),
    early_access,
    stream_rules: stream_rules === null ? '' : String(stream_rules),
    limited,
  };
}

/** Whole micro-dollars of an amount in dollars; null if it is empty, which means no limit. */
function microOf(text: string, decimal: string): { micro: number | null } | { wrong: string } {
  if (text.trim() === '') return { micro: null };
  const typed = typedNumber(text, decimal);
  if ('wrong' in typed) return typed;
  const micro = Math.round(typed.value * MICRO);
  if (!Number.isSafeInteger(micro)) return { wrong: 'Enter a smaller amount.' };
  const exact = Math.abs(typed.value * MICRO - micro) < 1e-3;
  return exact ? { micro } : { wrong: 'At most six digits after the decimal sign.' };
}

/** A number of rules; null if it is empty, which means the platform's limit. */
function rulesOf(text: string, decimal: string): { rules: number | null } | { wrong: string } {
  if (text.trim() === '') return { rules: null };
  const typed = typedNumber(text, decimal);
  if ('wrong' in typed) return typed;
  const { value } = typed;
  const isValid = Number.isInteger(value) && value >= 1 && value <= MOST_RULES;
  return isValid ? { rules: value } : { wrong: `Enter a whole number from 1 to ${MOST_RULES}.` };
}

/**
 * Reads the form for an app: an order to add it, or to set only what changed.
 *
 * @param app - The app as listed; null for a new one.
 * @param decimal - The locale's decimal separator.
 */
export function readApp(
  app: AppInfo | null,
  values: EntryValues<AppField>,
  decimal: string,
): Read<AppField, AppOrder> {
  const wrong: Partial<Record<AppField, string>> = {};
  const before = appValues(app, decimal);
  const settings: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(values) as [AppField, string | boolean][]) {
    if (field === 'name' || (app && value === before[field])) continue;
    if (field === 'callbacks') settings[field] = String(value).split(/\s+/).filter(Boolean);
    else if (field === 'owner') settings[field] = value === '' ? null : value;
    else if (field === 'credits' || field === 'spending_limit') {
      const read = microOf(String(value), decimal);
      if ('wrong' in read) wrong[field] = read.wrong;
      else settings[field] = read.micro;
    } else if (field === 'stream_rules') {
      const read = rulesOf(String(value), decimal);
      if ('wrong' in read) wrong[field] = read.wrong;
      else settings[field] = read.rules;
    } else settings[field] = value;
  }
  const name = v.safeParse(AppName, values.name);
  if (!name.success) wrong.name = `The name ${name.issues[0].message}.`;
  const read = v.safeParse(v.partial(AppSettings), settings);
  for (const issue of read.issues ?? []) {
    const field = String(issue.path?.[0]?.key) as AppField;
    const isList = issue.type === 'max_length';
    wrong[field] ??= isList
      ? `At most ${String(issue.requirement)} addresses.`
      : `${issue.message}.`;
  }
  if (!name.success || !read.success || Object.keys(wrong).length > 0)
    return { order: null, wrong };
  if (app && Object.keys(settings).length === 0) return { order: null, wrong: {} };
  const order = { name: name.output, settings: read.output };
  return { order: { action: app ? 'set' : 'add', ...order }, wrong: {} };
}
